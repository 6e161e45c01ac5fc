import { describe, expect, it } from 'vitest'
import { choiceLine, RunReport } from '../../../src/cli/loop/report.ts'
import type { RunEvent } from '../../../src/method/events.ts'

const episode: RunEvent = {
  type: 'episode',
  episodeId: 'e0/ood/0',
  taskId: 't',
  split: 'ood',
  rollout: 0,
  policyVersion: 0,
  instruction: '',
  opening: '',
  steps: [],
  outcome: -1,
  seq: 1,
  iteration: 0,
}

const evaluation = { type: 'evaluation', policyVersion: 0, episodes: 8, iteration: 0 } as const

const events: RunEvent[] = [
  { ...evaluation, split: 'id', acc: 0.5, temperature: 1, serves: 'training', seq: 0 },
  { ...evaluation, split: 'id', acc: 0.25, temperature: 0, serves: 'evaluation', seq: 0 },
  episode,
  { ...evaluation, split: 'ood', acc: 0.125, temperature: 0, serves: 'both', seq: 2 },
  {
    ...{ type: 'judge-evaluation', rewardVersion: 0, evaluationsPerStep: 3, temperature: 1, tasks: 1 },
    votes: [
      {
        ...{ split: 'id', strength: 'weak', goodVotes: 6, goodRight: 3, badVotes: 4, badRight: 3 },
        ...{ outcomeVotesRight: 5, trajectories: 4, outcomesRight: 3 },
      },
    ],
    ...{ seq: 2, iteration: 0 },
  },
  { type: 'iteration-started', taskIds: [], pendingTaskIds: [], seq: 2, iteration: 1 },
  { type: 'progress', phase: 'rollout', done: 4, total: 8, iteration: 1 },
  { type: 'timings', metrics: { 'timing_s/step': 2.5 }, iteration: 1 },
  {
    type: 'iteration-finished',
    metrics: { 'training/global_step': 1, 'policy/acc': 0.5, 'policy/odd': Infinity },
    seq: 3,
    iteration: 1,
  },
  { type: 'run-finished', reason: 'completed', seq: 4, iteration: 1 },
]

function show(isJson: boolean, isTTY: boolean, taken: readonly RunEvent[] = events) {
  const output = { stdout: '', stderr: '' }
  const report = new RunReport({
    isJson,
    iterations: 1,
    stdout: { write: (text) => (output.stdout += text) },
    stderr: { write: (text) => (output.stderr += text), isTTY },
  })
  for (const event of taken) report.take(event)
  return output
}

describe('the report of a run', () => {
  it('is only JSON lines of finite numbers: evaluations, and metrics with their timings', () => {
    const { stdout, stderr } = show(true, false)
    expect(
      stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as unknown),
    ).toEqual([
      {
        'training/global_step': 0,
        ...{ 'eval/id/acc': 0.25, 'eval/id/acc_sampled': 0.5, 'eval/ood/acc': 0.125, 'eval/ood/acc_sampled': 0.125 },
        ...{ 'judge/process_acc': 0.6, 'judge/good_acc': 0.5, 'judge/bad_acc': 0.75, 'judge/balanced_acc': 0.625 },
        ...{ 'judge/outcome_step_acc': 0.5, 'judge/outcome_acc': 0.75 },
      },
      { 'training/global_step': 1, 'policy/acc': 0.5, 'timing_s/step': 2.5 },
    ])
    expect(stderr).toBe('')
  })

  it('is one line of text for each iteration', () => {
    expect(show(false, false).stdout).toBe(
      'evaluation after 0: id acc 0.250 (sampled acc 0.500), ood acc 0.125, judge balanced 0.625, process 0.600, good steps 0.500, outcome 0.750\n' +
        'iteration 1: acc 0.500, s 2.5\n',
    )
  })

  it('reports the quality of programs and tests, and which values are unknown, also of older runs', () => {
    const rest = { type: 'evaluation', policyVersion: 1, episodes: 8, iteration: 3 } as const
    const measured = { ut: 0.5, utTests: 12, detect: 0.25, detectTests: 8 }
    const evaluations: RunEvent[] = [
      { ...rest, split: 'id', acc: 0.375, tests: measured, seq: 0 },
      {
        ...{
          type: 'tests-written',
          taskId: 't',
          split: 'ood',
          rewardVersion: 1,
          tests: [],
          episodeIds: [],
          results: [],
        },
        ...{ seq: 1, iteration: 3 },
      },
      { ...rest, split: 'ood', acc: 0, tests: { ut: null, utTests: 0, detect: null, detectTests: 0 }, seq: 1 },
      {
        type: 'iteration-finished',
        metrics: { 'policy/acc': 0.5, 'reward/ut': 0.625, 'reward/detect': 0.25, 'reward/parse_fail_rate': 0 },
        seq: 2,
        iteration: 4,
      },
      { type: 'run-finished', reason: 'completed', seq: 3, iteration: 4 },
    ]
    expect(show(false, false, evaluations).stdout).toBe(
      'evaluation after 3: id Code 0.375 UT 0.500 Detect 0.250, ood Code 0.000 UT unknown Detect unknown\n' +
        'iteration 4: acc 0.500, UT 0.625, Detect 0.250, parse fails 0.000\n',
    )
    expect(JSON.parse(show(true, false, evaluations).stdout.split('\n')[0]!)).toEqual({
      'training/global_step': 3,
      'eval/id/acc_sampled': 0.375,
      'eval/id/ut_sampled': 0.5,
      'eval/id/detect_sampled': 0.25,
      'eval/ood/acc_sampled': 0,
    })
  })

  it('shows a progress bar only in a terminal, and clears it', () => {
    const { stderr } = show(false, true)
    expect(stderr).toMatch(/iteration 1\/1 █{12}░{12} rollout 4\/8/)
    expect(stderr.endsWith('\u001B[2K')).toBe(true)
  })
})

describe('the line on the selected backend', () => {
  it('gives the reason, and the speeds if they were measured', () => {
    const obstacle = 'WebGPU offers no graphics adapter here.'
    expect(choiceLine({ backend: 'cpu', why: obstacle, tokensPerSecond: {} })).toBe(
      'Backend: cpu, because WebGPU offers no graphics adapter here.',
    )
    const why = 'Measured here, WebGPU is the faster one for this model.'
    expect(choiceLine({ backend: 'webgpu', why, tokensPerSecond: { cpu: 5123.4, webgpu: 20_000 } })).toBe(
      'Backend: webgpu, because measured here, WebGPU is the faster one for this model. In tokens/s: cpu 5,123, webgpu 20,000.',
    )
  })
})
