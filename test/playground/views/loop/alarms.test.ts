import { describe, expect, it } from 'vitest'
import type { Series, TaskView } from '../../../../src/runs/fold.ts'
import { parseSettings } from '../../../../src/method/presets.ts'
import { DEFAULTS, type Settings } from '../../../../src/method/settings.ts'
import { ALARMS, alarmsOf, type AlarmId, type AlarmSource } from '../../../../src/playground/views/loop/alarms.ts'
import { wordDistance } from '../../../../src/playground/run/word-distance.ts'
import { taskDrift } from '../../../../src/playground/run/task-drift.ts'
import { isRecording, RECORDINGS } from '../../../../src/playground/state/recordings.ts'
import { RECORDED_ALARMS } from '../../../../src/playground/views/loop/recorded-alarms.ts'
import { recordedHousehold, recordedRun } from '../../recorded-household.ts'

/** A run of made-up metrics; held-out tasks are evaluated every ten iterations. */
function run(metrics: Record<string, number[]>, tasks = new Map<string, TaskView>()): AlarmSource {
  const series = (name: string): Series => {
    const values = metrics[name] ?? []
    return { iterations: values.map((_, i) => (name.startsWith('eval/') ? 10 * i : i + 1)), values }
  }
  return { series, tasks, settings: DEFAULTS }
}
const stateOf = (id: AlarmId, metrics: Record<string, number[]>, tasks?: Map<string, TaskView>) =>
  alarmsOf(run(metrics, tasks)).find((alarm) => alarm.id === id)!.state
const times = (count: number, value: number) => Array.from({ length: count }, () => value)

function pool(kinds: readonly [kind: string, rewrittenAs: string | null][]): Map<string, TaskView> {
  const tasks = new Map<string, TaskView>()
  kinds.forEach(([kind, rewrittenAs], i) => {
    const view = (id: string, of: string, status: TaskView['status'], origin: TaskView['origin']): TaskView => ({
      task: { id, rootId: `t${i}`, instruction: `put a ${of} thing on the shelf`, kind: of, body: null },
      history: [],
      rewrites: [],
      origin,
      status,
    })
    tasks.set(`t${i}`, view(`t${i}`, kind, rewrittenAs === null ? 'active' : 'replaced', null))
    if (rewrittenAs !== null) tasks.set(`t${i}~1`, view(`t${i}~1`, rewrittenAs, 'active', {} as TaskView['origin']))
  })
  return tasks
}

interface Case {
  fires: Record<string, number[]>
  quiet: Record<string, number[]>[]
}

const CASES: Partial<Record<AlarmId, Case>> = {
  'reward-collapse': {
    fires: { 'policy/step_score/mean': [0.2, -0.95, -0.98, -1] },
    quiet: [{ 'policy/step_score/mean': [-0.95, -0.98, -0.6] }, { 'policy/step_score/mean': [0.95, -0.95, 0.95] }],
  },
  'reward-hacking': {
    fires: {
      'policy/step_score/mean': [...times(5, 0.1), ...times(5, 0.4)],
      'policy/outcome/mean': [...times(5, 0.3), ...times(5, -0.1)],
    },
    quiet: [
      {
        'policy/step_score/mean': [...times(5, 0.1), ...times(5, 0.4)],
        'policy/outcome/mean': [...times(5, 0.1), ...times(5, 0.4)],
      },
      {
        'policy/step_score/mean': [...times(5, 0.4), ...times(5, 0.1)],
        'policy/outcome/mean': [...times(5, 0.3), ...times(5, -0.1)],
      },
    ],
  },
  'entropy-collapse': {
    fires: { 'policy/entropy': [1, 1.1, 0.9, 0.5, 0.15, 0.1, 0.1] },
    quiet: [{ 'policy/entropy': [1, 1.1, 0.9, 0.5, 0.4, 0.4, 0.3] }],
  },
  'kl-blow-up': {
    fires: { 'policy/ppo_kl': times(3, 0.001), 'reward/ppo_kl': [0.001, 0.2, -0.3, 0.4] },
    quiet: [{ 'policy/ppo_kl': times(5, 0.01), 'reward/ppo_kl': [0.2, 0.01, 0.01, 0.01] }],
  },
  unparsable: {
    fires: { 'reward/parse_fail_rate': [0, 0.1, 0.2, 0.15] },
    quiet: [{ 'reward/parse_fail_rate': [0.5, 0.02, 0.03, 0] }],
  },
  'no-acceptance': {
    fires: { 'env/proposed': times(10, 1), 'env/accepted': times(10, 0) },
    quiet: [{ 'env/proposed': times(10, 1), 'env/accepted': [...times(9, 0), 1] }],
  },
  'no-spread': {
    fires: { 'policy/frac_reward_zero_std': [0.85, 0.9, 1] },
    quiet: [{ 'policy/frac_reward_zero_std': [0.9, 0.5, 0.6] }],
  },
}

