/** Measures that several tables show. */
import type { MeasurePlan } from '../plan.ts'
import { evaluated, type RunRecord } from '../run-record.ts'

/** A metric of evaluations, before the first iteration and after the last. */
export function evaluation(id: string, label: string, metric: string): MeasurePlan {
  return {
    id,
    label,
    unit: 'share',
    of: (run) => evaluated(run, metric, -1),
    atStart: (run) => evaluated(run, metric, 0),
  }
}

/** Mean of a metric over the last fifth of the iterations. */
export function late(id: string, label: string, metric: string, unit: MeasurePlan['unit'] = 'share'): MeasurePlan {
  return { id, label, unit, of: (run) => run.late[metric] ?? null }
}

/** Metrics of `ACCURACY` by its ids, which tables show as curves. */
export const ACCURACY_METRICS = { id: 'eval/id/acc', ood: 'eval/ood/acc' } as const

export const ACCURACY: readonly MeasurePlan[] = [
  evaluation('id', 'in distribution, T = 0', ACCURACY_METRICS.id),
  evaluation('ood', 'out of distribution, T = 0', ACCURACY_METRICS.ood),
]

export const SAMPLED_ACCURACY: readonly MeasurePlan[] = [
  evaluation('id-sampled', 'in distribution, sampled', 'eval/id/acc_sampled'),
  evaluation('ood-sampled', 'out of distribution, sampled', 'eval/ood/acc_sampled'),
]

export const JUDGE_BALANCED = evaluation('judge-balanced', 'judge, balanced', 'judge/balanced_acc')

/**
 * Balanced over good steps and those bad ones whose command the world accepted. Refused commands are many, and every judge recognises
 * them, so only here can a judge that approves more steps be told from one that judges better.
 */
export const JUDGE_ACCEPTED: MeasurePlan = {
  id: 'judge-accepted',
  label: 'judge, accepted steps',
  unit: 'share',
  of: (run) => balancedOfAccepted(run, -1),
  atStart: (run) => balancedOfAccepted(run, 0),
}

function balancedOfAccepted(run: RunRecord, index: number): number | null {
  const good = evaluated(run, 'judge/good_acc', index)
  const bad = evaluated(run, 'judge/accepted_bad_acc', index)
  return good === null || bad === null ? null : (good + bad) / 2
}

export const JUDGE: readonly MeasurePlan[] = [
  JUDGE_BALANCED,
  JUDGE_ACCEPTED,
  evaluation('judge-process', 'judge, process', 'judge/process_acc'),
  evaluation('judge-outcome', 'judge, outcome', 'judge/outcome_acc'),
]

/** Share of measured rewrites that were accepted; null without any, where earlier runs have a share of 0 and no estimate beside it. */
export const ACCEPTANCE: MeasurePlan = {
  id: 'accepted',
  label: 'rewrites accepted',
  unit: 'share',
  of: ({ last }: RunRecord) => (last['env/null_accept_rate'] === undefined ? null : (last['env/accept_rate'] ?? null)),
}

export const REWRITTEN: MeasurePlan = {
  id: 'rewritten',
  label: 'rollouts on rewritten tasks',
  unit: 'share',
  of: (run: RunRecord) => run.mean['env/rewritten_share'] ?? null,
}
