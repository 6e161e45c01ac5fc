/**
 * Whether a task is won: all wanted facts hold and every other durable fact is as it was at the start, compared by equality. Free by
 * declaration: whether a deleted file that the goal speaks of is in the trash.
 */
import { BROWSER, type Facts, type FileFact, type Line, type Table } from './facts.ts'
import { areSameRows } from './document-acts.ts'
import type { DesktopGame } from './game.ts'
import { BUTTONS_SEEN, type DesktopState } from './state.ts'

export function isGoalMet({ game, facts, pages }: DesktopState): boolean {
  return areFactsMet(game, facts) && (game.goalPage < 0 || pages[BROWSER] === game.goalPage)
}

export function areFactsMet({ goal, freeContents }: DesktopGame, facts: Facts): boolean {
  if (facts === goal) return true
  return (
    areSameFiles(facts.files, goal.files, freeContents) &&
    areSameFolders(facts.folders, goal.folders) &&
    areAll(facts.documents, goal.documents, areSameLines) &&
    areAll(facts.tables, goal.tables, areSameTables) &&
    areAll(facts.mails, goal.mails, areEqual) &&
    areSameSent(facts, goal) &&
    areAll(facts.values, goal.values, Object.is) &&
    areAll(facts.bookmarks, goal.bookmarks, Object.is)
  )
}

export function areAll<T>(a: readonly T[], b: readonly T[], isSame: (x: T, y: T) => boolean): boolean {
  if (a === b) return true
  if (a.length !== b.length) return false
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i] && !isSame(a[i]!, b[i]!)) return false
  return true
}

const areEqual = <T extends object>(a: T, b: T): boolean =>
  (Object.keys(a) as (keyof T)[]).every((key) => a[key] === b[key])

/** Files are compared by content, folder and name; which of several equal copies is the original does not matter. */
export function areSameFiles(now: readonly FileFact[], goal: readonly FileFact[], free: readonly number[]): boolean {
  if (now === goal) return true
  let rest: FileFact[] | null = null
  for (let i = 0; i < Math.max(now.length, goal.length); i++) {
    const file = goal[i]
    if (file !== undefined && (now[i] === file || (now[i] && isSameFile(now[i]!, file)))) continue
    rest ??= []
    if (now[i] && !isFree(now[i]!, free)) rest.push(now[i]!)
  }
  if (rest === null) return true
  // Files at the same index are alike or listed, so only the goal's files without their like are left to find.
  for (let i = 0; i < goal.length; i++) {
    const file = goal[i]!
    if (isFree(file, free) || (now[i] && isSameFile(now[i]!, file))) continue
    const match = rest.findIndex((other) => isSameFile(other, file))
    if (match < 0) return false
    rest.splice(match, 1)
  }
  return rest.length === 0
}

const isFree = (file: FileFact, free: readonly number[]) => file.isTrashed && free.includes(file.content)

export const isSameFile = (a: FileFact, b: FileFact): boolean =>
  a.content === b.content && a.name === b.name && a.folder === b.folder && a.isTrashed === b.isTrashed

/** A folder that was made and removed leaves nothing behind. */
export function areSameFolders(now: Facts['folders'], goal: Facts['folders']): boolean {
  if (now === goal) return true
  const there = now.filter((folder) => folder !== null)
  return there.length === goal.length && there.every((folder) => goal.includes(folder))
}

export const areSameLines = (a: readonly Line[], b: readonly Line[]): boolean =>
  areAll(a, b, (x, y) => x.text === y.text && x.style === y.style)

export const areSameTables = (a: Table, b: Table): boolean => a.totals === b.totals && areSameRows(a.rows, b.rows)

function areSameSent({ sent: now }: Facts, { sent: goal }: Facts): boolean {
  if (now === goal) return true
  return now.length === goal.length && goal.every((mail) => now.some((other) => areEqual(other, mail)))
}

/** Whether everything that shows the task to be impossible was on the screen. */
export function isEvidenceSeen({ game, seen }: DesktopState): boolean {
  if (!game.evidence) return false
  return game.evidence.every(({ app, pages, needsButtons }) => {
    const wanted = pages | (needsButtons ? BUTTONS_SEEN : 0)
    return (seen[app]! & wanted) === wanted
  })
}

/** After `fail`: right if the task is infeasible, that could be known, and nothing was changed. */
export function isRightToGiveUp(state: DesktopState): boolean {
  return areFactsMet(state.game, state.facts) && isEvidenceSeen(state)
}
