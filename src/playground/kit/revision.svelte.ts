/**
 * Announces changes of an object that changes in place: often enough to look live, seldom enough to leave the processor to
 * the models. Readers belong to lanes, which are announced one after another in tasks of their own, so that the page stays
 * responsive between them.
 */
const INTERVAL_MS = 100

/** In the order of their announcements. */
export const LANES = ['loop', 'curves', 'trajectories', 'tasks'] as const
export type Lane = (typeof LANES)[number]

class Counter {
  value = $state.raw(0)
}

export class Revision {
  readonly #counters: Record<Lane, Counter> = {
    loop: new Counter(),
    curves: new Counter(),
    trajectories: new Counter(),
    tasks: new Counter(),
  }
  #announcedAt = 0
  #timer = 0
  #isAnnouncing = false
  #hasRisenMeanwhile = false

  /** Makes the surrounding derived or effect run again after the next rise. */
  read(lane: Lane = 'loop'): void {
    void this.#counters[lane].value
  }

  /** Announces a change soon, together with others within the interval. */
  rise(): void {
    if (this.#timer !== 0) return
    const wait = this.#announcedAt + INTERVAL_MS - performance.now()
    if (wait <= 0) this.riseNow()
    else this.#timer = window.setTimeout(() => this.riseNow(), wait)
  }

  riseNow(): void {
    clearTimeout(this.#timer)
    this.#timer = 0
    this.#announcedAt = performance.now()
    if (this.#isAnnouncing) this.#hasRisenMeanwhile = true
    else this.#announce(0)
  }

  #announce(index: number): void {
    const lane = LANES[index]
    this.#isAnnouncing = lane !== undefined
    if (lane !== undefined) {
      this.#counters[lane].value++
      setTimeout(() => this.#announce(index + 1), 0)
    } else if (this.#hasRisenMeanwhile) {
      this.#hasRisenMeanwhile = false
      this.#announce(0)
    }
  }
}
