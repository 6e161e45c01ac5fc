/** Whether rewritten tasks help: rewrites by the author, rewrites that change nothing, and tasks that never change. */
import type { Budget } from '../budget.ts'
import type { MeasurePlan, TablePlan } from '../plan.ts'
import { atRollouts } from '../run-record.ts'
import { arm } from './arms.ts'
import { ACCEPTANCE, ACCURACY, REWRITTEN } from './measures.ts'

/** Accuracy where every arm of the seed had made as many rollouts as the one that made the fewest. */
function atEqualRollouts(split: 'id' | 'ood', label: string): MeasurePlan {
  return {
    id: `${split}-equal`,
    label: `${label}, equal rollouts`,
    unit: 'share',
    comparesArms: true,
    of(run, peers) {
      const totals = [...peers.values()].map(({ last }) => last['rollout/total'] ?? NaN)
      const fewest = Math.min(...totals)
      return Number.isFinite(fewest) ? atRollouts(run, `eval/${split}/acc`, fewest) : null
    },
  }
}

export function tasksTable(budget: Budget): TablePlan {
  const accuracies = ['id', 'ood', 'id-equal', 'ood-equal'] as const
  const where: Record<(typeof accuracies)[number], string> = {
    id: 'in distribution, equal iterations',
    ood: 'out of distribution, equal iterations',
    'id-equal': 'in distribution, equal rollouts',
    'ood-equal': 'out of distribution, equal rollouts',
  }
  return {
    table: 'tasks',
    title: 'Do adapted tasks help?',
    about:
      'A null rewrite is the unchanged task under a new name: its acceptance is noise, and the line to beat. Candidates cost rollouts, so accuracy is compared at equal iterations and at equal rollouts.',
    seeds: budget.seeds,
    evaluationTasks: budget.evaluationTasks,
    arms: [
      arm('household', 'policy-reward', budget, {}, 'fixed'),
      arm('household', 'full', budget, { rewrites: 'null' }, 'null'),
      arm('household', 'full', budget),
    ],
    rows: [
      { id: 'fixed', label: 'Tasks never change', arm: 'fixed' },
      { id: 'null', label: 'Rewrites that change nothing', arm: 'null' },
      { id: 'full', label: 'Rewrites by the author', arm: 'full' },
    ],
    measures: [
      ACCEPTANCE,
      REWRITTEN,
      ...ACCURACY,
      atEqualRollouts('id', 'in distribution'),
      atEqualRollouts('ood', 'out of distribution'),
      { id: 'rollouts', label: 'training rollouts', unit: 'count', of: ({ last }) => last['rollout/total'] ?? null },
    ],
    claims: [
      { claim: 'Real rewrites are accepted more often than null ones', row: 'full', than: 'null', measure: 'accepted' },
      ...accuracies.flatMap((measure) => [
        { claim: `Adapted tasks above fixed ones: ${where[measure]}`, row: 'full', than: 'fixed', measure },
        { claim: `Adapted tasks above null rewrites: ${where[measure]}`, row: 'full', than: 'null', measure },
      ]),
    ],
  }
}
