/**
 * Tells readers that something which changes in place has changed: often enough to look live, seldom enough that
 * drawing it leaves the processor to the models.
 */
const INTERVAL_MS = 100

export class Revision {
  #number = $state.raw(0)
  #shownAt = 0
  #timer = 0

  /** Makes whoever calls it in a derived or an effect run again after the next rise. */
  read(): void {
    void this.#number
  }

  /** Soon, together with the other rises of the same tenth of a second. */
  rise(): void {
    if (this.#timer !== 0) return
    const wait = this.#shownAt + INTERVAL_MS - performance.now()
    if (wait <= 0) this.riseNow()
    else this.#timer = window.setTimeout(() => this.riseNow(), wait)
  }

  riseNow(): void {
    clearTimeout(this.#timer)
    this.#timer = 0
    this.#shownAt = performance.now()
    this.#number++
  }
}
