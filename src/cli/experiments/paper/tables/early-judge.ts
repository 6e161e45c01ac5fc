/**
 * Table 1 of the household from a reward model that still judges badly, as that of the paper does (47 % process accuracy): where
 * consistency feedback has something to teach.
 */
import type { Budget } from '../budget.ts'
import type { TablePlan } from '../plan.ts'
import { tableOne } from './table-one.ts'

export function earlyJudgeTable(budget: Budget): TablePlan {
  return {
    ...tableOne('household', budget),
    table: 'early-judge',
    title: 'Household, from an early judge',
    about:
      'Table 1 with a reward model from the beginning of its lessons in judging. Everything else is as in Table 1, and the row without a judge is the same.',
    startsEarly: true,
  }
}
