/**
 * Limits announcements to screen readers. A new topic is announced at once, the latest news of the same topic at intervals:
 * otherwise a run with an iteration per second would drown everything else.
 */
export class Announcer {
  #said = $state.raw('')
  #topic: string | null = null
  /** The latest text of the interval; null if there is none. */
  #waiting: string | null = null
  #timer: ReturnType<typeof setTimeout> | undefined
  readonly #intervalMs: number

  constructor(intervalMs = 30_000) {
    this.#intervalMs = intervalMs
  }

  /** Text of the live region. */
  get said(): string {
    return this.#said
  }

  announce(text: string, topic: string = text): void {
    if (topic === this.#topic && this.#timer !== undefined) {
      this.#waiting = text === this.#said ? null : text
      return
    }
    this.#topic = topic
    this.#say(text)
  }

  close(): void {
    clearTimeout(this.#timer)
  }

  #say(text: string): void {
    clearTimeout(this.#timer)
    this.#said = text
    this.#waiting = null
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      if (this.#waiting !== null) this.#say(this.#waiting)
    }, this.#intervalMs)
  }
}
