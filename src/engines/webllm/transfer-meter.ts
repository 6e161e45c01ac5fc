/** Speed and remaining time of a download, from the bytes of the last seconds. */

export interface TransferState {
  done: number
  total: number
  /** Over the last seconds; 0 while unknown. */
  bytesPerSecond: number
  /** Null while unknown. */
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
    // A falling count means that another download has started, so the measurement starts over.
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
