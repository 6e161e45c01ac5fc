/** Imported games in memory: the library of the command line. */
import { entryOf, type GameLibrary, type LibraryEntry, type LibraryGame } from './game-library.ts'

export class MemoryGameLibrary implements GameLibrary {
  readonly #games = new Map<string, LibraryGame>()

  async put(games: readonly LibraryGame[]): Promise<void> {
    for (const game of games) this.#games.set(game.id, game)
  }

  async list(): Promise<readonly LibraryEntry[]> {
    return [...this.#games.values()].map(entryOf).sort((a, b) => (a.id < b.id ? -1 : 1))
  }

  async get(ids: readonly string[]): Promise<LibraryGame[]> {
    return ids.flatMap((id) => this.#games.get(id) ?? [])
  }

  async clear(): Promise<void> {
    this.#games.clear()
  }
}
