/**
 * Subjects in turn, A B C A B C and so on, so that whatever disturbs the machine meanwhile disturbs them all, and the median of each:
 * ratios hold on a busy machine, absolute numbers on a quiet one.
 */
import { median } from './repetitions.ts'

export interface Contender {
  subject: string
  /** One repetition; resolves when its results are really there. */
  run(): Promise<unknown>
}

export interface Timed {
  subject: string
  medianMs: number
  /** "median of 5 in turn, spread 4 %"; the spread is largest less smallest, over the median. */
  note: string
}

export interface SideBySideOptions {
  /** Of each contender; one more goes before them and is thrown away. */
  rounds: number
  clock: () => number
  signal?: AbortSignal | undefined
}

/** Timings in the order of the contenders. Throws the signal's reason. */
export async function sideBySide(contenders: readonly Contender[], options: SideBySideOptions): Promise<Timed[]> {
  const { rounds, clock, signal } = options
  const durations = contenders.map((): number[] => [])
  for (let round = 0; round <= rounds; round++) {
    for (const [index, { run }] of contenders.entries()) {
      await new Promise((resolve) => setTimeout(resolve, 0))
      signal?.throwIfAborted()
      const start = clock()
      await run()
      if (round > 0) durations[index]!.push(clock() - start)
    }
  }
  return contenders.map(({ subject }, index) => {
    const sorted = durations[index]!.sort((a, b) => a - b)
    const medianMs = median(sorted)
    const spread = (sorted[sorted.length - 1]! - sorted[0]!) / medianMs
    return { subject, medianMs, note: `median of ${rounds} in turn, spread ${(100 * spread).toFixed(0)} %` }
  })
}
