/** Reports where the time of some work went. */
import type { KernelTime } from './meter.ts'
import type { Measurement, SuiteContext } from './suite.ts'

/** Kernels with a smaller share of the time are not reported. */
const LEAST_SHARE = 0.005

/** Reports each kernel with a large enough share, and the time outside kernels, with the suite, subject and sizes of `of`. */
export function reportKernelShares(
  { kernels, durationMs }: { kernels: ReadonlyMap<string, KernelTime>; durationMs: number },
  of: Measurement,
  context: SuiteContext,
): void {
  const report = (name: string, ms: number, note: string) =>
    context.report({ ...of, name: `of which ${name}`, value: ms / durationMs, unit: 'share of the time', note })
  let outsideMs = durationMs
  for (const [name, { calls, durationMs: ms }] of [...kernels].sort(([, a], [, b]) => b.durationMs - a.durationMs)) {
    outsideMs -= ms
    if (ms / durationMs >= LEAST_SHARE) report(name, ms, `${calls} calls, ${ms.toFixed(1)} ms`)
  }
  report('outside kernels', outsideMs, `${outsideMs.toFixed(1)} ms of JavaScript`)
}
