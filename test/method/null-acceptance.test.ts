import { describe, expect, it } from 'vitest'
import { isAccepted } from '../../src/method/adaptation.ts'
import { nullAcceptance, poolPrior, type NullMeasurement } from '../../src/method/null-acceptance.ts'
import { uniformStream } from '../../src/method/random.ts'
import { logOf, ofType, request, smallSettings, world } from './corridor.ts'

const band = { profile: 'paper', alphaLow: 0.2, alphaHigh: 0.8 } as const
const always: NullMeasurement = { direction: 'harder', accuracy: 1, rollouts: 8, rolloutsAfter: 8, remeasures: false }
const uniform = { a: 1, b: 1 }

/** Plays tasks until enough have the measured accuracy, and counts how many the rule accepts unchanged. */
function played(
  { direction, accuracy, rollouts, rolloutsAfter, remeasures }: NullMeasurement,
  truth: (random: () => number) => number,
): { share: number; error: number } {
  const random = uniformStream(11)
  const measure = (p: number, n: number) => {
    let solved = 0
    for (let i = 0; i < n; i++) if (random() < p) solved++
    return solved / n
  }
  let measured = 0
  let accepted = 0
  while (measured < 6000) {
    const p = truth(random)
    if (measure(p, rollouts) !== accuracy) continue
    measured++
    const before = remeasures ? measure(p, rolloutsAfter) : accuracy
    if (isAccepted(direction, before, measure(p, rolloutsAfter), band)) accepted++
  }
  const share = accepted / measured
  return { share, error: Math.sqrt((share * (1 - share)) / measured) }
}

describe('the acceptance of rewrites that change nothing', () => {
  it('is 8/17 for a task solved eight times of eight, if all accuracies are equally likely', () => {
    // P(8 again) = 9/17; with 0 or 1 successes, which are rarer than 1 in 700, the task is too hard.
    const share = nullAcceptance(always, uniform, band)
    expect(share).toBeLessThan(8 / 17)
    expect(share).toBeGreaterThan(8 / 17 - 0.002)
    const never: NullMeasurement = { ...always, direction: 'easier', accuracy: 0 }
    expect(nullAcceptance(never, uniform, { ...band, alphaHigh: 1 })).toBeCloseTo(8 / 17, 4)
  })

  it.each<[string, Partial<NullMeasurement>, typeof uniform, (random: () => number) => number]>([
    ['all accuracies equally likely', {}, uniform, (random) => random()],
    ['a task nearly unsolved', { direction: 'easier', accuracy: 1 / 8 }, uniform, (random) => random()],
    ['most tasks hopeless or trivial', {}, { a: 0.5, b: 0.5 }, (random) => Math.sin((Math.PI * random()) / 2) ** 2],
    ['q measured again', { remeasures: true }, uniform, (random) => random()],
    ['q measured again, by other counts', { direction: 'easier', accuracy: 0, rolloutsAfter: 5, remeasures: true }, uniform, (random) => random()],
  ])('equals what playing gives: %s', (_, change, prior, truth) => {
    const measurement = { ...always, ...change }
    const { share, error } = played(measurement, truth)
    expect(Math.abs(nullAcceptance(measurement, prior, band) - share)).toBeLessThan(4 * error)
  }) // prettier-ignore

  it('is smaller where the pool is hopeless or trivial, and where q is measured again', () => {
    const extreme = nullAcceptance(always, { a: 0.1, b: 0.1 }, band)
    expect(extreme).toBeLessThan(nullAcceptance(always, uniform, band) / 2)
    expect(nullAcceptance({ ...always, remeasures: true }, uniform, band)).toBeLessThan(
      nullAcceptance(always, uniform, band),
    )
  })
})

describe('the prior of a pool', () => {
  it('finds the spread of true accuracies behind that of measured ones', () => {
    const random = uniformStream(5)
    const measured = (truth: () => number) =>
      Array.from({ length: 4000 }, () => {
        const p = truth()
        return Array.from({ length: 8 }, () => (random() < p ? 1 : 0)).filter(Boolean).length / 8
      })
    const flat = poolPrior(measured(random), 8)
    expect(flat.a).toBeCloseTo(1, 0)
    expect(flat.b).toBeCloseTo(1, 0)
    const arcsine = poolPrior(measured(() => Math.sin((Math.PI * random()) / 2) ** 2), 8) // prettier-ignore
    expect(Math.abs(arcsine.a - 0.5)).toBeLessThan(0.1)
    // One accuracy for all tasks: measurements vary by chance alone.
    const { a, b } = poolPrior(measured(() => 0.7), 8) // prettier-ignore
    expect(a / (a + b)).toBeCloseTo(0.7, 1)
    expect(a + b).toBeGreaterThan(20)
  })

  it('is uniform for a few tasks, and finite for a pool that nobody or everybody solves', () => {
    expect(poolPrior([1, 0, 1, 0], 8)).toEqual(uniform)
    for (const accuracy of [0, 1]) {
      const share = nullAcceptance(always, poolPrior(Array.from({ length: 20 }, () => accuracy), 8), band) // prettier-ignore
      expect(share).toBeGreaterThanOrEqual(0)
      expect(share).toBeLessThan(0.6)
    }
  })
})

describe('a run of null rewrites', () => {
  const settings = smallSettings({
    rewrites: 'null',
    groupSize: 8,
    evaluationsPerStep: 1,
    taskPoolSize: 24,
    tasksPerIteration: 12,
    evaluateEvery: 0,
    policyLearningRate: 0,
    rewardLearningRate: 0,
    signal: 'outcome',
  })
  const lengths = [1, 2, 3, 4, 5, 6, 7]

  it('asks no author, and measures unchanged tasks under new ids', async () => {
    const ports = world({ lengths })
    const log = await logOf(ports, request(settings, { iterations: 3 }))
    expect(ports.author.generateCalls).toBe(0)
    const proposals = ofType(log, 'rewrite-proposed')
    const bodies = new Map(ofType(log, 'task-added').map(({ task }) => [task.id, task.body]))
    expect(proposals.length).toBeGreaterThan(4)
    for (const { candidate, taskId } of proposals) {
      expect(candidate!.id).not.toBe(taskId)
      expect(candidate!.body).toEqual(bodies.get(candidate!.rootId))
    }
  })

  it.each([false, true])('is accepted as often as estimated (q measured again: %s)', async (remeasure) => {
    const log = await logOf(world({ lengths }), request({ ...settings, remeasure }, { iterations: 30 }))
    const resolved = ofType(log, 'rewrite-resolved')
    const finished = ofType(log, 'iteration-finished')
    const accepted = resolved.filter((event) => event.accepted).length / resolved.length
    const [{ metrics: first }, { metrics }] = [finished[0]!, finished.at(-1)!]
    // Nothing has been measured yet, which is not the same as nothing accepted.
    expect(Object.keys(first).filter((name) => name.endsWith('accept_rate'))).toEqual([])
    expect(metrics['env/accept_rate']).toBeCloseTo(accepted, 12)
    expect(resolved.length).toBeGreaterThan(200)
    expect(accepted).toBeGreaterThan(0.05)
    // The corridor's seven lengths are no Beta distribution, so beyond chance some error of the assumption remains.
    expect(Math.abs(metrics['env/null_accept_rate']! - accepted)).toBeLessThan(0.1)
  })
})
