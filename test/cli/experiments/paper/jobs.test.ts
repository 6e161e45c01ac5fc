import { describe, expect, it } from 'vitest'
import { evaluationInterval, FULL } from '../../../../src/cli/experiments/paper/budget.ts'
import { actsIn, costOf, jobOf, jobsOf, type JobOptions } from '../../../../src/cli/experiments/paper/jobs.ts'
import { withOverrides } from '../../../../src/cli/experiments/paper/plan.ts'
import { SettingsError } from '../../../../src/method/settings.ts'
import { planTable } from '../../../../src/cli/experiments/paper/tables.ts'

const OPTIONS: JobOptions = {
  starts: { weak: 'models/weak', shipped: null },
  backend: 'cpu',
  models: { 'household-policy': 'a', 'coding-policy': 'b', 'models/weak': 'c' },
}
const household = planTable('household', FULL, [])

describe('the runs of the tables', () => {
  it('are shared between tables, and each comes once', () => {
    const alone = jobsOf([household], OPTIONS)
    expect(alone).toHaveLength(4 * FULL.seeds.length)
    // λ = 1 is the full loop, as it is in Table 1.
    const lambda = planTable('lambda', FULL, [])
    const both = jobsOf([household, lambda], OPTIONS)
    expect(both).toHaveLength(alone.length + (FULL.lambdas.length - 1) * FULL.sweepSeeds.length)
    expect(new Set(both.map(({ key }) => key)).size).toBe(both.length)
  })

  it('have the names of their settings, models and size', () => {
    const arm = household.arms[0]!
    const key = (options: Partial<JobOptions> = {}, iterations = arm.iterations) =>
      jobOf(household, { ...arm, iterations }, 0, { ...OPTIONS, ...options }).key
    expect(key()).toMatch(/^household-grpo-s0-[0-9a-f]{12}$/)
    expect(key()).toBe(key())
    const slower = withOverrides(household, { policyLearningRate: 1e-3 })
    expect(jobOf(slower, slower.arms[0]!, 0, OPTIONS).key).not.toBe(key())
    expect(key({ models: { 'household-policy': 'z' } })).not.toBe(key())
    expect(key({ models: { ...OPTIONS.models, 'coding-policy': 'z' } })).toBe(key())
    expect(key({ models: { ...OPTIONS.models, 'household-reward': 'z', 'household-author': 'z' } })).toBe(key())
    expect(key({ backend: 'webgpu' })).not.toBe(key())
    expect(key({}, 8)).not.toBe(key())
  })

  it('start with the early judge where a table says so, and are those of Table 1 where there is no judge', () => {
    const models = { ...OPTIONS.models, 'household-reward': 'taught', 'household-reward-early': 'early' }
    const early = planTable('early-judge', FULL, [])
    const keysOf = (plan: typeof household, options: JobOptions) => jobsOf([plan], options).map(({ key }) => key)
    const [ofTableOne, ofEarly] = [household, early].map((plan) => keysOf(plan, { ...OPTIONS, models }))
    expect(ofEarly!.filter((key) => ofTableOne!.includes(key))).toEqual(
      ofTableOne!.filter((key) => key.includes('grpo')),
    )
    // The same runs as with that judge in the place of the household's own.
    expect(ofEarly).toEqual(keysOf(household, { ...OPTIONS, models: { ...models, 'household-reward': 'early' } }))
    expect(ofTableOne).toEqual(keysOf(household, { ...OPTIONS, models: { ...models, 'household-reward-early': 'z' } }))
    expect(jobOf(early, early.arms.at(-1)!, 0, { ...OPTIONS, models }).startsEarly).toBe(true)
  })

  it('depend on the models that act in them', () => {
    const acting = Object.fromEntries(
      household.arms.map((arm) => {
        const { settings } = jobOf(household, arm, 0, OPTIONS)
        return [
          arm.id,
          ['policy', 'reward', 'trajectories', 'author'].filter((part) => actsIn(`household-${part}`, settings)),
        ]
      }),
    )
    expect(acting).toEqual({
      grpo: ['policy'],
      'frozen-judge': ['policy', 'reward', 'trajectories'],
      'policy-reward': ['policy', 'reward', 'trajectories'],
      full: ['policy', 'reward', 'trajectories', 'author'],
    })
    const { settings } = jobOf(household, household.arms.at(-1)!, 0, OPTIONS)
    expect(actsIn('coding-policy', settings)).toBe(false)
    expect(actsIn('household-author', { ...settings, rewrites: 'null' })).toBe(false)
  })

  it('prefer the settings of an arm to those of the command line', () => {
    const lambda = planTable('lambda', FULL, [])
    const jobs = jobsOf([withOverrides(lambda, { lambda: 3, tasksPerIteration: 2, evaluationTasks: 7 })], OPTIONS)
    expect(new Set(jobs.map(({ settings }) => settings.lambda))).toEqual(new Set(FULL.lambdas))
    expect(jobs.every(({ settings }) => settings.tasksPerIteration === 2 && settings.evaluationTasks === 7)).toBe(true)
  })

  it('start from the named policies on the map, with one GRPO run for each start and seed', () => {
    const map = planTable('map', FULL, ['weak', 'shipped'])
    const jobs = jobsOf([map], OPTIONS)
    expect(new Set(jobs.map(({ start }) => start))).toEqual(new Set(['models/weak', null]))
    const grpo = jobs.filter(({ preset }) => preset === 'household+grpo')
    expect(grpo).toHaveLength(2 * FULL.mapSeeds.length)
    const levels = FULL.voteFlips.length * FULL.mapLambdas.length
    expect(jobs).toHaveLength(grpo.length + 2 * 2 * levels * FULL.mapSeeds.length)
    expect(jobs.every(({ settings, iterations }) => settings.evaluateEvery === iterations)).toBe(true)
  })

  it('are evaluated before, after, and a few times between', () => {
    for (const iterations of [1, 2, 5, 6, 7, 20, 30, 40, 60, 400]) {
      const every = evaluationInterval(iterations)
      expect(iterations % every, String(iterations)).toBe(0)
      expect(iterations / every).toBeLessThanOrEqual(4)
    }
    expect(household.evaluationTasks).toBeGreaterThanOrEqual(200)
  })

  it('are refused if an evaluation does not fall on their end', () => {
    const evaluatedEvery = (evaluateEvery: number) => () =>
      jobsOf([withOverrides(household, { evaluateEvery })], OPTIONS)
    expect(evaluatedEvery(20)).not.toThrow()
    for (const every of [0, 15, 80]) expect(evaluatedEvery(every)).toThrow(SettingsError)
    expect(evaluatedEvery(15)).toThrow(
      'evaluateEvery 15 must divide the 40 iterations of household+grpo, so that its end is evaluated.',
    )
  })

  it('take longer with a judge', () => {
    const cost = (id: string) =>
      costOf(
        jobOf(
          household,
          household.arms.find((arm) => arm.id === id)!,
          0,
          OPTIONS,
        ),
      )
    expect(cost('full')).toBeGreaterThan(cost('grpo'))
  })
})
