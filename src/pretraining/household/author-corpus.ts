/**
 * The author's training data: tasks with a direction, an accuracy and a critic's summary, and a rewrite in that direction. The summary
 * guides the choice: if the object was not found, a hint or another place helps; if it was found too easily, the opposite is harder.
 */
import { generateGame } from '../../worlds/household/generator/generate-game.ts'
import { chance, pick, seededRandom, type Random } from '../../worlds/random.ts'
import { householdFormats } from '../../worlds/household/roles/plain-roles.ts'
import { formatRewrite, type TaskRewrite } from '../../worlds/household/rewrites/language.ts'
import { applyRewrite } from '../../worlds/household/rewrites/apply.ts'
import { possibleRewrites } from '../../worlds/household/rewrites/candidates.ts'
import { describeTask, taskOf, type HouseholdTask } from '../../worlds/household/task.ts'
import type { Direction } from '../../method/ports.ts'
import { authorLine, drawAccuracy, drawOfKind, drawSummary } from '../author-lines.ts'
import type { Piece } from '../demonstration-corpus.ts'

/** The shipped weights were made from rewrites to `id` goals too. */
const REWRITING = { stepLimit: 20, allowsIdGoals: true }

const COMPLAINTS = ['search', 'handling', 'idling'] as const
type Complaint = (typeof COMPLAINTS)[number]

/** Critics' reasons (critiques.ts), by what they criticise or praise. */
const REASONS: Record<Direction, Record<Complaint, (target: string) => string[]>> = {
  easier: {
    search: () => ['went to a place seen before', 'went to a useless place', 'opened a useless place'],
    handling: () => ['took a thing not needed', 'put a thing in a useless place', 'used a tool to no use'],
    idling: () => ['nothing happened', 'looked around to no use', 'closed a place to no use'],
  },
  harder: {
    search: (target) => [`found the ${target}`, 'searched a new place', 'opened a new place'],
    handling: (target) => [`took the needed ${target}`, `put the ${target} where it belongs`],
    idling: (target) => ['the goal is done', `went where the ${target} is needed`, 'moved towards the goal'],
  },
}

/** Which rewrites fit which complaint; the numbers are odds. */
const ANSWERS: Record<Complaint, Partial<Record<TaskRewrite['kind'], number>>> = {
  search: { 'add-hint': 4, 'remove-hints': 4, move: 3, open: 2, close: 2, 'change-goal': 1, 'add-distractors': 1 },
  handling: {
    'change-goal': 4,
    'remove-object': 2,
    'add-distractors': 2,
    move: 2,
    'remove-hints': 2,
    'add-hint': 1,
    close: 1,
    open: 1,
  },
  idling: {
    'change-goal': 2,
    move: 2,
    'add-hint': 2,
    'remove-hints': 3,
    open: 2,
    close: 2,
    'remove-object': 1,
    'add-distractors': 1,
  },
}

/** Demonstration `index` of the author's corpus. */
export function authorPieces(seed: number, index: number): Piece[] {
  for (let attempt = 0; ; attempt++) {
    const pieces = tryPieces(seed, index, seededRandom('author corpus', seed, index, attempt))
    if (pieces) return pieces
  }
}

/** Null if no rewrite of the task goes in the drawn direction. */
function tryPieces(seed: number, index: number, random: Random): Piece[] | null {
  const direction: Direction = chance(random, 0.5) ? 'harder' : 'easier'
  const task = drawTask(seed, index, random)
  const complaint = pick(random, COMPLAINTS)
  const rewrite = drawOfKind(possibleRewrites(task, direction, REWRITING), ANSWERS[complaint], random)
  if (!rewrite) return null
  const accuracy = drawAccuracy(direction, random)
  const reasonsOf = (about: Complaint) => REASONS[direction][about](task.goal.object)
  const criticSummary = drawSummary(reasonsOf(complaint), reasonsOf(pick(random, COMPLAINTS)), random)
  const request = { description: describeTask(task), direction, accuracy, criticSummary }
  return authorLine(householdFormats.author, request, formatRewrite(rewrite))
}

/** A generated task, sometimes already rewritten. */
function drawTask(seed: number, index: number, random: Random): HouseholdTask {
  let task = taskOf(generateGame({ seed: seed * 1_000_003 + index, split: 'train', sceneSize: 'compact' }))
  for (let round = 0; round < 2 && chance(random, 0.3); round++) {
    const rewrites = possibleRewrites(task, chance(random, 0.5) ? 'harder' : 'easier', REWRITING)
    if (rewrites.length === 0) break
    const outcome = applyRewrite(task, pick(random, rewrites), `${task.id}/${round}`, REWRITING)
    if (outcome.ok) task = outcome.task
  }
  return task
}
