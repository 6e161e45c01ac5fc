/**
 * Checks of the loop's stability (log-checks.ts defines the measures):
 *
 *     corrupted    the judge on steps whose label contradicts the outcome, and a loop whose votes are flipped
 *     drift        ten times as many iterations: are rewrites still valid, tasks diverse and accuracy kept?
 *     coupling     oscillation of training accuracy, and conflict between what O and λ S̄ ask of the policy
 */
import type { Budget } from '../budget.ts'
import type { MeasurePlan, TablePlan } from '../plan.ts'
import { arm, ARM_LABELS } from './arms.ts'
import { ACCURACY, JUDGE_BALANCED } from './measures.ts'

const FLIPPED = 0.3

const check = (id: string, label: string, unit: MeasurePlan['unit'] = 'share'): MeasurePlan => ({
  id,
  label,
  unit,
  of: ({ checks }) => checks[id] ?? null,
})

export function checksTable(budget: Budget): TablePlan {
  const long = arm('household', 'full', budget, {}, 'long')
  return {
    table: 'checks',
    title: 'Checks of stability',
    about: `The judge where steps contradict the outcome, a loop in which ${100 * FLIPPED} % of the votes are flipped, drift over ${budget.driftFactor} times as many iterations, and the coupling of the three learners.`,
    seeds: budget.sweepSeeds,
    evaluationTasks: budget.evaluationTasks,
    arms: [
      arm('household', 'grpo', budget),
      arm('household', 'frozen-judge', budget),
      arm('household', 'policy-reward', budget),
      arm('household', 'full', budget),
      arm('household', 'full', budget, { voteFlips: FLIPPED }, 'flipped'),
      { ...long, iterations: budget.driftFactor * long.iterations },
    ],
    rows: [
      ...['grpo', 'frozen-judge', 'policy-reward', 'full'].map((id) => ({ id, label: ARM_LABELS[id]!, arm: id })),
      { id: 'flipped', label: `Full loop, ε = ${FLIPPED}`, arm: 'flipped' },
      { id: 'long', label: `Full loop, ${budget.driftFactor} times as long`, arm: 'long' },
    ],
    measures: [
      ACCURACY[0]!,
      JUDGE_BALANCED,
      check('contradicting', 'votes right, step against outcome'),
      check('agreeing', 'votes right, step with outcome'),
      check('oscillation', 'oscillation of training accuracy'),
      check('conflict', 'steps on which O and S̄ disagree'),
      check('correlation', 'correlation of O and S̄', 'number'),
      check('valid', 'valid attempts at rewriting'),
      check('distinct', 'distinct tasks in the pool'),
    ],
    claims: [
      {
        claim: 'A trained judge is better on steps that contradict the outcome',
        row: 'policy-reward',
        than: 'frozen-judge',
        measure: 'contradicting',
      },
      { claim: 'Correct votes above flipped ones', row: 'full', than: 'flipped', measure: 'id' },
      {
        claim: 'Flipped votes make training accuracy oscillate more',
        row: 'flipped',
        than: 'full',
        measure: 'oscillation',
      },
      {
        claim: 'The coupled loop oscillates no more than GRPO (by 2 points)',
        row: 'grpo',
        than: 'full',
        measure: 'oscillation',
        least: -0.02,
      },
      { claim: 'A long run keeps its accuracy (to 5 points)', row: 'long', than: 'full', measure: 'id', least: -0.05 },
      {
        claim: 'A long run keeps rewrites valid (to 5 points)',
        row: 'long',
        than: 'full',
        measure: 'valid',
        least: -0.05,
      },
      {
        claim: 'A long run keeps tasks distinct (to 5 points)',
        row: 'long',
        than: 'full',
        measure: 'distinct',
        least: -0.05,
      },
    ],
  }
}
