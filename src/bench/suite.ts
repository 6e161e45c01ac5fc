/** Benchmark suites, which report the same measurements on the command line and in the tab. */

export const SUITE_NAMES = ['generate', 'train', 'loop', 'environment', 'judge'] as const
export type SuiteName = (typeof SUITE_NAMES)[number]
/** `cores` starts workers on files that the page does not have, so only the command line measures it. */
export type CommandSuiteName = SuiteName | 'cores'

/** One measured number. Subjects with the same suite, name and sizes ran side by side and can be compared. */
export interface Measurement {
  suite: CommandSuiteName
  /** The work: "training step", "steps with the admissible list". */
  name: string
  /** What was measured: "simd", "tfjs wasm", "alfworld 0.4.2". Ours comes first. */
  subject: string
  value: number
  /** "tokens/s", "GFLOP/s", "steps/s", "bytes", "share", "exponent". */
  unit: string
  /** Sizes of the work. */
  sizes: Readonly<Record<string, number | string>>
  /** What a reader needs to trust it: compared outputs and their difference, threads, repetitions. */
  note?: string
}

export interface SuiteContext {
  report(measurement: Measurement): void
  /** Shows the current step to the user. */
  progress(text: string): void
  signal?: AbortSignal
}

export interface Suite {
  name: CommandSuiteName
  /** One sentence. */
  summary: string
  run(context: SuiteContext): Promise<void>
}
