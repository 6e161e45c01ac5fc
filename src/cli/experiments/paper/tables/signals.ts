/** Figure 1: which signal trains the policy best, outcomes or the steps of a judge, and whether the judge must learn. */
import type { Budget } from '../budget.ts'
import type { ClaimPlan, TablePlan } from '../plan.ts'
import { arm, ARM_LABELS, temperatureOnly } from './arms.ts'
import { ACCURACY, ACCURACY_METRICS, late, SAMPLED_ACCURACY } from './measures.ts'

const ARMS = ['grpo', 'frozen-judge', 'step-frozen', 'step-trained'] as const
const TRAIN = late('train', 'training tasks, last fifth', 'policy/acc')

const above = (row: string, than: string, claim: string): ClaimPlan[] =>
  ACCURACY.map(({ id, label }) => ({ claim: `${claim}: ${label}`, row, than, measure: id }))

export function signalsTable(budget: Budget): TablePlan {
  return {
    table: 'signals',
    title: 'Which signal: Figure 1',
    about:
      'The policy learns from outcomes alone, from outcomes and the votes of a frozen judge, or from votes alone. Where only votes train the policy, no outcome and no filter on outcomes reaches it.',
    seeds: budget.seeds,
    evaluationTasks: budget.evaluationTasks,
    arms: ARMS.map((preset) => arm('household', preset, budget)),
    rows: [temperatureOnly('grpo', ['id', 'ood']), ...ARMS.map((id) => ({ id, label: ARM_LABELS[id]!, arm: id }))],
    measures: [...ACCURACY, ...SAMPLED_ACCURACY, TRAIN],
    claims: [
      ...above('frozen-judge', 'grpo', 'Integrated feedback above outcomes alone'),
      ...above('step-trained', 'grpo', "A trained judge's votes alone above outcomes alone"),
      ...above('step-trained', 'step-frozen', "A trained judge's votes above a frozen judge's"),
    ],
    curves: ACCURACY_METRICS,
  }
}
