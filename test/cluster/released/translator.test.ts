import { describe, expect, it } from 'vitest'
import type { LoggedEvent } from '../../../src/method/events.ts'
import {
  alfworldGroup,
  codingGroup,
  osworldGroup,
  osworldVotesInto,
  type OsworldVotes,
} from '../../../src/cluster/released/groups.ts'
import { parseResultsLine } from '../../../src/cluster/released/results.ts'
import { releasedSettings } from '../../../src/cluster/released/systems.ts'
import type { TranslatorMemory } from '../../../src/cluster/released/translator-state.ts'
import { RunTranslator, type RunIdentity, type StepSnapshot } from '../../../src/cluster/released/translator.ts'
import type { ReleasedSystem } from '../../../src/cluster/protocol.ts'
import { osworldProposal } from '../../../src/cluster/released/proposals.ts'
import { RunView } from '../../../src/runs/fold.ts'

function identity(system: ReleasedSystem): RunIdentity {
  return {
    system,
    split: 'id',
    limits: { characters: 100, reasoningCharacters: 20 },
    started: {
      runId: 'a_run',
      settings: { ...releasedSettings(system), evaluateEvery: 2 },
      preset: 'x',
      backend: 'x',
      models: { policy: 'p', reward: 'r', author: 'a' },
    },
  }
}

const line = (system: ReleasedSystem, text: string) => parseResultsLine(system, text)!
const step = (n: number, acc = 0.5) =>
  line(
    'alfworld',
    `step: ${n}   acc: ${acc}   avg step: 3   avg response length: 4   max_prompt_length: 5   moved: 0   deleted: 0   missing: 0   skipped: 0`,
  )
const evaluation = (n: number) =>
  line('alfworld', `step: ${n}   acc: 0.25   avg step: 3   avg response length: 4   max_prompt_length: 5`)
const kinds = (events: readonly LoggedEvent[]) => events.map(({ type, iteration }) => `${iteration} ${type}`)

const EMPTY: StepSnapshot = { taskIds: [], groups: [], resolved: [], metrics: { 'policy/acc': 0.5 } }

function whole(translator: RunTranslator): LoggedEvent[] {
  translator.begin()
  translator.mark({ kind: 'step', step: 1 })
  translator.training(step(1), EMPTY, [])
  translator.mark({ kind: 'trained' })
  translator.mark({ kind: 'trained' })
  translator.mark({ kind: 'step', step: 2 })
  translator.training(step(2), EMPTY, [])
  translator.mark({ kind: 'trained' })
  translator.mark({ kind: 'trained' })
  translator.evaluation(evaluation(2), 3)
  translator.mark({ kind: 'step', step: 3 })
  translator.end('stopped')
  return translator.drain()
}

