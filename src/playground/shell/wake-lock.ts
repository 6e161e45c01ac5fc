/** Keeps the screen awake where the browser lets a page do so; a computer that sleeps would stop the run. */
export class WakeLock {
  #isWanted = false
  #sentinel: WakeLockSentinel | null = null
  /** While the browser is asked, so that it is asked for one lock; what changes meanwhile is looked at afterwards. */
  #isAsking = false
  #hasChanged = false

  constructor() {
    // A hidden page loses its lock; it asks again when it is back.
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
      // Refused on low battery, for one: the run goes on without.
      const sentinel = await (navigator as Partial<Navigator>).wakeLock?.request('screen').catch(() => null)
      this.#sentinel = sentinel ?? null
    } else if (!this.#isWanted && this.#sentinel !== null) {
      const sentinel = this.#sentinel
      this.#sentinel = null
      await sentinel.release()
    }
  }
}
