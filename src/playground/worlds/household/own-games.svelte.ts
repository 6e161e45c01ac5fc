/** Games that a person made, in this browser. Tabs notify each other of changes. */
import type { HouseholdGame } from '../../../worlds/household/engine/game.ts'
import { IndexedDbGameLibrary, OWN_GAMES } from '../../../worlds/household/library/indexeddb-library.ts'
import { openTabChannel } from '../../../storage/browser-storage.ts'
import { errorText } from '../../../threads/error-text.ts'

export class OwnGames {
  readonly #library = new IndexedDbGameLibrary(OWN_GAMES)
  readonly #tabs = openTabChannel('household-own-games')
  #games = $state.raw<readonly HouseholdGame[] | null>(null)
  #obstacle = $state.raw<string | null>(null)

  constructor() {
    this.#tabs.onmessage = () => void this.look()
  }

  /** Null until listed. */
  get games(): readonly HouseholdGame[] | null {
    return this.#games
  }
  /** Why this browser cannot keep games; null if it can. */
  get obstacle(): string | null {
    return this.#obstacle
  }

  look(): Promise<void> {
    return this.#try(async () => {
      const ids = (await this.#library.list()).map(({ id }) => id)
      this.#games = (await this.#library.get(ids)).map(({ game }) => game)
    })
  }

  /** Replaces the same game. */
  keep(game: HouseholdGame): Promise<void> {
    return this.#change(() => this.#library.put([{ id: game.id, split: 'train', game, walkthrough: [] }]))
  }

  remove(id: string): Promise<void> {
    return this.#change(() => this.#library.remove(id))
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
