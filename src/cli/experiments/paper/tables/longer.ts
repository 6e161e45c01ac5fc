/** The full loop of the household for twice as long as in Table 1, where its curves still rise. */
import type { Budget } from '../budget.ts'
import type { ClaimPlan, MeasurePlan, TablePlan } from '../plan.ts'
import type { RunRecord } from '../run-record.ts'
import { arm, ARM_LABELS, temperatureOnly } from './arms.ts'
import { ACCURACY, ACCURACY_METRICS, JUDGE } from './measures.ts'
import { gainsOfPolicy } from './table-one.ts'

/** Accuracy in the middle of the run: where Table 1 ends. */
const HALFWAY = ACCURACY.map(({ id, label }): MeasurePlan => {
  const metric = ACCURACY_METRICS[id as keyof typeof ACCURACY_METRICS]
  const of = ({ evaluations, iterations }: RunRecord) =>
    evaluations.find(({ iteration }) => 2 * iteration === iterations)?.values[metric] ?? null
  return { id: `${id}-half`, label: `${label}, halfway`, unit: 'share', of }
})

export function longerTable(budget: Budget): TablePlan {
  const full = { ...arm('household', 'full', budget), iterations: budget.longerIterations }
  const adds = ACCURACY.map(({ id, label }): ClaimPlan => {
    return {
      claim: `The second half adds: ${label}`,
      row: 'full',
      than: 'full',
      measure: id,
      thanMeasure: `${id}-half`,
    }
  })
  return {
    table: 'longer',
    title: 'Household, twice as long',
    about: `The full loop for ${budget.longerIterations} iterations instead of the ${budget.iterations.household} of Table 1.`,
    seeds: budget.seeds,
    evaluationTasks: budget.evaluationTasks,
    arms: [full],
    rows: [
      temperatureOnly(
        'full',
        [...ACCURACY, ...JUDGE].map(({ id }) => id),
      ),
      { id: 'full', label: ARM_LABELS['full']!, arm: 'full' },
    ],
    measures: [...HALFWAY, ...ACCURACY, ...JUDGE],
    claims: [...gainsOfPolicy('household'), ...adds],
    curves: ACCURACY_METRICS,
  }
}
