/** Describes imported games: counts by split and type, problems with files, and the meaning of an id. */
import type { ImportProblem, LibraryEntry } from '../../../worlds/household/library/game-library.ts'
import { OFFICIAL_SPLITS, type OfficialSplit } from '../../../worlds/household/library/game-library.ts'
import { goalSentence, taskTypes, type TaskType } from '../../../worlds/household/engine/game.ts'

/** Splits that an evaluated run needs. */
export const EVALUATION_SPLITS = ['valid_seen', 'valid_unseen'] as const satisfies readonly OfficialSplit[]

export interface CountTable {
  /** Splits with at least one game. */
  columns: string[]
  /** All six types, in ALFWorld's order; counts[column]. */
  rows: { taskType: TaskType; counts: number[]; total: number }[]
  totals: number[]
  total: number
}

export function countTable(entries: readonly LibraryEntry[]): CountTable {
  const splits = [...OFFICIAL_SPLITS, null].filter((split) => entries.some((entry) => entry.split === split))
  const count = (taskType: TaskType | null, split: OfficialSplit | null) =>
    entries.filter((entry) => entry.split === split && (taskType === null || entry.taskType === taskType)).length
  const rows = taskTypes.map((taskType) => {
    const counts = splits.map((split) => count(taskType, split))
    return { taskType, counts, total: counts.reduce((sum, n) => sum + n, 0) }
  })
  const totals = splits.map((split) => count(null, split))
  return { columns: splits.map(splitName), rows, totals, total: entries.length }
}

/** ALFWorld's name of the split, or a description if the game's path has none. */
export function splitName(split: OfficialSplit | null): string {
  return split ?? 'no split'
}

export interface ProblemGroup {
  reason: string
  paths: string[]
}

/** Problems grouped by reason, most files first, because thousands of files may share one. */
export function problemGroups(problems: readonly ImportProblem[]): ProblemGroup[] {
  const groups = new Map<string, string[]>()
  for (const { path, reason } of problems) {
    const paths = groups.get(reason)
    if (paths) paths.push(path)
    else groups.set(reason, [path])
  }
  return [...groups].map(([reason, paths]) => ({ reason, paths })).sort((a, b) => b.paths.length - a.paths.length)
}

/**
 * An official game's id in words: "pick_two_obj_and_place-Mug-None-Shelf-1/trial_T2019…" is "put two mug in shelf, floor
 * plan 1". An id of another form is unchanged.
 */
export function gameTitle(id: string): string {
  const match = /^([a-z_]+)-(\w+)-\w+-(\w+)-(\d+)\//.exec(id)
  const taskType = taskTypes.find((type) => type === match?.[1])
  if (!match || !taskType) return id
  const [object, target, floorPlan] = match.slice(2) as [string, string, string]
  const goal = { taskType, object: object.toLowerCase(), target: target.toLowerCase() }
  return `${goalSentence(goal, 0)}, floor plan ${floorPlan}`
}
