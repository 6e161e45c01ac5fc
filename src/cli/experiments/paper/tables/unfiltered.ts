/**
 * Table 1 of the household where tasks that all rollouts solve or fail train the policy, too, as in the paper's method and in the
 * released code of OSWorld (osworld_rl_reward.py:766-767). Outcomes say nothing there, so votes alone rank the steps.
 */
import type { Budget } from '../budget.ts'
import type { TablePlan } from '../plan.ts'
import { arm } from './arms.ts'
import { tableOne } from './table-one.ts'

export function unfilteredTable(budget: Budget): TablePlan {
  const { arms, ...filtered } = tableOne('household', budget)
  // The table shows the start and the end alone, and evaluations between would take a fifth of the time.
  const settings = { policyAccuracyLow: 0, policyAccuracyHigh: 1, evaluateEvery: budget.iterations.household }
  return {
    ...filtered,
    table: 'unfiltered',
    title: 'Household, without a filter on tasks',
    about:
      'Table 1 where tasks that all rollouts solve or fail train the policy, too. Their outcomes are all the same, so votes alone rank their steps.',
    seeds: budget.sweepSeeds,
    arms: arms.map(({ id }) => arm('household', id, budget, settings)),
  }
}
