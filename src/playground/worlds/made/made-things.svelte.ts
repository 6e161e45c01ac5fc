/** What a person made for a world and keeps in this browser, such as games. Tabs notify each other of changes. */
import { openTabChannel, type TabChannel } from '../../../storage/browser-storage.ts'
import { errorText } from '../../../threads/error-text.ts'

export interface ThingStore<Thing> {
  list(): Promise<readonly Thing[]>
  /** Replaces the same thing. */
  put(thing: Thing): Promise<void>
  remove(id: string): Promise<void>
}

export class MadeThings<Thing> {
  readonly #store: ThingStore<Thing>
  readonly #tabs: TabChannel
  #things = $state.raw<readonly Thing[] | null>(null)
  #obstacle = $state.raw<string | null>(null)

  /** `channel` is the name under which tabs notify each other. */
  constructor(store: ThingStore<Thing>, channel: string) {
    this.#store = store
    this.#tabs = openTabChannel(channel)
    this.#tabs.onmessage = () => void this.look()
  }

  /** Null until listed. */
  get things(): readonly Thing[] | null {
    return this.#things
  }
  /** Why this browser cannot keep them; null if it can. */
  get obstacle(): string | null {
    return this.#obstacle
  }

  look(): Promise<void> {
    return this.#try(async () => {
      this.#things = await this.#store.list()
    })
  }

  keep(thing: Thing): Promise<void> {
    return this.#change(() => this.#store.put(thing))
  }

  remove(id: string): Promise<void> {
    return this.#change(() => this.#store.remove(id))
  }

  async #change(change: () => Promise<void>): Promise<void> {
    await this.#try(change)
    this.#tabs.postMessage('changed')
    if (this.#obstacle === null) await this.look()
  }

  async #try(work: () => Promise<void>): Promise<void> {
    try {
      await work()
      this.#obstacle = null
    } catch (cause) {
      this.#obstacle = errorText(cause)
    }
  }
}
