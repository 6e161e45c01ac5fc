/** The library of imported games, and the results of an import: games, and problems with files that are not games. */
import type { HouseholdGame } from '../engine/game.ts'

/** A file of a zip or folder, or a single file. Its path is as it is there, with "/". */
export interface SourceFile {
  path: string
  /** Found in a folder or zip, so it need not be a game. Defaults to whether the path contains folders. */
  isPart?: boolean
  bytes(): Promise<Uint8Array>
}

/** ALFWorld's folders. `valid_train` is a leftover, used for neither training nor evaluation. */
export const OFFICIAL_SPLITS = ['train', 'valid_seen', 'valid_unseen', 'valid_train'] as const
export type OfficialSplit = (typeof OFFICIAL_SPLITS)[number]

/** A game as the library stores it. */
export interface LibraryGame {
  /** The game's id: "task folder/trial folder", or the file's path if it is not in such folders. */
  id: string
  /** Null if the path names none: such a game can be played by hand, but no run draws it. */
  split: OfficialSplit | null
  game: HouseholdGame
  /** Winning commands from the file; empty if it has none. */
  walkthrough: readonly string[]
}

export interface ImportProblem {
  path: string
  /** What is wrong with the file, in one sentence. */
  reason: string
}

export type ImportItem = { kind: 'game'; game: LibraryGame } | { kind: 'problem'; problem: ImportProblem }

/** Stores imported games. Takes and returns plain data, so it can be in a browser's storage. */
export interface GameLibrary {
  put(games: readonly LibraryGame[]): Promise<void>
  /** Lists all games by id, without reading them. */
  list(): Promise<readonly LibraryEntry[]>
  /** Returns games in the order of the ids, and skips unknown ids. */
  get(ids: readonly string[]): Promise<LibraryGame[]>
  clear(): Promise<void>
}

export type LibraryEntry = Pick<LibraryGame, 'id' | 'split'> & { taskType: HouseholdGame['goal']['taskType'] }

export function entryOf({ id, split, game }: LibraryGame): LibraryEntry {
  return { id, split, taskType: game.goal.taskType }
}
