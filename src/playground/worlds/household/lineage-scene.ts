/**
 * Describes what a rewrite did to a room: the differences between the rooms if the log has them. A published log has no rooms; a
 * generated room is drawn again from its seed, and where that is impossible, the author's line is explained.
 */
import { nameOf, type HouseholdGame } from '../../../worlds/household/engine/game.ts'
import { parseRewrite, type TaskRewrite } from '../../../worlds/household/rewrites/language.ts'
import { gameOf, type Hint, type HouseholdTask } from '../../../worlds/household/task.ts'
import type { RewriteProposed } from '../../../method/events.ts'
import type { RunView } from '../../../runs/fold.ts'
import type { Task } from '../../../method/ports.ts'
import { counted } from '../../kit/format.ts'
import { householdTask, playedTask } from './played-task.ts'

export interface SceneChange {
  sentences: string[]
  /** The rooms in the log, rooms drawn again from the seed, or only the author's line. */
  from: 'log' | 'seed' | 'words'
}

/** Most rewrites to apply again for one room. Each takes milliseconds because an expert tries it. */
const MOST_APPLIED = 4

/** `run` is null if there is nothing to draw a room from. */
export function sceneChange(before: Task, proposal: RewriteProposed, run: RunView | null): SceneChange {
  const then = householdTask(before)
  const now = householdTask(proposal.candidate)
  if (then && now) return { sentences: differences(then, now), from: 'log' }
  if (run?.settings && proposal.candidate && run.lineage(proposal.candidate.id).length <= 1 + MOST_APPLIED) {
    const [old, next] = [before.id, proposal.candidate.id].map((id) => playedTask(run, id, run.settings!))
    if (old && next) return { sentences: differences(old, next), from: 'seed' }
  }
  const text = proposal.attempts.findLast(({ ok }) => ok)?.text
  const rewrite = text === undefined ? null : parseRewrite(text)
  return { sentences: rewrite ? [rewriteSentence(rewrite)] : [], from: 'words' }
}

/** Explains the author's line. */
export function rewriteSentence(rewrite: TaskRewrite): string {
  switch (rewrite.kind) {
    case 'change-goal':
      return `The goal is now ${rewrite.object} with ${rewrite.target}.`
    case 'add-hint':
      return `A hint says where ${rewrite.object} is.`
    case 'remove-hints':
      return 'The hints are removed.'
    case 'add-distractors':
      return `${counted(rewrite.count, 'object')} that the goal does not need ${rewrite.count === 1 ? 'is' : 'are'} added to the room.`
    case 'remove-object':
      return `${rewrite.object} is removed from the room.`
    case 'open':
      return `${rewrite.receptacle} starts open.`
    case 'close':
      return `${rewrite.receptacle} starts closed.`
    case 'move':
      return `${rewrite.object} starts in ${rewrite.receptacle}.`
  }
}

function differences(before: HouseholdTask, after: HouseholdTask): string[] {
  const then = gameOf(before)
  const now = gameOf(after)
  const places = (game: HouseholdGame) =>
    new Map(
      game.objects.map((object) => [
        nameOf(object),
        object.in.map((index) => nameOf(game.receptacles[index]!)).join(' and ') || 'an unreachable place',
      ]),
    )
  const [was, is] = [places(then), places(now)]
  const openNames = (game: HouseholdGame) => new Set(game.open.map((index) => nameOf(game.receptacles[index]!)))
  const [wasOpen, isOpen] = [openNames(then), openNames(now)]
  const isTold = (hints: readonly Hint[], { object, receptacle }: Hint) =>
    hints.some((hint) => hint.object === object && hint.receptacle === receptacle)
  const result: string[] = []
  if (before.goal.object !== after.goal.object || before.goal.target !== after.goal.target)
    result.push(
      `The goal was ${before.goal.object} with ${before.goal.target} and is now ${after.goal.object} with ${after.goal.target}.`,
    )
  for (const hint of after.hints)
    if (!isTold(before.hints, hint)) result.push(`A hint says that ${hint.object} is in ${hint.receptacle}.`)
  for (const hint of before.hints)
    if (!isTold(after.hints, hint)) result.push(`The hint about ${hint.object} is removed.`)
  for (const [name, place] of is) if (!was.has(name)) result.push(`${name} is added to ${place}.`)
  for (const [name, place] of was) {
    if (!is.has(name)) result.push(`${name} is removed from ${place}.`)
    else if (is.get(name) !== place) result.push(`${name} starts in ${is.get(name)} and not in ${place}.`)
  }
  for (const name of isOpen) if (!wasOpen.has(name)) result.push(`${name} starts open.`)
  for (const name of wasOpen) if (!isOpen.has(name)) result.push(`${name} starts closed.`)
  return result
}
