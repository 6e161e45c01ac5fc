/**
 * Tells readers that something which changes in place has changed: often enough to look live, seldom enough that
 * drawing it leaves the processor to the models. Panels hear of it one after another, each in a task of its own, so
 * that the page answers between two of them.
 */
const INTERVAL_MS = 100

/** In the order in which they are told. */
export const PANELS = ['loop', 'curves', 'trajectories', 'tasks'] as const
export type Panel = (typeof PANELS)[number]

class Lane {
  number = $state.raw(0)
}

export class Revision {
  readonly #lanes: Record<Panel, Lane> = {
    loop: new Lane(),
    curves: new Lane(),
    trajectories: new Lane(),
    tasks: new Lane(),
  }
  #shownAt = 0
  #timer = 0
  #isTelling = false
  #isRisenMeanwhile = false

  /** Makes whoever calls it in a derived or an effect run again after the next rise. */
  read(panel: Panel = 'loop'): void {
    void this.#lanes[panel].number
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
    if (this.#isTelling) this.#isRisenMeanwhile = true
    else this.#tell(0)
  }

  #tell(index: number): void {
    const panel = PANELS[index]
    this.#isTelling = panel !== undefined
    if (panel !== undefined) {
      this.#lanes[panel].number++
      setTimeout(() => this.#tell(index + 1), 0)
    } else if (this.#isRisenMeanwhile) {
      this.#isRisenMeanwhile = false
      this.#tell(0)
    }
  }
}
