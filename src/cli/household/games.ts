/** The games that the command line plays: generated ones by seed, or official ones by id; each is created once. */
import {
  taskSentence,
  taskTypes,
  type HouseholdGame,
  type SceneSize,
  type TaskType,
} from '../../worlds/household/engine/game.ts'
import { generateGame } from '../../worlds/household/generator/generate-game.ts'
import type { Split } from '../../method/ports.ts'
import { readGamePath } from '../../worlds/household/official/game-path.ts'
import { seededRandom, shuffled } from '../../worlds/random.ts'
import type { SourceFile } from '../../worlds/household/library/game-library.ts'
import { importGames } from '../../worlds/household/library/import-games.ts'
import { OFFICIAL_SPLIT_OF } from '../../worlds/household/library/imported-games.ts'
import { openGames } from '../../worlds/household/library/node-files.ts'
import { errorText } from '../../threads/error-text.ts'

export const SPLITS = ['train', 'id', 'ood'] as const satisfies Split[]
export const SCENES = ['compact', 'full'] as const satisfies SceneSize[]

/** Which games to choose from. */
export interface GameFilter {
  split?: Split
  /** Size of generated games. */
  scene?: SceneSize
  task?: TaskType
}

export interface ListedGame {
  id: string
  split: string | null
  task: TaskType
  goal: string
}

/** There is no such game, or more than one; the message is for the user. */
export class NoGameError extends Error {
  override readonly name = 'NoGameError'
}

/** Both throw NoGameError. */
export interface GameShelf {
  /** Finds a game by its id or, for files, by a unique part of it. */
  byId(id: string, filter: GameFilter): Promise<HouseholdGame>
  /** Draws a game that depends only on the seed. */
  bySeed(seed: number, filter: GameFilter): Promise<HouseholdGame>
  /** `count` games starting at `first`: generated ones by seed, official ones by id. */
  list(first: number, count: number, filter: GameFilter): AsyncGenerator<ListedGame>
}

/** Games kept in memory, since agents play the same ones again. */
const KEPT_GAMES = 1000

export class GeneratedShelf implements GameShelf {
  readonly #kept = new Map<string, HouseholdGame>()

  /** Calls `onProblem` for seeds without a game of the requested kind. */
  constructor(private readonly onProblem: (problem: string) => void) {}

  async bySeed(seed: number, { split = 'train', scene = 'full', task }: GameFilter): Promise<HouseholdGame> {
    const name = [seed, split, scene, task].join()
    let game = this.#kept.get(name)
    if (!game) {
      try {
        game = generateGame({ seed, split, sceneSize: scene, ...(task && { taskTypes: [task] }) })
      } catch (cause) {
        throw new NoGameError(errorText(cause), { cause })
      }
      if (this.#kept.size >= KEPT_GAMES) this.#kept.delete(this.#kept.keys().next().value!)
      this.#kept.set(name, game)
    }
    return game
  }

  /** Reads the seed from the id of a generated game, whether or not the id names a task type. */
  async byId(id: string): Promise<HouseholdGame> {
    const [, task, split, scene, seed] = /^(\w+)-\w+-\w+-\d+\/(train|id|ood)-(compact|full)-(\d+)$/.exec(id) ?? []
    if (seed !== undefined) {
      const filter = { split: split as Split, scene: scene as SceneSize }
      for (const wish of [filter, { ...filter, task: task as TaskType }]) {
        const game = await this.bySeed(Number(seed), wish)
        if (game.id === id) return game
      }
    }
    throw new NoGameError(
      `No generated game has the id "${id}". Use one that --list shows, or --games PATH for official games.`,
    )
  }

  async *list(first: number, count: number, filter: GameFilter): AsyncGenerator<ListedGame> {
    for (let seed = first; seed < first + count; seed++) {
      try {
        const game = await this.bySeed(seed, filter)
        yield listed(game, game.origin!.split)
      } catch (error) {
        if (!(error instanceof NoGameError)) throw error
        this.onProblem(error.message)
      }
    }
  }
}

function listed(game: HouseholdGame, split: string | null): ListedGame {
  return { id: game.id, split, task: game.goal.taskType, goal: taskSentence(game) }
}

interface ShelvedFile {
  id: string
  /** ALFWorld's folder, if the path names one. */
  folder: string | null
  source: SourceFile
  read?: Promise<HouseholdGame>
}

/** A release has thousands of games and a session plays a few, so each is read on request. */
export class OfficialShelf implements GameShelf {
  readonly #files: readonly ShelvedFile[]

  private constructor(
    private readonly path: string,
    files: Iterable<ShelvedFile>,
    private readonly onProblem: (problem: string) => void,
  ) {
    this.#files = [...files].sort((a, b) => (a.id < b.id ? -1 : 1))
  }

