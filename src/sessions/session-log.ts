/** The log of a running loop, and how much of it the store has. Events are stored in chunks. */
import type { LoggedEvent } from '../method/events.ts'
import type { RunStore } from '../runs/run-store.ts'
import { stateEvent } from '../runs/state-event.ts'

/** Most events that may be pending before they are stored. */
const EVENTS_PER_CHUNK = 256

export interface SessionLogOptions {
  store: RunStore
  /** The log of a resumed run; the models hold the weights that belong to its end. */
  history?: readonly LoggedEvent[]
  /** The store can return the log, so free here what the loop does not read once it is stored (state-event.ts). */
  forgetsStored?: boolean
  /** If set, the run continues when storing fails; otherwise the failure ends it. */
  onStoreFailure?(error: unknown): void
}

export class SessionLog {
  readonly #runId: string
  readonly #options: SessionLogOptions
  readonly #events: LoggedEvent[]
  #stored: number
  /** Length when storing was tried last; a failed try is repeated with the next events. */
  #tried: number

  constructor(runId: string, options: SessionLogOptions) {
    this.#runId = runId
    this.#options = options
    this.#events = [...(options.history ?? [])]
    this.#stored = this.#tried = this.#events.length
  }

  /** Event n at index n. */
  get events(): readonly LoggedEvent[] {
    return this.#events
  }

  /** The store has this many events, from the first on. */
  get storedCount(): number {
    return this.#stored
  }

  get isStored(): boolean {
    return this.#stored === this.#events.length
  }

  /** The last finished iteration; 0 before the first. */
  get iteration(): number {
    return this.#events.findLast((event) => event.type === 'iteration-finished')?.iteration ?? 0
  }

  add(event: LoggedEvent): void {
    this.#events.push(event)
  }

  /** Adds an event that is stored already, and all before it. */
  addStored(event: LoggedEvent): void {
    this.#events.push(event)
    this.#stored = this.#tried = this.#events.length
  }

  async flushChunk(): Promise<void> {
    if (this.#events.length - this.#tried >= EVENTS_PER_CHUNK) await this.flush()
  }

  async flush(): Promise<void> {
    const { store, forgetsStored = false } = this.#options
    const end = (this.#tried = this.#events.length)
    // In chunks, because a store that is full for long leaves more pending than can be packed at each try.
    while (this.#stored < end) {
      const from = this.#stored
      const events = this.#events.slice(from, Math.min(end, from + EVENTS_PER_CHUNK))
      if (!(await this.write(() => store.append(this.#runId, events)))) return
      this.#stored = from + events.length
      if (!forgetsStored) continue
      events.forEach((event, i) => {
        this.#events[from + i] = stateEvent(event)
      })
    }
  }

  /** False if it failed. */
  async write(work: () => Promise<void>): Promise<boolean> {
    try {
      await work()
      return true
    } catch (error) {
      if (this.#options.onStoreFailure === undefined) throw error
      this.#options.onStoreFailure(error)
      return false
    }
  }
}
