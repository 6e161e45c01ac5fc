/** What benchmarks are made of: suites that report measurements, the same on the command line and in the tab. */

export const SUITE_NAMES = ['generate', 'train', 'loop', 'environment', 'judge'] as const
export type SuiteName = (typeof SUITE_NAMES)[number]

/** One measured number. Subjects with the same suite, name and sizes ran side by side and can be compared. */
export interface Measurement {
  suite: SuiteName
  /** What was measured: "training step", "steps with the admissible list". */
  name: string
  /** Who did it: "simd", "tfjs wasm", "alfworld 0.4.2". The project's own comes first. */
  subject: string
  value: number
  /** "tokens/s", "GFLOP/s", "steps/s", "bytes", "share", "exponent". */
  unit: string
  /** Sizes that it holds for. */
  sizes: Readonly<Record<string, number | string>>
  /** What a reader must know to trust it: outputs compared and how far apart, threads, repetitions. */
  note?: string
}

export interface SuiteContext {
  report(measurement: Measurement): void
  /** What is under way, for people who wait. */
  progress(text: string): void
  signal?: AbortSignal
}

export interface Suite {
  name: SuiteName
  /** One sentence. */
  summary: string
  run(context: SuiteContext): Promise<void>
}