describe('alarms', () => {
  it.each(Object.entries(CASES) as [AlarmId, Case][])(
    '%s fires by its rule and not without it',
    (id, { fires, quiet }) => {
      expect(stateOf(id, fires)).toBe('fired')
      for (const metrics of quiet) expect(stateOf(id, metrics)).toBe('quiet')
      // Nothing else is said of a run that has only this fault.
      expect(alarmsOf(run(fires)).filter(({ state }) => state === 'fired').map((alarm) => alarm.id)).toEqual([id]) // prettier-ignore
    },
  )

  it('wait for candidates to be measured, which is an iteration after they are written', () => {
    expect(stateOf('no-acceptance', { 'env/proposed': [9], 'env/accepted': [0] })).toBe('waiting')
    expect(stateOf('no-acceptance', { 'env/proposed': [9, 3], 'env/accepted': [0, 0] })).toBe('fired')
    expect(stateOf('no-acceptance', { 'env/proposed': [9, 3], 'env/accepted': [0, 1] })).toBe('quiet')
  })

  it('fire for a changed mix of kinds, and not for rewrites within a kind', () => {
    const moved = pool([['pick', 'heat'], ['pick', 'heat'], ['pick', null], ['heat', null]]) // prettier-ignore
    expect(taskDrift(moved)).toMatchObject({ active: 4, rewritten: 2, mix: 0.5 })
    expect(stateOf('task-drift', {}, moved)).toBe('fired')
    expect(stateOf('task-drift', {}, pool([['pick', 'pick'], ['pick', null], ['heat', null]]))).toBe('quiet') // prettier-ignore
    expect(stateOf('task-drift', {}, pool([['pick', null]]))).toBe('waiting')
  })

  it('name the filter where it keeps groups from the policy, and offer to open it', () => {
    const metrics = { 'policy/frac_reward_zero_std': [0.85, 0.9, 1], 'policy/frac_untrained_groups': [0.5, 0.75, 1] }
    const noSpread = (settings: Partial<Settings>) =>
      alarmsOf({ ...run(metrics), settings: { ...DEFAULTS, ...settings } }).find(({ id }) => id === 'no-spread')!
    expect(noSpread({}).evidence).toMatch(/dropped by the filter: 50 %, 75 %, 100 %$/u)
    expect(noSpread({ policyAccuracyLow: 1 / 8 }).lever.change).toEqual({ policyAccuracyLow: 0, policyAccuracyHigh: 1 })
    // Without votes, an open filter would let in groups that still have no spread.
    expect(noSpread({ policyAccuracyLow: 1 / 8, signal: 'outcome' }).lever.change).toMatchObject({
      signal: 'integrated',
    })
  })

  it('offer against hacking only what reaches the policy: λ where it weighs votes, else the outcome', () => {
    const offered = (settings: Partial<Settings>) =>
      alarmsOf({ ...run({}), settings: { ...DEFAULTS, ...settings } }).find(({ id }) => id === 'reward-hacking')!.lever
        .change
    expect(offered({ signal: 'integrated', lambda: 4 })).toEqual({ lambda: 2 })
    expect(offered({ signal: 'step' })).toEqual({ signal: 'integrated' })
    expect(offered({ signal: 'outcome' })).toBeNull()
    expect(offered({ signal: 'integrated', lambda: 0 })).toBeNull()
  })

  it('wait for more iterations and say so', () => {
    for (const alarm of alarmsOf(run({ 'policy/step_score/mean': [-1, -1] }))) {
      expect(alarm.state, alarm.id).toBe('waiting')
      expect(alarm.evidence.length).toBeGreaterThan(10)
    }
    expect(alarmsOf({ ...run({}), settings: null }).every(({ state }) => state === 'waiting')).toBe(true)
  })

  it('do not fire on the recorded run, which went well', () => {
    const alarms = alarmsOf(recordedHousehold())
    expect(alarms.map(({ id }) => id)).toEqual([...ALARMS])
    expect(alarms.filter(({ state }) => state === 'fired')).toEqual([])
    expect(alarms.filter(({ state }) => state === 'quiet').length).toBe(ALARMS.length)
  })

  it('change only settings', () => {
    for (const { lever } of alarmsOf(run({}))) expect(() => parseSettings({ ...lever.change })).not.toThrow()
  })
})

