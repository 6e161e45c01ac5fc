/** Changes of settings that wait for the next iteration. */
import { definedEntries, type LivePatch } from '../method/settings.ts'

/** A slider that is dragged changes a setting many times a second. */
const SETTLES_AFTER_MS = 300

export class PendingPatch {
  readonly #onSettled: () => void
  #patch: LivePatch | null = null
  #isSettled = false
  #isKept = false
  #timer: ReturnType<typeof setTimeout> | undefined

  /** Calls `onSettled` when nothing has been added for a while. */
  constructor(onSettled: () => void) {
    this.#onSettled = onSettled
  }

  /** Whether there are changes, and the last of them is not of just now. */
  get isSettled(): boolean {
    return this.#isSettled
  }

  /** Settled changes that are not kept yet, to be kept now; null without any. */
  takeUnkept(): LivePatch | null {
    if (!this.#isSettled || this.#isKept) return null
    this.#isKept = true
    return this.#patch
  }

  add(patch: LivePatch): void {
    if (Object.keys(definedEntries(patch)).length === 0) return
    this.#patch = { ...this.#patch, ...definedEntries(patch) }
    this.#isSettled = this.#isKept = false
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => {
      this.#isSettled = true
      this.#onSettled()
    }, SETTLES_AFTER_MS)
  }

  /** All changes, which then no longer wait; null without any. */
  take(): LivePatch | null {
    const patch = this.#patch
    this.#patch = null
    this.#isSettled = false
    clearTimeout(this.#timer)
    return patch
  }
}
