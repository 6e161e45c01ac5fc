import { describe, expect, it } from 'vitest'
import { QUICK } from '../../../../src/cli/experiments/paper/budget.ts'
import { buildResults } from '../../../../src/cli/experiments/paper/build-results.ts'
import { keepRows, onlyArms, whyNotKept } from '../../../../src/cli/experiments/paper/keep-rows.ts'
import { planTable } from '../../../../src/cli/experiments/paper/tables.ts'
import { parseResults, type ResultsFile, type TableName } from '../../../../src/results/results-file.ts'
import { accuracies, madeUpRecord, runsOf } from './made-up-records.ts'

const MODELS = { 'household-policy': 'p', 'household-reward': 'r', 'household-author': 'a', 'start weak': 'w' }
const planOf = (table: TableName, seeds: readonly number[] = [0, 1, 2]) =>
  planTable(table, { ...QUICK, seeds, sweepSeeds: seeds, mapSeeds: seeds }, ['weak', 'shipped'])

function resultsOf(
  plan: ReturnType<typeof planOf>,
  commit: string,
  models: Record<string, string> = MODELS,
): ResultsFile {
  const runs = runsOf(plan, (arm, seed) => {
    const end = 0.5 + 0.1 * Math.sin(17 * seed + arm.length) + (commit === 'new' ? 0.1 : 0)
    return madeUpRecord({ seed, commits: [commit], evaluations: accuracies(0.3 + 0.02 * (seed % 3), end) })
  })
  return buildResults(plan, runs, { date: '2026-03-01', models, command: `experiments ${commit}` })
}

describe('running one arm of a table again', () => {
  it.each(['household', 'signals', 'lambda', 'map'] as const)('keeps the other published rows: %s', (table) => {
    const plan = planOf(table)
    const { id: again } = plan.arms.at(-1)!
    const published = resultsOf(plan, 'old')
    const own = resultsOf(onlyArms(plan, [again]), 'new')
    expect(own.rows.length).toBeLessThan(plan.rows.length)
    expect(whyNotKept(plan, own, published)).toBeNull()
    const whole = keepRows(plan, own, published)
    expect(parseResults(whole)).toEqual(whole)
    expect(whole.commits).toEqual(['old', 'new'])
    // As if all arms had been run at once.
    const runs = runsOf(plan, (arm, seed) => {
      const end = 0.5 + 0.1 * Math.sin(17 * seed + arm.length) + (arm === again ? 0.1 : 0)
      return madeUpRecord({ seed, evaluations: accuracies(0.3 + 0.02 * (seed % 3), end) })
    })
    const once = buildResults(plan, runs, { date: own.date, models: MODELS, command: own.command })
    const sorted = ({ curves, ...rest }: ResultsFile) => ({
      ...rest,
      curves: curves?.toSorted((a, b) => `${a.row} ${a.measure}`.localeCompare(`${b.row} ${b.measure}`)),
    })
    expect(sorted({ ...whole, commits: [] })).toEqual(sorted({ ...once, commits: [] }))
  })

  it('draws the places of a map whose arms are all run', () => {
    const plan = planOf('map', [0])
    const [place] = plan.map!
    const ids = [place!.full, ...Object.values(place!.over)]
    const { map } = resultsOf(onlyArms(plan, [...ids, plan.map!.at(-1)!.full]), 'new')
    expect(map!.map(({ row, over }) => [row, over])).toEqual([
      [place!.full, 'grpo'],
      [place!.full, 'frozen-judge'],
    ])
  })

  it('is refused where something that acts on the other rows has changed', () => {
    const plan = planOf('household')
    const full = onlyArms(plan, ['full'])
    const why = (own: ResultsFile, published = resultsOf(plan, 'old')) => whyNotKept(plan, own, published)
    // No other arm asks the author.
    expect(why(resultsOf(full, 'new', { ...MODELS, 'household-author': 'other' }))).toBeNull()
    expect(why(resultsOf(full, 'new', { ...MODELS, 'household-reward': 'other' }))).toBe(
      'household-reward, which acts in “Policy, frozen judge”, has changed',
    )
    expect(why(resultsOf(onlyArms(planOf('household', [0, 1]), ['full']), 'new'))).toBe(
      'its seeds differ from the published ones',
    )
    const longer = resultsOf(plan, 'old')
    longer.rows.find(({ id }) => id === 'grpo')!.iterations += 1
    expect(why(resultsOf(full, 'new'), longer)).toMatch(/^the settings of “GRPO.*” differ from the published ones$/)
    expect(whyNotKept(plan, resultsOf(full, 'new'), null)).toBe('it is not published yet')
  })

  it('is refused where a start policy of the map has changed, whatever its name', () => {
    const plan = planOf('map', [0])
    const other = { ...MODELS, 'start weak': 'other' }
    const shipped = onlyArms(plan, ['grpo_shipped'])
    expect(whyNotKept(plan, resultsOf(shipped, 'new', other), resultsOf(plan, 'old'))).toMatch(
      /^start weak, which acts in “.*, weak, .*”, has changed$/,
    )
    // The rows of the shipped policy do not depend on it.
    const weak = plan.arms.filter(({ start }) => start === 'weak').map(({ id }) => id)
    expect(whyNotKept(plan, resultsOf(onlyArms(plan, weak), 'new', other), resultsOf(plan, 'old'))).toBeNull()
  })

  it('is refused where a start policy of the published map is missing, whose rows would be lost', () => {
    const seeds = [0]
    const plan = planTable('map', { ...QUICK, seeds, mapSeeds: seeds }, ['shipped'])
    const own = resultsOf(onlyArms(plan, ['grpo_shipped']), 'new')
    expect(whyNotKept(plan, own, resultsOf(planOf('map', seeds), 'old'))).toMatch(
      /weak.*” is published and not among its rows here.*--policy-model/,
    )
  })

  it('is refused for tables whose values compare arms with one another', () => {
    const tasks = planOf('tasks')
    const own = resultsOf(onlyArms(tasks, ['full']), 'new')
    expect(whyNotKept(tasks, own, resultsOf(tasks, 'old'))).toMatch(/equal rollouts” compares arms with one another$/)
  })
})
