/** Games to look at: those that this browser keeps, and as many generated ones as a person cares to see. */
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

/** What is asked for; null takes all. */
export interface ShelfChoice {
  source: ShelfSource
  /** Of official games a split's name, of generated ones one of GENERATED_SPLITS. */
  split: string | null
  taskType: TaskType | null
  /** Looked for in the ids of official games. */
  words: string
}

export interface ShelfItem {
  id: string
  title: string
  note: string
}

/** Items that are shown more at a time. */
const PAGE = 12

/** In the words of the charts. */
export const GENERATED_SPLITS: Record<Split, string> = {
  train: 'training',
  id: 'in distribution',
  ood: 'out of distribution',
}

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
  /** Games that are as asked for; null for generated ones, which have no end. */
  get found(): number | null {
    return this.#found
  }

  /** The official games that there are. */
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

  /** Null for a game that another tab has removed. */
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
