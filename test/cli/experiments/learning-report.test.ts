import { describe, expect, it } from 'vitest'
import {
  gainLines,
  isReported,
  learningTable,
  learningVerdicts,
  summarise,
} from '../../../src/cli/experiments/learning-report.ts'
import { presetSettings } from '../../../src/method/presets.ts'
import type { EvaluationFinished, LoggedEvent } from '../../../src/method/events.ts'

type Tests = EvaluationFinished['tests']

/** Consecutive evaluations of one split, of ten episodes each. */
function evaluations(
  split: 'id' | 'ood',
  accuracies: readonly number[],
  tests: (index: number) => Tests = () => undefined,
) {
  return accuracies.map((acc, index): LoggedEvent => {
    const measured = tests(index)
    const base = {
      type: 'evaluation',
      split,
      policyVersion: index,
      acc,
      episodes: 10,
      seq: 0,
      iteration: index,
    } as const
    return { ...base, ...(measured && { tests: measured }) }
  })
}

const iteration = (metrics: Record<string, number>, index: number): LoggedEvent => ({
  type: 'iteration-finished',
  metrics,
  seq: 0,
  iteration: index,
})

describe('what runs have learned', () => {
  it('is the first evaluation and the mean of the last three, with the standard errors of their draws', () => {
    const result = summarise(3, evaluations('id', [0.2, 0.9, 0.4, 0.5, 0.6]), [{ iterations: 1, seconds: 1 }])
    const { before, after } = result.metrics['accuracy']!.id
    expect(before).toMatchObject({ value: 0.2, evaluations: 1 })
    expect(before?.standardError).toBeCloseTo(Math.sqrt(0.016), 12)
    expect(after?.value).toBeCloseTo(0.5, 12)
    // By hand: three means of ten draws, then the mean of the three.
    expect(after?.standardError).toBeCloseTo(Math.sqrt(0.024 + 0.025 + 0.024) / 3, 12)
    expect(after?.evaluations).toBe(3)
    expect(result.metrics['accuracy']!.ood).toEqual({ before: null, after: null })
  })

  it('counts iterations, accepted rewrites, and a reward model that scores steps', () => {
    const log = [1, 2, 3, 4, 5, 6].map((index) =>
      iteration({ 'reward/process_acc': index / 10, 'reward/outcome_acc': 0.5, 'env/accepted': 2 }, index),
    )
    const result = summarise(0, log, [{ iterations: 1, seconds: 2.5 }])
    expect(result).toMatchObject({ iterations: 6, accepted: 12, firstIterationSeconds: 2.5 })
    expect(result.reward?.process[0]).toBeCloseTo(0.3, 12)
    expect(result.reward?.process[1]).toBeCloseTo(0.4, 12)
    expect(summarise(0, [iteration({}, 1)], [{ iterations: 1, seconds: 1 }]).reward).toBeNull()
  })

  it('say when an evaluation was first above the interval of the start', () => {
    const progress = [1, 2, 3, 4].map((iterations) => ({ iterations, seconds: 10 * iterations }))
    // Wilson's interval of 2 of 10 ends at 0.51.
    const result = summarise(1, evaluations('id', [0.2, 0.5, 0.52, 0.9]), progress)
    expect(result.gain).toEqual({ iteration: 2, seconds: 20, before: 0.2, after: 0.52 })
    expect(summarise(1, evaluations('ood', [0.2, 0.9]), progress).gain).toBeNull()
    expect(summarise(1, evaluations('id', [0.9]), progress).gain).toBeNull()
    const none = summarise(2, evaluations('id', [0.2, 0.5]), progress)
    expect(gainLines([result, none])).toMatch(/^seed 1: .* after 20 s, at iteration 2 \(20 % to 52 %.*\nseed 2: no /u)
  })

  it('say when the same tasks were first solved more often, of both splits together', () => {
    const started = { type: 'run-started', settings: presetSettings('household') }
    const evaluated = (index: number, won: number) =>
      (['id', 'ood'] as const).flatMap((split) => [
        ...Array.from({ length: 20 }, (_, task) => ({
          ...{ type: 'episode', split, rollout: 0, taskId: `t${task}`, iteration: index },
          outcome: task < won ? 1 : -1,
        })),
        { type: 'evaluation', split, acc: won / 20, episodes: 20, iteration: index, serves: 'evaluation' },
      ])
    const log = [started, ...[8, 9, 12, 16].flatMap((won, index) => evaluated(index, won))] as LoggedEvent[]
    const progress = [1, 2, 3].map((iterations) => ({ iterations, seconds: 10 * iterations }))
    const result = summarise(1, log.filter(isReported), progress)
    expect(result.gain).toMatchObject({ iteration: 3 })
    expect(result.pairedGain).toMatchObject({ iteration: 2, seconds: 20, tasks: 40, gain: 0.2 })
    expect(gainLines([result])).toMatch(
      /better at the same 40 held-out tasks after 20 s, at iteration 2 \(\+20\.0 points/u,
    )
  })

  it('reads evaluations at the evaluation temperature, and the sampled ones of older runs', () => {
    const greedy = evaluations('id', [0.5, 0.75]).map((event) => ({
      ...event,
      temperature: 0,
      serves: 'evaluation' as const,
    }))
    const sampled = evaluations('id', [0.25, 0.25])
    const of = (events: readonly LoggedEvent[]) =>
      summarise(0, events, [{ iterations: 1, seconds: 1 }]).metrics['accuracy']!.id
    expect(of([...sampled, ...greedy])).toMatchObject({
      before: { value: 0.5 },
      after: { value: 0.75, evaluations: 1 },
    })
    expect(of(sampled)).toMatchObject({ before: { value: 0.25 }, after: { value: 0.25 } })
  })

  it('has the reward model on fixed trajectories, before and after', () => {
    const judged = [1, 2, 3, 3, 4].map((utTrue, index): LoggedEvent => ({
      ...{ type: 'judge-evaluation', rewardVersion: index, evaluationsPerStep: 4, temperature: 1, tasks: 1 },
      tests: [{ split: 'id', utTests: 4, utTrue, detectTests: 0, detecting: 0 }],
      ...{ seq: index, iteration: index },
    }))
    expect(summarise(0, judged, [{ iterations: 1, seconds: 1 }]).judge).toEqual({ 'judge/ut': [0.25, 10 / 12] })
    expect(summarise(0, [], [{ iterations: 1, seconds: 1 }]).judge).toEqual({})
  })

  it('has Code, UT and Detect for programs and tests, and omits what no task could measure', () => {
    const known = (share: number): Tests => ({ ut: share, utTests: 100, detect: share / 2, detectTests: 50 })
    const unknown: Tests = { ut: null, utTests: 0, detect: null, detectTests: 0 }
    const log = [
      ...evaluations('id', [0.1, 0.2], (index) => known(index === 0 ? 0.5 : 0.8)),
      ...evaluations('ood', [0.1, 0.1, 0.05], (index) => (index === 1 ? known(0.5) : unknown)),
    ]
    const results = [
      summarise(0, log, [{ iterations: 1, seconds: 1 }]),
      summarise(1, log.slice(0, 1), [{ iterations: 1, seconds: 1 }]),
    ]
    expect(Object.keys(results[0]!.metrics)).toEqual(['Code', 'UT', 'Detect'])
    expect(results[0]!.metrics['UT']!.ood).toMatchObject({ before: null, after: { value: 0.5, evaluations: 1 } })

    const rows = learningTable(results).trimEnd().split('\n')
    expect(rows[0]!.split(/ {2,}/)).toEqual([
      ...['seed', 'iterations', 'metric', 'split', 'before', 'after', 'evaluations', 'points'],
    ])
    expect(rows).toHaveLength(1 + 2 * 3 * 2)
    expect(rows[1]!.split(/ {2,}/)).toEqual(['0', '0', 'Code', 'id', '0.100 ± 0.095', '0.200 ± 0.126', '1', '+10.0'])
    expect(rows[4]!.split(/ {2,}/)).toEqual(['0', '0', 'UT', 'ood', '–', '0.500 ± 0.050', '1', '–'])

    const verdicts = learningVerdicts(results).trimEnd().split('\n')
    expect(verdicts).toEqual([
      'Code id: 1 of 1 seeds rose, 0 by more than two standard errors (+10.0 points). Of 1 it is not known.',
      'Code ood: 0 of 1 seeds rose, 0 by more than two standard errors (-2.5 points). Of 1 it is not known.',
      'UT id: 1 of 1 seeds rose, 1 by more than two standard errors (+30.0 points). Of 1 it is not known.',
      'UT ood: nothing was measured both before and after.',
      'Detect id: 1 of 1 seeds rose, 0 by more than two standard errors (+15.0 points). Of 1 it is not known.',
      'Detect ood: nothing was measured both before and after.',
    ])
  })
})
