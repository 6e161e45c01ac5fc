/** What importing games gives: games as they are read, and for each file that is none the reason. */
import type { HouseholdGame } from '../engine/game.ts'

/** A file of a zip or folder, or one that stands alone; the path is as it is there, with "/". */
export interface SourceFile {
  path: string
  /** Found in a folder or zip, so that nobody said it is a game; if left out, what a path with folders in it is. */
  isPart?: boolean
  bytes(): Promise<Uint8Array>
}

/** ALFWorld's folders. `valid_train` is a leftover that nobody trains or evaluates on. */
export const OFFICIAL_SPLITS = ['train', 'valid_seen', 'valid_unseen', 'valid_train'] as const
export type OfficialSplit = (typeof OFFICIAL_SPLITS)[number]

/** One game as it is kept. */
export interface LibraryGame {
  /** Of the game: "task folder/trial folder", or the file's path where it has none. */
  id: string
  /** Null where the path names none: such a game is kept and can be played, but no run draws it. */
  split: OfficialSplit | null
  game: HouseholdGame
  /** Commands that win it, as the file gives them; empty if it has none. */
  walkthrough: readonly string[]
}

export interface ImportProblem {
  path: string
  /** One sentence: what is wrong with the file. */
  reason: string
}

export type ImportItem = { kind: 'game'; game: LibraryGame } | { kind: 'problem'; problem: ImportProblem }

/** Games that were imported. Plain data in and out, so that it may live in a browser's storage. */
export interface GameLibrary {
  put(games: readonly LibraryGame[]): Promise<void>
  /** What is there, cheaply. */
  list(): Promise<readonly LibraryEntry[]>
  /** In the order asked for; ids that are not there are left out. */
  get(ids: readonly string[]): Promise<LibraryGame[]>
  clear(): Promise<void>
}

export type LibraryEntry = Pick<LibraryGame, 'id' | 'split'> & { taskType: HouseholdGame['goal']['taskType'] }

export function entryOf({ id, split, game }: LibraryGame): LibraryEntry {
  return { id, split, taskType: game.goal.taskType }
}