describe('the translation of a run', () => {
  it('finishes a step when both models are trained and a due evaluation is done', () => {
    expect(kinds(whole(new RunTranslator(identity('alfworld'))))).toEqual([
      '0 run-started',
      '1 iteration-started',
      '1 iteration-finished',
      '2 iteration-started',
      '2 evaluation',
      '2 iteration-finished',
      '2 run-finished',
    ])
  })

  it('is the same wherever it stops and continues from its events and its memory', () => {
    const acts: ((translator: RunTranslator) => void)[] = [
      (t) => t.begin(),
      (t) => t.mark({ kind: 'step', step: 1 }),
      (t) => t.training(step(1), EMPTY, []),
      (t) => t.mark({ kind: 'trained' }),
      (t) => t.mark({ kind: 'trained' }),
      (t) => t.mark({ kind: 'step', step: 2 }),
      (t) => t.training(step(2), EMPTY, []),
      (t) => t.mark({ kind: 'trained' }),
      (t) => t.mark({ kind: 'trained' }),
      (t) => t.evaluation(evaluation(2), 3),
      (t) => t.mark({ kind: 'step', step: 3 }),
      (t) => t.end('stopped'),
    ]
    const events: LoggedEvent[] = []
    let memory: unknown = null
    for (const act of acts) {
      const translator = new RunTranslator(identity('alfworld'))
      if (memory !== null) translator.state.memory = JSON.parse(JSON.stringify(memory)) as TranslatorMemory
      for (const event of events) translator.state.apply(event)
      act(translator)
      events.push(...translator.drain())
      memory = translator.state.memory
    }
    expect(events).toEqual(whole(new RunTranslator(identity('alfworld'))))
  })

  it('finishes a step when the next begins, skips reported steps, and numbers iterations without gaps', () => {
    const translator = new RunTranslator(identity('alfworld'))
    translator.begin()
    translator.training(step(1), EMPTY, [])
    translator.training(step(1, 0.9), EMPTY, [])
    translator.training(step(4), null, [])
    const events = translator.drain()
    expect(events.filter(({ type }) => type === 'iteration-started').map(({ iteration }) => iteration)).toEqual([
      1, 2, 3, 4,
    ])
    translator.end('completed')
    const [last] = translator.drain()
    expect(last).toMatchObject({
      type: 'iteration-finished',
      iteration: 4,
      metrics: { 'policy/acc': 0.5, 'training/global_step': 4 },
    })
  })

  it('reports a change of λ once, before the step in which it takes effect', () => {
    const translator = new RunTranslator(identity('alfworld'))
    const changes = [
      { fromStep: 1, live: { lambda: 1, alphaLow: 0.2, alphaHigh: 0.8 } },
      { fromStep: 3, live: { lambda: 0.5, alphaLow: 0.2, alphaHigh: 0.7 } },
    ]
    translator.begin()
    for (const n of [1, 2, 3, 4]) translator.training(step(n), EMPTY, changes)
    const events = translator.drain()
    const change = events.findIndex(({ type }) => type === 'settings-changed')
    expect(events[change]).toMatchObject({ iteration: 3, patch: { lambda: 0.5, alphaHigh: 0.7 } })
    expect(events[change + 1]).toMatchObject({ type: 'iteration-started', iteration: 3 })
    expect(events.filter(({ type }) => type === 'settings-changed')).toHaveLength(1)
  })

  it('cuts long texts and tolerates missing fields', () => {
    const group = alfworldGroup({
      game_id: 'train/look-at-x/t/game.tw-pddl',
      if_success: [1, 0],
      response: [['x'.repeat(500)], null],
      extracted_reward: 'no',
    })
    const translator = new RunTranslator(identity('alfworld'))
    translator.begin()
    translator.training(
      step(1),
      { ...EMPTY, taskIds: [{ rootId: 'x', taskId: 'x', isCandidate: false }], groups: [group!] },
      [],
    )
    const episodes = translator.drain().filter((event) => event.type === 'episode')
    expect(episodes.map(({ outcome, steps }) => [outcome, steps.length])).toEqual([
      [1, 1],
      [-1, 0],
    ])
    expect(episodes[0]?.steps[0]?.response).toHaveLength(100)
    expect([null, 3, [], { game_id: 1 }].map(alfworldGroup)).toEqual([null, null, null, null])
  })
})

describe('coding', () => {
  const item = {
    source: 'dataset',
    slot_id: 7,
    question: 'Add two numbers.\nRead them from one line.',
    full_output: ['long ```python\nprint(1)```', 'b', 'c', 'd'],
    extracted_output: ['print(1)', 'b', 'c', 'd'],
    correctness: [[true, true], [true, false], [false, false], []],
    syn_full_output: ['I think', 'and'],
    syn_input: ['1 2', ''],
    syn_output: ['3', ''],
    syn_correctness: [
      [true, false],
      [true, false],
      [false, false],
      [false, false],
    ],
  }

  it('has programs as episodes, generated tests as votes, and the release’s advantages', () => {
    const translator = new RunTranslator(identity('coding'))
    translator.begin()
    const group = codingGroup(item)!
    const results = line(
      'coding',
      'train step: 1  GT-pass-all acc: 0.250000  avg length: 80.00  syn_ut_acc: 0.500000  perfect_ut_rate: 0.000000  (syn_ut_den_gt=2, syn_ut_den_gt_ngt=2)',
    )
    translator.training(
      results,
      { ...EMPTY, taskIds: [{ rootId: group.rootId, taskId: null, isCandidate: false }], groups: [group] },
      [],
    )
    translator.end('completed')
    const view = new RunView()
    const events = translator.drain()
    for (const event of events) view.apply(event)
    expect(events.filter((event) => event.type === 'episode').map(({ outcome }) => outcome)).toEqual([1, -1, -1, -1])
    const written = view.testsFor(1, 'problem-7')
    expect(written?.written.tests.map(({ test }) => test)).toEqual([{ input: '1 2', output: '3' }, null])
    expect(written?.written.results.map((row) => row.map((result) => result?.passed ?? null))).toEqual([
      [true, null],
      [true, null],
      [false, null],
      [false, null],
    ])
    // The first test passes the correct program and two of three wrong ones fail it: +2; the unreadable one is 0.
    expect(written?.feedback).toEqual([2, 0])
    // The ratios of passed ground-truth tests, 1, .5, 0 and 0, standardised.
    const policy = [...view.episodes.values()].map(({ policyAdvantages }) => policyAdvantages![0]!)
    expect(policy.map((value) => Number(value.toFixed(4)))).toEqual([1.5076, 0.3015, -0.9045, -0.9045])
    expect(view.series('reward/ut').values).toEqual([0.5])
    expect(view.series('reward/detect_tests').values).toEqual([2])
  })

  it('follows a problem through its versions, although the dump of rollouts does not name them', () => {
    const translator = new RunTranslator(identity('coding'))
    translator.begin()
    const results = (n: number) =>
      line(
        'coding',
        `train step: ${n}  GT-pass-all acc: 0.250000  avg length: 80.00  syn_ut_acc: 0.5  perfect_ut_rate: 0.0`,
      )
    translator.training(results(1), EMPTY, [])
    const temp = codingGroup({
      ...item,
      source: 'temp',
      goal: 'harder',
      prev_acc: 1,
      created_step: 1,
      temp_accept: true,
    })!
    translator.training(results(2), { ...EMPTY, taskIds: [{ ...temp, isCandidate: true }], resolved: [temp] }, [])
    translator.training(
      results(3),
      { ...EMPTY, taskIds: [{ rootId: 'problem-7', taskId: null, isCandidate: false }] },
      [],
    )
    const events = translator.drain()
    expect(events.find((event) => event.type === 'rewrite-proposed')).toMatchObject({
      taskId: 'problem-7',
      accuracy: 1,
      policyVersion: 0,
    })
    expect(events.find((event) => event.type === 'rewrite-resolved')).toMatchObject({
      candidateId: 'problem-7@1',
      accuracyAfter: 0.25,
      accepted: true,
      rule: "α_low ≤ acc(q') < acc(q): 0.2 ≤ 0.25 < 1",
    })
    expect(events.findLast((event) => event.type === 'iteration-started')).toMatchObject({ taskIds: ['problem-7@1'] })
  })
})

