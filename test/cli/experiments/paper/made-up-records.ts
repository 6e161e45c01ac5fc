/** Records of runs that never ran, for tests of what is made of them. */
import { MEASURES } from '../../../../src/cli/experiments/paper/measure-run.ts'
import type { RunRecord } from '../../../../src/cli/experiments/paper/run-record.ts'
import type { TablePlan } from '../../../../src/cli/experiments/paper/plan.ts'
import type { TableRuns } from '../../../../src/cli/experiments/paper/build-results.ts'

export function madeUpRecord(record: Partial<RunRecord> = {}): RunRecord {
  return {
    version: 1,
    key: 'made-up',
    preset: 'household+full',
    seed: 0,
    iterations: 4,
    backend: 'cpu',
    commits: ['abc'],
    seconds: 10,
    measures: MEASURES,
    evaluations: [],
    last: {},
    early: {},
    late: {},
    mean: {},
    checks: {},
    ...record,
  }
}

/** Evaluations of accuracy before the first iteration and after the last. */
export function accuracies(before: number, after: number, rollouts = 100): RunRecord['evaluations'] {
  return [
    { iteration: 0, values: { 'eval/id/acc': before, 'eval/id/acc_sampled': before - 0.1 } },
    { iteration: 4, values: { 'eval/id/acc': after, 'eval/id/acc_sampled': after - 0.1, 'rollout/total': rollouts } },
  ]
}

/** A run for every arm and seed of a plan. */
export function runsOf(plan: TablePlan, record: (arm: string, seed: number) => RunRecord): TableRuns {
  return new Map(plan.arms.map(({ id }) => [id, new Map(plan.seeds.map((seed) => [seed, record(id, seed)]))]))
}
