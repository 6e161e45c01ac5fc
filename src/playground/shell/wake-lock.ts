/** Keeps the screen awake where the browser allows it, since a sleeping computer would stop the run. */
export class WakeLock {
  #isWanted = false
  #sentinel: WakeLockSentinel | null = null
  /** Whether a request is pending. Changes are applied after it, so that there is only one lock. */
  #isAsking = false
  #hasChanged = false

  constructor() {
    // A hidden page loses its lock and requests it again when it is visible.
    document.addEventListener('visibilitychange', () => void this.#update())
  }

  want(isWanted: boolean): void {
    this.#isWanted = isWanted
    void this.#update()
  }

  async #update(): Promise<void> {
    this.#hasChanged = true
    if (this.#isAsking) return
    this.#isAsking = true
    while (this.#hasChanged) {
      this.#hasChanged = false
      await this.#ask()
    }
    this.#isAsking = false
  }

  async #ask(): Promise<void> {
    const isDue = this.#isWanted && document.visibilityState === 'visible'
    if (isDue && (this.#sentinel === null || this.#sentinel.released)) {
      // May be refused, for example on low battery; the run continues without it.
      const sentinel = await (navigator as Partial<Navigator>).wakeLock?.request('screen').catch(() => null)
      this.#sentinel = sentinel ?? null
    } else if (!this.#isWanted && this.#sentinel !== null) {
      const sentinel = this.#sentinel
      this.#sentinel = null
      await sentinel.release()
    }
  }
}
