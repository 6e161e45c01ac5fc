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
  /** "median of 5 in turn, spread 4 %", or "once, in turn"; the spread is largest less smallest, over the median. */
  note: string
}

export interface SideBySideOptions {
  /** Of each contender; one more goes before them and is thrown away. Contenders that took long in it have one round only. */
  rounds: number
  clock: () => number
  signal?: AbortSignal | undefined
}

/** A repetition as long as this is steady enough to be taken once. */
const LONG_MS = 5000

/** Timings in the order of the contenders. Throws the signal's reason. */
export async function sideBySide(contenders: readonly Contender[], options: SideBySideOptions): Promise<Timed[]> {
  const { rounds, clock, signal } = options
  const durations = contenders.map((): number[] => [])
  const isLong = contenders.map(() => false)
  for (let round = 0; round <= rounds; round++) {
    for (const [index, { run }] of contenders.entries()) {
      if (round > 1 && isLong[index]) continue
      await new Promise((resolve) => setTimeout(resolve, 0))
      signal?.throwIfAborted()
      const start = clock()
      await run()
      const duration = clock() - start
      if (round > 0) durations[index]!.push(duration)
      else isLong[index] = duration >= LONG_MS
    }
  }
  return contenders.map(({ subject }, index) => {
    const sorted = durations[index]!.sort((a, b) => a - b)
    const medianMs = median(sorted)
    const spread = (sorted[sorted.length - 1]! - sorted[0]!) / medianMs
    const note =
      sorted.length === 1
        ? 'once, in turn'
        : `median of ${sorted.length} in turn, spread ${(100 * spread).toFixed(0)} %`
    return { subject, medianMs, note }
  })
}
