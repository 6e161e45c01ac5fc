/**
 * Divides a time budget over parts: each gets its weight's share of the time that is left when it begins. A part that ends early
 * leaves its time to the later ones, and one that runs over takes from them.
 */

export interface Part<Name extends string = string> {
  name: Name
  weight: number
}

export interface Share {
  /** Milliseconds until the share is used up; negative afterwards. */
  leftMs(): number
}

export class TimeBudget<Name extends string> {
  readonly #weights: Map<Name, number>
  readonly #endsAt: number
  readonly #clock: () => number

  constructor(totalMs: number, parts: readonly Part<Name>[], clock: () => number) {
    this.#weights = new Map(parts.map(({ name, weight }) => [name, weight]))
    this.#endsAt = clock() + totalMs
    this.#clock = clock
  }

  /** Begins a part. Throws RangeError for a part that is unknown or has begun. */
  begin(name: Name): Share {
    const weight = this.#weights.get(name)
    if (weight === undefined) throw new RangeError(`"${name}" is not a part that has yet to begin.`)
    const open = [...this.#weights.values()].reduce((sum, each) => sum + each, 0)
    this.#weights.delete(name)
    const start = this.#clock()
    const ends = start + ((this.#endsAt - start) * weight) / open
    return { leftMs: () => ends - this.#clock() }
  }
}

export interface Repeated {
  /** Fastest batch of calls, per call: others of a busy machine only add time. */
  bestMs: number
  /** Whether an earlier call had compiled what it runs; if not, the share had time for one call only. */
  isWarm: boolean
}

export interface Thoroughness {
  /** Shortest batch of calls that counts. */
  leastMs: number
  batches: number
}

/** A clock of 0.1 ms measures such a batch well. */
const THOROUGH: Thoroughness = { leastMs: 30, batches: 5 }

/**
 * Times `run(calls)`, which resolves when all its calls are done, in batches that grow until one takes long enough, for as long as
 * the share lasts. The first call only compiles, unless there is no time for another.
 */
export async function repeated(
  run: (calls: number) => Promise<unknown>,
  share: Share,
  clock: () => number,
  { leastMs, batches: most }: Thoroughness = THOROUGH,
): Promise<Repeated> {
  const timed = async (calls: number) => {
    const start = clock()
    await run(calls)
    return clock() - start
  }
  const first = await timed(1)
  let best: Repeated = { bestMs: first, isWarm: false }
  let calls = 1
  let batches = 0
  let expectedMs = first
  while (batches < most && expectedMs <= share.leftMs()) {
    const ms = await timed(calls)
    if (!best.isWarm || ms / calls < best.bestMs) best = { bestMs: ms / calls, isWarm: true }
    if (ms < leastMs) {
      calls *= 2
      expectedMs = 2 * ms
    } else {
      batches++
      expectedMs = ms
    }
  }
  return best
}
