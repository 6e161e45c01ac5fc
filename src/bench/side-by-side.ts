/**
 * Times subjects in turn, A B C A B C and so on, so that disturbances affect all of them, and takes the median of each: ratios are
 * reliable on a busy machine, absolute numbers only on a quiet one.
 */
import { median } from './repetitions.ts'

export interface Contender {
  subject: string
  /** One repetition; resolves when its results are available. */
  run(): Promise<unknown>
  /** Replaces the suite's processor clock for a contender that runs in another process. */
  processorClock?: (() => number) | undefined
}

export interface Timed {
  subject: string
  medianMs: number
  /** Median of the processor time, which other programs do not affect; absent if there is no such clock. */
  processorMs?: number
  /** "median of 5 in turn, spread 4 %", or "once, in turn"; the spread is (largest − smallest) / median. */
  note: string
}

export interface SideBySideOptions {
  /** Timed repetitions of each contender, after one to warm up. Slow contenders have only one. */
  rounds: number
  clock: () => number
  /** Milliseconds that all threads of this process together have been busy. */
  processorClock?: () => number
  signal?: AbortSignal | undefined
}

/** A repetition this long, and this many times longer than the shortest contender's, is steady enough to run once. */
const LONG_MS = 5000
const LONG_RATIO = 3

/** Timings in the order of the contenders. Throws the signal's reason. */
export async function sideBySide(contenders: readonly Contender[], options: SideBySideOptions): Promise<Timed[]> {
  const { rounds, clock, processorClock, signal } = options
  const repeated = async ({ run, processorClock: own }: Contender): Promise<Repetition> => {
    await new Promise((resolve) => setTimeout(resolve, 0))
    signal?.throwIfAborted()
    const busy = own ?? processorClock ?? (() => 0)
    const [start, busyBefore] = [clock(), busy()]
    await run()
    return { durationMs: clock() - start, processorMs: busy() - busyBefore }
  }
  for (const contender of contenders) await repeated(contender)
  const repetitions = contenders.map((): Repetition[] => [])
  for (let round = 0; round < rounds; round++) {
    const first = repetitions.map(([repetition]) => repetition?.durationMs ?? 0)
    const longMs = Math.max(LONG_MS, LONG_RATIO * Math.min(...first))
    for (const [index, contender] of contenders.entries()) {
      if (first[index]! < longMs) repetitions[index]!.push(await repeated(contender))
    }
  }
  return contenders.map(({ subject }, index) => {
    const durations = sorted(repetitions[index]!.map(({ durationMs }) => durationMs))
    const medianMs = median(durations)
    const spread = (durations[durations.length - 1]! - durations[0]!) / medianMs
    const count = durations.length
    return {
      subject,
      medianMs,
      ...(processorClock && { processorMs: median(sorted(repetitions[index]!.map(({ processorMs }) => processorMs))) }),
      note: count === 1 ? 'once, in turn' : `median of ${count} in turn, spread ${(100 * spread).toFixed(0)} %`,
    }
  })
}

interface Repetition {
  durationMs: number
  processorMs: number
}

function sorted(values: number[]): number[] {
  return values.sort((a, b) => a - b)
}
