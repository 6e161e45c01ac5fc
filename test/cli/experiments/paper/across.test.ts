import { describe, expect, it } from 'vitest'
import { parsePaperArguments } from '../../../../src/cli/experiments/paper/arguments.ts'
import { FULL } from '../../../../src/cli/experiments/paper/budget.ts'
import { buildResults } from '../../../../src/cli/experiments/paper/build-results.ts'
import { jobsOf, playersOf, type JobOptions } from '../../../../src/cli/experiments/paper/jobs.ts'
import { whyNotKept } from '../../../../src/cli/experiments/paper/keep-rows.ts'
import type { RunRecord } from '../../../../src/cli/experiments/paper/run-record.ts'
import { planTable } from '../../../../src/cli/experiments/paper/tables.ts'
import { madeUpRecord, runsOf } from './made-up-records.ts'

const plan = planTable('across', { ...FULL, mapSeeds: [0, 1, 2] }, [])
const FROM = { command: 'npm run experiments -- paper', date: '2026-03-01', models: {} }
const MODELS = {
  'household-policy': 'own',
  'desktop-policy': 'own',
  'household-reward': 'own',
  'desktop-reward': 'own',
  'household-trajectories': 'h',
  'desktop-trajectories': 'd',
  'shared-policy': 'p',
  'shared-reward': 'r',
}
const OPTIONS: JobOptions = { starts: {}, backend: 'cpu', models: MODELS }

const values = (id: number, ood: number, judge: number) => ({
  'eval/id/acc': id,
  'eval/ood/acc': ood,
  'judge/balanced_acc': judge,
})

/** In the household +0.1 there and −0.05 on the desktop; on the desktop +0.2 there and nothing else. */
function madeUpRun(arm: string, seed: number): RunRecord {
  const noise = seed / 100
  const start = { household: values(0.4 + noise, 0.3, 0.7), desktop: values(0.2 + noise, 0.1, 0.6) }
  const isHousehold = arm === 'household'
  return madeUpRecord({
    seed,
    preset: `${arm}+policy-reward`,
    evaluations: [
      { iteration: 0, values: isHousehold ? start.household : start.desktop },
      {
        iteration: 20,
        values: isHousehold ? values(0.5 + noise + seed / 1000, 0.3, 0.8) : values(0.4 + noise + seed / 1000, 0.1, 0.9),
      },
    ],
    elsewhere: isHousehold
      ? { desktop: values(0.15 + noise + seed / 1000, 0.1, 0.6) }
      : { household: values(0.4 + noise, 0.3, 0.7) },
  })
}

describe('the table across worlds', () => {
  it('compares every world before and after learning, seed by seed, wherever the models learned', () => {
    const results = buildResults(plan, runsOf(plan, madeUpRun), FROM)
    const row = (id: string) => results.rows.find((each) => each.id === id)!.values
    expect(row('start')).toMatchObject({ 'household-id': [0.4, 0.41, 0.42], 'desktop-id': [0.2, 0.21, 0.22] })
    expect(row('household')).toMatchObject({ 'household-id': [0.5, 0.511, 0.522], 'desktop-id': [0.15, 0.161, 0.172] })
    expect(row('desktop')).toMatchObject({ 'household-judge': [0.7, 0.7, 0.7], 'desktop-judge': [0.9, 0.9, 0.9] })
    const claim = (learned: string, measure: string) =>
      results.claims.find((each) => each.row === learned && each.measure === measure)!
    expect(results.claims).toHaveLength(12)
    expect(claim('household', 'household-id')).toMatchObject({ than: 'start', verdict: 'holds' })
    expect(claim('household', 'household-id').difference!.mean).toBeCloseTo(0.101, 6)
    expect(claim('household', 'desktop-id')).toMatchObject({ verdict: 'does not hold' })
    expect(claim('household', 'desktop-id').difference!.high).toBeLessThan(0)
    expect(claim('desktop', 'household-id').difference).toMatchObject({ mean: 0, low: 0, high: 0, n: 3 })
    expect(claim('desktop', 'desktop-judge').difference!.mean).toBeCloseTo(0.3, 6)
  })

  it('says that it has no value where a world was not measured', () => {
    const results = buildResults(
      plan,
      runsOf(plan, (arm, seed) => ({ ...madeUpRun(arm, seed), elsewhere: {} })),
      FROM,
    )
    expect(results.rows.find(({ id }) => id === 'household')!.values['desktop-id']).toEqual([null, null, null])
    expect(results.claims.find(({ row, measure }) => row === 'household' && measure === 'desktop-id')!.verdict).toBe(
      'not measured',
    )
  })

  it('measures each run in the other world, on the tasks that its own arm of that seed is measured on', () => {
    const jobs = jobsOf([plan], OPTIONS)
    expect(jobs).toHaveLength(6)
    for (const job of jobs) {
      const other = jobs.find(
        ({ settings }) => settings.seed === job.settings.seed && settings.world !== job.settings.world,
      )!
      expect(job.elsewhere).toEqual([{ preset: other.preset, settings: other.settings }])
      expect(job.settings).toMatchObject({ evaluationTasks: 100, evaluateEvery: job.iterations, trainReward: true })
    }
  })

  it('has runs of its own that depend on the shared models and on the trajectories of both worlds', () => {
    const keys = (models: Record<string, string> = {}) =>
      jobsOf([plan], { ...OPTIONS, models: { ...MODELS, ...models } }).map(({ key }) => key)
    expect(keys({ 'shared-policy': 'z' })[0]).not.toBe(keys()[0])
    expect(keys({ 'shared-reward': 'z' })[0]).not.toBe(keys()[0])
    for (const world of ['household', 'desktop']) {
      expect(keys({ [`${world}-trajectories`]: 'z' })[0]).not.toBe(keys()[0])
      expect(keys({ [`${world}-policy`]: 'z' })).toEqual(keys())
    }
    expect(playersOf(plan, MODELS)).toMatchObject({ 'household-policy': 'p', 'desktop-reward': 'r' })
    // Other tables do not know the shared models.
    expect(playersOf(planTable('household', FULL, []), MODELS)).toEqual({
      'household-policy': 'own',
      'desktop-policy': 'own',
      'household-reward': 'own',
      'desktop-reward': 'own',
      'household-trajectories': 'h',
      'desktop-trajectories': 'd',
    })
  })

  it('runs all of its arms together, because the start is measured by both', () => {
    const own = buildResults(plan, runsOf(plan, madeUpRun), FROM)
    expect(whyNotKept(plan, own, own)).toContain('compares arms with one another')
  })

  it('takes its models from a folder of its own, and its size from the command line', () => {
    const parsed = parsePaperArguments(['--table', 'across', '--shared-models', 'elsewhere', '--iterations', '7'])!
    expect(parsed).toMatchObject({ tables: ['across'], sharedModels: 'elsewhere' })
    expect(planTable('across', parsed.budget, []).arms.map(({ iterations }) => iterations)).toEqual([7, 7])
  })
})
