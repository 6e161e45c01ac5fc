/** Delivers events in batches: the first at once, the rest at most every INTERVAL_MS, so as not to flood the page. */
import type { RunEvent } from '../method/events.ts'

const INTERVAL_MS = 50

export class EventBatcher {
  readonly #deliver: (batch: RunEvent[]) => void
  #waiting: RunEvent[] = []
  #timer: ReturnType<typeof setTimeout> | null = null

  constructor(deliver: (batch: RunEvent[]) => void) {
    this.#deliver = deliver
  }

  push(event: RunEvent): void {
    this.#waiting.push(event)
    if (this.#timer !== null) return
    this.#timer = setTimeout(() => this.#onTimer(), INTERVAL_MS)
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
    this.#timer = setTimeout(() => this.#onTimer(), INTERVAL_MS)
    this.#send()
  }

  #send(): void {
    if (this.#waiting.length === 0) return
    const batch = this.#waiting
    this.#waiting = []
    this.#deliver(batch)
  }
}