describe('the distance of words', () => {
  it('is 0 for the same words in any order, 1 for none in common', () => {
    expect(wordDistance('put a mug on the desk', 'the desk: put a mug on')).toBe(0)
    expect(wordDistance('clean mug', 'heat apple')).toBe(1)
    expect(wordDistance('put mug', 'put plate')).toBeCloseTo(2 / 3)
  })
})

describe('the alarm about votes that rise while held-out accuracy falls', () => {
  const votes = { 'policy/step_score/mean': [...times(10, 0.1), ...times(10, 0.5)] }
  const evaluated = (id: number[], ood: number[]) => ({ ...votes, 'eval/id/acc': id, 'eval/ood/acc': ood })
  const stateWith = (metrics: Record<string, number[]>, evaluationTasks: number) =>
    alarmsOf({ ...run(metrics), settings: { ...DEFAULTS, evaluationTasks } }).find(({ id }) => id === 'reward-hacking')!
      .state

  it('fires for a fall beyond chance in both splits alone', () => {
    expect(stateWith(evaluated([0.4, 0.6, 0.4], [0.4, 0.6, 0.4]), 200)).toBe('fired')
    expect(stateWith(evaluated([0.4, 0.6, 0.4], [0.4, 0.6, 0.55]), 200)).not.toBe('fired')
    // With few tasks the same fall can be chance.
    expect(stateWith(evaluated([0.4, 0.6, 0.4], [0.4, 0.6, 0.4]), 20)).not.toBe('fired')
    expect(stateWith(evaluated([0.4, 0.5, 0.6], [0.4, 0.5, 0.6]), 200)).not.toBe('fired')
    const level = { ...evaluated([0.4, 0.6, 0.4], [0.4, 0.6, 0.4]), 'policy/step_score/mean': times(20, 0.3) }
    expect(stateWith(level, 200)).not.toBe('fired')
  })

  it('fires in the recorded run with λ = 5 from iteration 30 on, and not in the usual one', () => {
    const view = recordedRun(RECORDINGS.pleased)
    const isFired = (iteration: number) =>
      alarmsOf(view.at(iteration)).some(({ id, state }) => id === 'reward-hacking' && state === 'fired')
    expect(Array.from({ length: 40 }, (_, i) => i + 1).filter(isFired)).toEqual(
      Array.from({ length: 11 }, (_, i) => 30 + i),
    )
    expect(alarmsOf(recordedHousehold()).filter(({ state }) => state === 'fired')).toEqual([])
  })
})

describe('an alarm that waits', () => {
  it('counts what there is, also a single one', () => {
    const one = run({
      'policy/step_score/mean': [0.1],
      'policy/outcome/mean': [0.1],
      'policy/entropy': [1],
      'env/proposed': [1, 0],
      'env/accepted': [0, 0],
    })
    const evidence = alarmsOf(one).map(({ evidence }) => evidence)
    expect(evidence.filter((text) => text.includes('there is 1.'))).toHaveLength(4)
    expect(evidence.filter((text) => text.includes('there are 1.'))).toEqual([])
  })
})

describe('the recorded run of each alarm', () => {
  it.each(ALARMS)('%s fires at its end', (id) => {
    const { run: name } = RECORDED_ALARMS[id]
    expect(isRecording(name)).toBe(true)
    expect(
      alarmsOf(recordedRun(name))
        .filter(({ state }) => state === 'fired')
        .map((alarm) => alarm.id),
    ).toContain(id)
  })

  it('has an identity of its own', () => {
    const ids = ALARMS.map((id) => recordedRun(RECORDED_ALARMS[id].run).started!.runId)
    expect(new Set(ids).size).toBe(ALARMS.length)
  })
})
