/** Measures a rate with a noisy clock: warm up, repeat, take the median. */

export interface Clock {
  /** "CPU time" if there is such a clock, which stops while other programs use the core; else "wall time". */
  name: string
  /** Milliseconds since any fixed moment. */
  now(): number
}

export const wallClock: Clock = { name: 'wall time', now: () => performance.now() }

export interface Repetitions {
  /** Median over the repetitions. */
  perSecond: number
  /** "median of 5 × 0.3 s CPU time, spread 4 %"; the spread is (largest − smallest) / median. */
  note: string
}

export interface Timing {
  clock: Clock
  /** Measured repetitions, after one to warm up. */
  repetitions: number
  /** Minimum duration of a repetition. */
  durationMs: number
  signal?: AbortSignal
}

/** One round of work: `prepare` is not timed; `work` is, and returns how many operations it did. */
export interface Round<Prepared> {
  prepare(): Prepared
  work(prepared: Prepared): number
}

/**
 * Operations per second. Yields between repetitions, so that a tab stays responsive and a signal can arrive. Throws the signal's
 * reason.
 */
export async function measureRate<Prepared>(round: Round<Prepared>, timing: Timing): Promise<Repetitions> {
  const rates: number[] = []
  for (let repetition = 0; repetition <= timing.repetitions; repetition++) {
    await new Promise((resolve) => setTimeout(resolve, 0))
    timing.signal?.throwIfAborted()
    const rate = repetitionRate(round, timing)
    if (repetition > 0) rates.push(rate)
  }
  rates.sort((a, b) => a - b)
  const perSecond = median(rates)
  const spread = (rates[rates.length - 1]! - rates[0]!) / perSecond
  const seconds = (timing.durationMs / 1000).toFixed(1)
  const note = `median of ${rates.length} × ${seconds} s ${timing.clock.name}, spread ${(100 * spread).toFixed(0)} %`
  return { perSecond, note }
}

function repetitionRate<Prepared>({ prepare, work }: Round<Prepared>, { clock, durationMs }: Timing): number {
  let operations = 0
  let elapsed = 0
  while (elapsed < durationMs) {
    const prepared = prepare()
    const start = clock.now()
    operations += work(prepared)
    elapsed += clock.now() - start
  }
  return (operations / elapsed) * 1000
}

/** The number of operations. Throws unless their results are right, so that no engine can skip the work. */
export function checked(operations: number, isRight: boolean): number {
  if (!isRight) throw new Error('The benchmark computed nothing: no real work gives this result.')
  return operations
}

/** Median of numbers in ascending order. */
export function median(sorted: readonly number[]): number {
  if (sorted.length === 0) throw new RangeError('The median of an empty list is undefined.')
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}
