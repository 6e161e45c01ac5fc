/**
 * What a screen reader hears of something that goes on for long. A new topic is said at once; news of the same topic now
 * and then, and then the latest of them: a run with an iteration a second would otherwise speak over everything else.
 */
export class Announcer {
  #said = $state.raw('')
  #topic: string | null = null
  /** Told while it was too early to say it; null if nothing was. */
  #waiting: string | null = null
  #timer: ReturnType<typeof setTimeout> | undefined
  readonly #intervalMs: number

  constructor(intervalMs = 30_000) {
    this.#intervalMs = intervalMs
  }

  /** The text of the live region. */
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
