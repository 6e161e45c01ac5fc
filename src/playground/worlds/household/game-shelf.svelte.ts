/** Games to browse: the imported ones, and an endless list of generated ones. */
import {
  goalSentence,
  type HouseholdGame,
  type SceneSize,
  type TaskType,
} from '../../../worlds/household/engine/game.ts'
import { generateGame } from '../../../worlds/household/generator/generate-game.ts'
import type { Split } from '../../../method/ports.ts'
import type { LibraryEntry } from '../../../worlds/household/library/game-library.ts'
import { IndexedDbGameLibrary } from '../../../worlds/household/library/indexeddb-library.ts'
import { gameTitle, splitName } from './games.ts'
import { slicer } from '../../kit/time-slice.ts'

export type ShelfSource = SceneSize | 'official'

/** Filters; null matches everything. */
export interface ShelfChoice {
  source: ShelfSource
  /** A split's name for official games; a Split for generated ones. */
  split: string | null
  taskType: TaskType | null
  /** Text to find in the ids of official games. */
  words: string
}

export interface ShelfItem {
  id: string
  title: string
  note: string
}

/** Items added by each "Show more". */
const PAGE = 12

export class GameShelf {
  readonly #library = new IndexedDbGameLibrary()
  readonly #generated: Record<string, HouseholdGame> = {}
  #entries: readonly LibraryEntry[] = []
  #choice = $state.raw<ShelfChoice>({ source: 'compact', split: 'train', taskType: null, words: '' })
  #wanted = PAGE
  #items = $state.raw<readonly ShelfItem[]>([])
  #hasMore = $state.raw(false)
  #found = $state.raw<number | null>(null)
  #filling = 0

  get choice(): ShelfChoice {
    return this.#choice
  }
  get items(): readonly ShelfItem[] {
    return this.#items
  }
  get hasMore(): boolean {
    return this.#hasMore
  }
  /** Games that match the filters; null for generated ones, which are endless. */
  get found(): number | null {
    return this.#found
  }

  /** Sets the imported games. */
  async offer(entries: readonly LibraryEntry[]): Promise<void> {
    this.#entries = entries
    await this.#fill()
  }

  async choose(change: Partial<ShelfChoice>): Promise<void> {
    const isOtherSource = change.source !== undefined && change.source !== this.#choice.source
    const split = change.source === 'official' ? null : 'train'
    this.#choice = { ...this.#choice, ...(isOtherSource && { split, words: '' }), ...change }
    this.#wanted = PAGE
    await this.#fill()
  }

  async showMore(): Promise<void> {
    this.#wanted += PAGE
    await this.#fill()
  }

  /** Null if another tab has removed the game. */
  async game(id: string): Promise<HouseholdGame | null> {
    const generated = this.#generated[id]
    if (generated) return generated
    return (await this.#library.get([id]))[0]?.game ?? null
  }

  async #fill(): Promise<void> {
    const filling = ++this.#filling
    const { source, split, taskType, words } = this.#choice
    if (source === 'official') {
      const wanted = words.trim().toLowerCase().split(/\s+/)
      const found = this.#entries.filter(
        (entry) =>
          (split === null || splitName(entry.split) === split) &&
          (taskType === null || entry.taskType === taskType) &&
          wanted.every((word) => `${gameTitle(entry.id)} ${entry.id}`.toLowerCase().includes(word)),
      )
      this.#items = found
        .slice(0, this.#wanted)
        .map((entry) => ({ id: entry.id, title: gameTitle(entry.id), note: `${splitName(entry.split)}, ${entry.id}` }))
      this.#hasMore = found.length > this.#wanted
      this.#found = found.length
      return
    }
    const slice = slicer()
    const items: ShelfItem[] = []
    for (let seed = 1; seed <= this.#wanted; seed++) {
      const game = generateGame({
        seed,
        split: split as Split,
        sceneSize: source,
        ...(taskType !== null && { taskTypes: [taskType] }),
      })
      this.#generated[game.id] = game
      items.push(generatedItem(game, seed))
      if (slice.isDue()) await slice.rest()
      if (filling !== this.#filling) return
    }
    this.#items = items
    this.#hasMore = true
    this.#found = null
  }
}

function generatedItem(
  { id, goal, phrasing, floorPlan, receptacles, objects }: HouseholdGame,
  seed: number,
): ShelfItem {
  const scene = `floor plan ${floorPlan}, ${receptacles.length} receptacles, ${objects.length} objects, seed ${seed}`
  return { id, title: goalSentence(goal, phrasing), note: scene }
}
