/** The tables of `npm run experiments -- paper`: Table 1 for each world, Figure 1, the ablations, the map, the checks, and worlds across. */
import type { ShippedWorld } from '../../../method/settings.ts'
import type { TableName } from '../../../results/results-file.ts'
import type { Budget } from './budget.ts'
import { acrossTable } from './tables/across.ts'
import { checksTable } from './tables/checks.ts'
import { longerTable } from './tables/longer.ts'
import { mapTable } from './tables/map.ts'
import { earlyJudgeTable, largePoolTable, unfilteredTable, weighedTable } from './tables/regimes.ts'
import { signalsTable } from './tables/signals.ts'
import { alphaTable, lambdaTable, votesTable } from './tables/sweeps.ts'
import { tableOne } from './tables/table-one.ts'
import { tasksTable } from './tables/tasks.ts'
import type { TablePlan } from './plan.ts'

/** Tables that a quick run makes if none is named. */
export const QUICK_TABLES: readonly TableName[] = ['household', 'coding', 'signals', 'tasks']

/** `starts` are the names of the start policies of the map. */
export function planTable(table: TableName, budget: Budget, starts: readonly string[]): TablePlan {
  const worlds: Partial<Record<TableName, ShippedWorld>> = {
    household: 'household',
    coding: 'coding',
    desktop: 'desktop',
  }
  const world = worlds[table]
  if (world !== undefined) return tableOne(world, budget)
  const others: Record<Exclude<TableName, ShippedWorld>, () => TablePlan> = {
    longer: () => longerTable(budget),
    unfiltered: () => unfilteredTable(budget),
    'large-pool': () => largePoolTable(budget),
    weighed: () => weighedTable(budget),
    'early-judge': () => earlyJudgeTable(budget),
    signals: () => signalsTable(budget),
    tasks: () => tasksTable(budget),
    lambda: () => lambdaTable('household', budget),
    'lambda-coding': () => lambdaTable('coding', budget),
    'lambda-desktop': () => lambdaTable('desktop', budget),
    alpha: () => alphaTable(budget),
    votes: () => votesTable(budget),
    map: () => mapTable(budget, starts),
    checks: () => checksTable(budget),
    across: () => acrossTable(budget),
  }
  return others[table as Exclude<TableName, ShippedWorld>]()
}
