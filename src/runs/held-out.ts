/**
 * Which metric of a run says what it can do in held-out tasks: `eval/id/acc`, at the evaluation temperature. Older runs were
 * measured at the training temperature alone, so they have only `eval/id/acc_sampled`.
 */
import { SAMPLED } from '../method/metric-points.ts'

/** The metric itself, unless the run has only its sampled one. */
export function heldOutMetric(metric: string, has: (name: string) => boolean): string {
  return metric.startsWith('eval/') && !has(metric) && has(metric + SAMPLED) ? metric + SAMPLED : metric
}
