import { describe, expect, it } from 'vitest'
import type { LivePatch } from '../../../../src/method/settings.ts'
import { observe } from '../../../../src/playground/views/learn/lesson.ts'
import type { RunView } from '../../../../src/runs/fold.ts'
import { recordedHousehold } from '../../recorded-household.ts'
import { lesson, play, type Play } from './played.ts'

/** The part of a run that checks of regions read: series and held-out evaluations, each split with `acc[i]`. */
function regionRun(
  series: Record<string, number[]>,
  {
    acc = [0.4, 0.4, 0.4],
    policyUpdate = true,
    rewardUpdate = false,
    serves = 'evaluation' as const,
    splits = ['id', 'ood'],
    changes = [] as { iteration: number; patch: LivePatch }[],
  } = {},
): RunView {
  return {
    started: recordedHousehold().started,
    settingsChanges: changes,
    series: (name: string) => ({ iterations: (series[name] ?? []).map((_, i) => i + 1), values: series[name] ?? [] }),
    evaluations: acc.flatMap((value, i) =>
      splits.flatMap((split) => [
        { iteration: 10 * i, split, acc: value, episodes: 100, serves },
        { iteration: 10 * i, split, acc: 0.1 * i, episodes: 100, serves: 'training' },
      ]),
    ),
    iterations: [
      {
        iteration: 1,
        isFinished: true,
        policyUpdate: policyUpdate ? {} : null,
        rewardUpdate: rewardUpdate ? {} : null,
      },
    ],
  } as unknown as RunView
}

describe('what exercises on regions observe', () => {
  it('votes that rank silent sets, and flips that take it away, but not a coin, a wrong judge or a run without flips', async () => {
    const flips = { iterations: 8, patches: [null, null, null, null, { voteFlips: 0.5 }] }
    const still = { rewardLearningRate: 0, policyLearningRate: 0, groupSize: 8 }
    const observed = async (rest: Play) => observe(lesson('region-help'), await play('region-help', still, rest))
    expect((await observed(flips)).isMade).toBe(true)
    expect((await observed({ ...flips, insight: 0.5 })).isMade).toBe(false)
    expect((await observed({ ...flips, insight: 0.2 })).isMade).toBe(false)
    expect(await observed({ iterations: 8 })).toMatchObject({
      isMade: false,
      evidence: expect.stringContaining('0 at ε ≥ 0.3') as string,
    })
    // Nothing changes between the halves but a patch that is no flip.
    const same = { iterations: 8, patches: [null, null, null, null, { voteFlips: 0.05 }] }
    expect((await observed(same)).isMade).toBe(false)
  })

  it('a policy that pleases a frozen judge, but not one that learns its task, stays as it is, or meets a judge that learns', () => {
    const noise = [0.02, -0.01, 0.01, -0.02, 0.01, 0, -0.01, 0.02, -0.02, 0.01, 0, -0.01]
    const along = (from: number, to: number) => noise.map((value, i) => from + ((to - from) * i) / 11 + value)
    const rising = { 'policy/step_score/mean': along(-0.1, 0.2), 'reward/process_acc': along(0.9, 0.78) }
    const made = (...args: Parameters<typeof regionRun>) => lesson('region-please').observe(regionRun(...args)).isMade
    expect(made(rising)).toBe(true)
    expect(made(rising, { acc: [0.4, 0.3, 0.2] })).toBe(true)
    // Votes rise because the policy solves more.
    expect(made(rising, { acc: [0.4, 0.5, 0.6] })).toBe(false)
    expect(made({ ...rising, 'reward/process_acc': along(0.85, 0.85) })).toBe(false)
    expect(made({ ...rising, 'policy/step_score/mean': along(0, 0) })).toBe(false)
    expect(made({ 'policy/step_score/mean': noise, 'reward/process_acc': noise })).toBe(false)
    expect(made(rising, { acc: [0.4, 0.42, 0.475] })).toBe(false)
    expect(made(rising, { rewardUpdate: true })).toBe(false)
    expect(made(rising, { policyUpdate: false })).toBe(false)
    expect(made(rising, { acc: [0.4, 0.4] })).toBe(false)
    expect(made(rising, { splits: ['id'] })).toBe(false)
    expect(made({ 'policy/step_score/mean': [-0.1, 0, 0.1, 0.2], 'reward/process_acc': [0.9, 0.8, 0.7, 0.6] })).toBe(
      false,
    )
  })

  it('no policy that pleases its judge where a change of settings moves the votes, unless it did so before', () => {
    const [before, after] = [Array<number>(10).fill(-0.2), Array<number>(10).fill(-0.04)]
    const noise = (values: number[]) => values.map((value, i) => value + (i % 2) / 100)
    const flipped = {
      'policy/step_score/mean': noise([...before, ...after]),
      'reward/process_acc': noise([...before.map(() => 0.85), ...after.map(() => 0.57)]),
    }
    const change = (patch: LivePatch, iteration = 11) =>
      lesson('region-please').observe(regionRun(flipped, { changes: [{ iteration, patch }] }))
    for (const patch of [{ voteFlips: 0.4 }, { signal: 'outcome' as const }, { policyTemperature: 0.5 }]) {
      expect(change(patch)).toMatchObject({
        isMade: false,
        evidence: expect.stringContaining('before 11 count') as string,
      })
      expect(change(patch, 21).isMade).toBe(true)
    }
    const { voteFlips } = recordedHousehold().started!.settings
    for (const patch of [{ voteFlips }, { evaluateEvery: 5 }]) expect(change(patch).isMade).toBe(true)
  })

  it('a judge that comes to blame good steps, but not a frozen one, one that gets worse at both, or praises more', () => {
    const made = (good: number[], bad: number[], rewardUpdate = true) =>
      lesson('region-collapse').observe(regionRun({ 'judge/good_acc': good, 'judge/bad_acc': bad }, { rewardUpdate })).isMade // prettier-ignore
    expect(made([0.9, 0.63, 0.45], [0.93, 0.98, 0.99])).toBe(true)
    // It may lose a little on bad steps.
    expect(made([0.9, 0.6, 0.5], [0.9, 0.9, 0.86])).toBe(true)
    expect(made([0.9, 0.63], [0.93, 0.98])).toBe(false)
    expect(made([0.9, 0.9, 0.9], [0.93, 0.93, 0.93])).toBe(false)
    expect(made([0.9, 0.63, 0.45], [0.93, 0.98, 0.99], false)).toBe(false)
    expect(made([0.9, 0.7, 0.5], [0.9, 0.7, 0.5])).toBe(false)
    expect(made([0.5, 0.7, 0.9], [0.9, 0.7, 0.5])).toBe(false)
  })

  it('tests that become false, but not a writer that is frozen or writes truer ones', () => {
    const made = (ut: number[], rewardUpdate = true) =>
      lesson('region-false-tests').observe(regionRun({ 'judge/ut': ut }, { rewardUpdate })).isMade
    expect(made([0.45, 0.4, 0.3])).toBe(true)
    expect(made([0.45, 0.3])).toBe(false)
    expect(made([0.45, 0.45, 0.45])).toBe(false)
    expect(made([0.45, 0.4, 0.3], false)).toBe(false)
    expect(made([0.3, 0.4, 0.45])).toBe(false)
  })

  it('are not made by runs in which nothing learns', async () => {
    const still = { trainPolicy: false, trainReward: false, evaluateEvery: 4, evaluationTasks: 8 }
    for (const id of ['region-please', 'region-collapse'] as const) {
      const view = await play(id, still, { iterations: 12 })
      expect(lesson(id).observe(view).isMade, id).toBe(false)
    }
  })
})
