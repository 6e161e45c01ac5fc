/** How fast a download goes and how long it will take, from the bytes that have come over the last seconds. */

export interface TransferState {
  done: number
  total: number
  /** Over the last seconds; 0 before there is anything to tell it from. */
  bytesPerSecond: number
  /** Null while it cannot be told. */
  secondsLeft: number | null
}

const WINDOW_MS = 8000

export class TransferMeter {
  readonly #now: () => number
  #points: { at: number; done: number }[] = []

  /** `now` in milliseconds. */
  constructor(now: () => number) {
    this.#now = now
  }

  /** Both in bytes. */
  update(done: number, total: number): TransferState {
    const at = this.#now()
    // Files that come from the cache count, too: the count falls when another download begins, and all starts anew.
    if (done < (this.#points.at(-1)?.done ?? 0)) this.#points = []
    this.#points.push({ at, done })
    while (this.#points.length > 2 && this.#points[1]!.at <= at - WINDOW_MS) this.#points.shift()
    const first = this.#points[0]!
    const seconds = (at - first.at) / 1000
    const bytesPerSecond = seconds > 0 ? (done - first.done) / seconds : 0
    const left = Math.max(0, total - done)
    return {
      done,
      total,
      bytesPerSecond,
      secondsLeft: left === 0 ? 0 : bytesPerSecond > 0 ? left / bytesPerSecond : null,
    }
  }
}
