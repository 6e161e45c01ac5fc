/** Table 1 of the household in other regimes: all else is as there. */
import { presetSettings } from '../../../../method/presets.ts'
import type { Settings } from '../../../../method/settings.ts'
import type { TableName } from '../../../../results/results-file.ts'
import type { Budget } from '../budget.ts'
import type { TablePlan } from '../plan.ts'
import { arm } from './arms.ts'
import { tableOne } from './table-one.ts'

interface Regime {
  table: TableName
  title: string
  about: string
}

/**
 * From a reward model that still judges badly, as that of the paper does (47 % process accuracy): where consistency feedback has
 * something to teach.
 */
export function earlyJudgeTable(budget: Budget): TablePlan {
  return {
    ...tableOne('household', budget),
    table: 'early-judge',
    title: 'Household, from an early judge',
    about:
      'Table 1 with a reward model from the beginning of its lessons in judging. Everything else is as in Table 1. The row without a judge asks no reward model, so only the state of the code can make it differ from there.',
    startsEarly: true,
  }
}

/**
 * Tasks that all rollouts solve or fail train the policy, too, as in the paper's method and in the released code of OSWorld
 * (osworld_rl_reward.py:766-767). Outcomes say nothing there, so votes alone rank the steps.
 */
export function unfilteredTable(budget: Budget): TablePlan {
  const regime: Regime = {
    table: 'unfiltered',
    title: 'Household, without a filter on tasks',
    about:
      'Table 1 where tasks that all rollouts solve or fail train the policy, too. Their outcomes are all the same, so votes alone rank their steps.',
  }
  return withSettings({ policyAccuracyLow: 0, policyAccuracyHigh: 1 }, regime, budget)
}

/**
 * Four times as many tasks to draw from: 40 iterations play each about once. From the preset's 128 they play each five times, and a
 * rewrite that is accepted makes one of few tasks come round more often. The other worlds draw from 2,048.
 */
export function largePoolTable(budget: Budget): TablePlan {
  const regime: Regime = {
    table: 'large-pool',
    title: 'Household, from a larger pool of tasks',
    about:
      'Table 1 with 512 training tasks to draw from instead of 128, so that 40 iterations play each about once and not five times.',
  }
  return { ...withSettings({ taskPoolSize: 512 }, regime, budget), seeds: budget.seeds }
}

/**
 * Votes on successes and on failures of a task teach the reward model with the same total weight (rewardBalance), so that it becomes
 * neither lenient nor strict. Then it needs no filter on the middle, and a task's votes on one step are compared, as released
 * (docs/decisions/0013). The first two arms, whose judge does not learn, are those of Table 1.
 */
export function weighedTable(budget: Budget): TablePlan {
  const table = tableOne('household', budget)
  const learning = { rewardGrouping: 'vote', rewardBalance: 'outcomes', rewardAccuracyLow: 1 / 8 } as const
  return {
    ...table,
    table: 'weighed',
    title: 'Household, with votes weighed by outcome',
    about:
      'Table 1 where votes on successes and on failures of a task teach the reward model with the same total weight. The rows whose judge does not learn are those of Table 1.',
    arms: table.arms.map((each) => (presetSettings(each.preset).trainReward ? { ...each, settings: learning } : each)),
  }
}

/** The table shows the start and the end alone: evaluations between would take a fifth of the time. */
function withSettings(settings: Partial<Settings>, regime: Regime, budget: Budget): TablePlan {
  const { arms, ...table } = tableOne('household', budget)
  const all = { ...settings, evaluateEvery: budget.iterations.household }
  return {
    ...table,
    ...regime,
    seeds: budget.sweepSeeds,
    arms: arms.map(({ id }) => arm('household', id, budget, all)),
  }
}
