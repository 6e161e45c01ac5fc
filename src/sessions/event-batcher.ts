/** Delivers events in batches: the first at once, the rest at most every `intervalMs`, so as not to flood the page. */
import type { RunEvent } from '../method/events.ts'

export class EventBatcher {
  readonly #deliver: (batch: RunEvent[]) => void
  readonly #intervalMs: number
  #waiting: RunEvent[] = []
  #timer: ReturnType<typeof setTimeout> | null = null

  constructor(deliver: (batch: RunEvent[]) => void, intervalMs = 50) {
    this.#deliver = deliver
    this.#intervalMs = intervalMs
  }

  push(event: RunEvent): void {
    this.#waiting.push(event)
    if (this.#timer !== null) return
    this.#timer = setTimeout(() => this.#onTimer(), this.#intervalMs)
    this.#send()
  }

  /** Delivers pending events now, so that they arrive before a change of status. */
  flush(): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = null
    this.#send()
  }

  #onTimer(): void {
    this.#timer = null
    if (this.#waiting.length === 0) return
    this.#timer = setTimeout(() => this.#onTimer(), this.#intervalMs)
    this.#send()
  }

  #send(): void {
    if (this.#waiting.length === 0) return
    const batch = this.#waiting
    this.#waiting = []
    this.#deliver(batch)
  }
}
