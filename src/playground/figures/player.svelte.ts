/** Plays an episode step by step, once, in about ten seconds. */
const WHOLE_MS = 10_000
/** Long enough to read a step. */
const LEAST_STEP_MS = 600

export class Player {
  /** Steps played so far, in [0, count]. */
  #at = $state.raw(0)
  #count = $state.raw(0)
  #timer = $state.raw<ReturnType<typeof setInterval> | null>(null)

  get at(): number {
    return this.#at
  }
  get count(): number {
    return this.#count
  }
  get isPlaying(): boolean {
    return this.#timer !== null
  }

  /** Takes another episode, at its beginning. */
  open(count: number): void {
    this.pause()
    this.#count = count
    this.#at = 0
  }

  /** Plays on; from the beginning if the episode is over. */
  play(): void {
    if (this.isPlaying || this.#count === 0) return
    if (this.#at >= this.#count) this.#at = 0
    const everyMs = Math.max(LEAST_STEP_MS, WHOLE_MS / (this.#count + 1))
    this.#timer = setInterval(() => {
      this.#at++
      if (this.#at >= this.#count) this.pause()
    }, everyMs)
  }

  pause(): void {
    if (this.#timer !== null) clearInterval(this.#timer)
    this.#timer = null
  }

  toggle(): void {
    if (this.isPlaying) this.pause()
    else this.play()
  }

  /** Stops at a step. */
  goTo(at: number): void {
    this.pause()
    this.#at = Math.max(0, Math.min(at, this.#count))
  }
}
