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
  /** Median of the time that a processor was busy with it, whatever else the machine did; only where that can be known. */
  processorMs?: number
  /** "median of 5 in turn, spread 4 %", or "once, in turn"; the spread is largest less smallest, over the median. */
  note: string
}

export interface SideBySideOptions {
  /** Of each contender; one more goes before them and is thrown away. Contenders that are long at it have one only. */
  rounds: number
  clock: () => number
  /** Milliseconds that all threads of this process together have been busy. */
  processorClock?: () => number
  signal?: AbortSignal | undefined
}

/** A repetition as long as this, and this many times that of the shortest contender, is steady enough to be taken once. */
const LONG_MS = 5000
const LONG_RATIO = 3

/** Timings in the order of the contenders. Throws the signal's reason. */
export async function sideBySide(contenders: readonly Contender[], options: SideBySideOptions): Promise<Timed[]> {
  const { rounds, clock, processorClock, signal } = options
  const repeated = async ({ run }: Contender): Promise<Repetition> => {
    await new Promise((resolve) => setTimeout(resolve, 0))
    signal?.throwIfAborted()
    const [start, busyBefore] = [clock(), processorClock?.() ?? 0]
    await run()
    return { durationMs: clock() - start, processorMs: (processorClock?.() ?? 0) - busyBefore }
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