  /** Calls `onProblem` for files that cannot be read. Throws NoGameError if none can. */
  static async open(path: string, onProblem: (problem: string) => void): Promise<OfficialShelf> {
    const files = new Map<string, ShelvedFile>()
    try {
      for await (const source of openGames(path)) {
        if (!source.path.endsWith('.tw-pddl')) continue
        const { id, parent } = readGamePath(source.path)
        const name = id ?? source.path
        if (!files.has(name)) files.set(name, { id: name, folder: parent, source })
      }
    } catch (cause) {
      const reason = errorText(cause)
      if (files.size === 0) throw new NoGameError(`"${path}" has no playable games: ${reason}`, { cause })
      onProblem(`${path}: ${reason}`)
    }
    if (files.size === 0) throw new NoGameError(`"${path}" contains no games: no file in it is named "*.tw-pddl".`)
    return new OfficialShelf(path, files.values(), onProblem)
  }

  async byId(id: string, filter: GameFilter): Promise<HouseholdGame> {
    const files = this.#matching(filter)
    const found = files.filter((file) => file.id === id)
    if (found.length === 0) found.push(...files.filter((file) => file.id.includes(id)))
    if (found.length === 1) {
      const game = await this.#game(found[0]!)
      if (isOfType(game, filter.task)) return game
      throw new NoGameError(`The task of "${game.id}" is of the type ${game.goal.taskType}, not ${filter.task}.`)
    }
    if (found.length === 0) throw new NoGameError(`No game in "${this.path}" has "${id}" in its id.`)
    const some = found.slice(0, 3).map((file) => file.id)
    throw new NoGameError(
      `${found.length} games have "${id}" in their id, such as ${some.join(' and ')}; use more of the id.`,
    )
  }

  /** Draws like a run: the first game for the seed and split. */
  async bySeed(seed: number, filter: GameFilter): Promise<HouseholdGame> {
    const { split, task } = filter
    const random = seededRandom('library', split ? OFFICIAL_SPLIT_OF[split] : 'all', seed)
    let unreadable: NoGameError | undefined
    for (const file of shuffled(random, this.#matching({ split }))) {
      if (!mayBe(file, task)) continue
      try {
        const game = await this.#game(file)
        if (isOfType(game, task)) return game
      } catch (error) {
        if (!(error instanceof NoGameError)) throw error
        unreadable = error
      }
    }
    if (unreadable) throw unreadable
    throw new NoGameError(`"${this.path}" has no ${[split, task].filter(Boolean).join(' ')} game.`)
  }

  async *list(first: number, count: number, filter: GameFilter): AsyncGenerator<ListedGame> {
    let left = count
    let skip = first
    for (const file of this.#matching(filter)) {
      if (left <= 0) return
      // Without a task type, what is skipped need not be read.
      if (filter.task === undefined && skip-- > 0) continue
      try {
        const game = await this.#game(file)
        if (!isOfType(game, filter.task)) continue
        if (filter.task !== undefined && skip-- > 0) continue
        yield listed(game, file.folder)
        left--
      } catch (error) {
        if (!(error instanceof NoGameError)) throw error
        this.onProblem(error.message)
      }
    }
  }

  #matching({ split, task }: GameFilter): ShelvedFile[] {
    const folder = split && OFFICIAL_SPLIT_OF[split]
    return this.#files.filter((file) => (folder === undefined || file.folder === folder) && mayBe(file, task))
  }

  /** With the id of its file: a game that is not in the folders of a release has another one by itself. */
  #game(file: ShelvedFile): Promise<HouseholdGame> {
    const { source } = file
    // A single file has a name made of its last folders, but a person gave its path.
    const shown = source.isPart === false ? this.path : source.path
    return (file.read ??= readGame(source, shown).then((game) => ({ ...game, id: file.id })))
  }
}

const isOfType = ({ goal }: HouseholdGame, task: TaskType | undefined) => task === undefined || goal.taskType === task

/** Guesses from the folder's name; only the game itself is certain. */
function mayBe({ id }: ShelvedFile, task: TaskType | undefined): boolean {
  return task === undefined || taskTypes.every((type) => type === task || !id.startsWith(`${type}-`))
}

/** Throws NoGameError with the reason, which calls the file `shown`. */
export async function readGame(source: SourceFile, shown = source.path): Promise<HouseholdGame> {
  for await (const item of importGames(alone(source))) {
    if (item.kind === 'game') return item.game.game
    throw new NoGameError(`"${shown}" cannot be played. ${item.problem.reason}`)
  }
  throw new NoGameError(`"${shown}" is not a game.`)
}

async function* alone(source: SourceFile): AsyncGenerator<SourceFile> {
  yield source
}