describe('OSWorld', () => {
  it('has runs as episodes, votes from the judges’ dump, accuracies by domain, and rewrites from its files', () => {
    const votes: OsworldVotes = new Map()
    osworldVotesInto(votes, {
      domain: 'gimp',
      example: 'abc',
      trajctory_list: [{ run_id: 0, extracted_reward: [[1, 1, -1]], response: [['yes', 'yes', 'no']] }],
    })
    const group = osworldGroup(
      {
        domain: 'gimp',
        example: 'abc',
        trajctory_list: [
          { run_id: 0, result: 0.4, response: ['Action: Click it.\n<tool_call>'] },
          { run_id: 1, result: null, response: ['x'] },
        ],
      },
      votes,
      () => ({ isActive: true, instruction: 'Make it brighter.', candidate: null }),
    )!
    expect(group.episodes.map(({ outcome, steps }) => [outcome, steps[0]?.command, steps[0]?.votes.length])).toEqual([
      [1, 'Click it.', 3],
      [-1, '', 0],
    ])
    const translator = new RunTranslator(identity('osworld'))
    translator.begin()
    const results = line('osworld', '[TRAIN 1] gimp:0.5000 os:0.2500 ALL:0.3750')
    translator.training(
      results,
      { ...EMPTY, groups: [group], taskIds: [{ rootId: 'gimp/abc', taskId: null, isCandidate: false }] },
      [],
    )
    const proposal = osworldProposal(
      'gimp',
      'abc',
      { pre_acc: 0.9, difficulty: 'harder', current_task: { check: 'Make it darker.' } },
      1,
    )!
    translator.propose([proposal])
    translator.propose([proposal])
    translator.training(line('osworld', '[TRAIN 2] gimp:0.5 ALL:0.5'), EMPTY, [])
    translator.evaluation(line('osworld', '[EVAL 2] gimp:0.6000 ALL:0.6000'), 8)
    translator.end('completed')
    const view = new RunView()
    for (const event of translator.drain()) view.apply(event)
    expect(view.series('policy/acc/gimp').values).toEqual([0.5, 0.5])
    expect(view.series('policy/acc/os')).toEqual({ iterations: [1], values: [0.25] })
    expect(view.series('eval/id/acc/gimp')).toEqual({ iterations: [2], values: [0.6] })
    const rewrites = [...view.rewrites.values()]
    expect(rewrites).toHaveLength(1)
    expect(rewrites[0]?.proposal).toMatchObject({
      taskId: 'gimp/abc',
      direction: 'harder',
      accuracy: 0.9,
      candidate: { id: 'gimp/abc@1', instruction: 'Make it darker.' },
    })
  })
})
