/**
 * The author's training data: tasks with a direction, an accuracy and a critic's summary, and a rewrite in that direction. The summary
 * guides the choice: an agent that did not find the thing is helped by a hint, one that handled it badly by another parameter or button.
 */
import type { Direction } from '../../method/ports.ts'
import { applyRewrite } from '../../worlds/desktop/rewrites/apply.ts'
import { possibleRewrites } from '../../worlds/desktop/rewrites/candidates.ts'
import { formatRewrite, type TaskRewrite } from '../../worlds/desktop/rewrites/language.ts'
import { generateTask } from '../../worlds/desktop/generator/generate-task.ts'
import { desktopFormats } from '../../worlds/desktop/roles/plain-roles.ts'
import { describeTask, taskOf, type DesktopTask } from '../../worlds/desktop/task.ts'
import { chance, pick, seededRandom, type Random } from '../../worlds/random.ts'
import { authorLine, drawAccuracy, drawOfKind, drawSummary } from '../author-lines.ts'
import type { Piece } from '../demonstration-corpus.ts'

/** The shipped weights were made from rewrites to `id` tasks too. */
const REWRITING = { stepLimit: 20, allowsIdTasks: true }

const COMPLAINTS = ['search', 'handling', 'stopping'] as const
type Complaint = (typeof COMPLAINTS)[number]

/** Critics' reasons (critiques.ts), by what they criticise or praise. */
const REASONS: Record<Direction, Record<Complaint, readonly string[]>> = {
  easier: {
    search: ['opened a useless place', 'gave up without looking', 'nothing happened'],
    handling: ['picked the wrong thing', 'filled in something else', 'changed something else'],
    stopping: ['stopped too early', 'forgot to save', 'closed what was needed'],
  },
  harder: {
    search: ['opened the right place', 'went back for what is needed'],
    handling: ['picked the right thing', 'filled in what is asked', 'changed what is asked'],
    stopping: ['the goal is met', 'saw that it cannot be done', 'came closer'],
  },
}

/** Which rewrites fit which complaint; the numbers are odds. */
const ANSWERS: Record<Complaint, Partial<Record<TaskRewrite['kind'], number>>> = {
  search: { 'add-hint': 4, 'remove-hints': 4, show: 3, front: 3, blank: 3, 'move-file': 2, set: 1, 'add-files': 1 },
  handling: { set: 4, raise: 4, bury: 4, 'remove-file': 2, 'add-files': 2, front: 1, 'add-hint': 1, 'remove-hints': 1 },
  stopping: { set: 3, front: 2, blank: 2, raise: 2, bury: 2, show: 2, 'add-hint': 2, 'remove-hints': 2 },
}

/** Demonstration `index` of the author's corpus. */
export function authorPieces(seed: number, index: number): Piece[] {
  for (let attempt = 0; ; attempt++) {
    const pieces = tryPieces(seed, index, seededRandom('desktop author corpus', seed, index, attempt))
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
  const criticSummary = drawSummary(REASONS[direction][complaint], REASONS[direction][pick(random, COMPLAINTS)], random)
  const request = { description: describeTask(task), direction, accuracy, criticSummary }
  return authorLine(desktopFormats.author, request, formatRewrite(rewrite))
}

/** A generated task, sometimes already rewritten. */
function drawTask(seed: number, index: number, random: Random): DesktopTask {
  const task = taskOf(generateTask({ seed: seed * 1_000_003 + index, split: 'train' }))
  if (!chance(random, 0.4)) return task
  const rewrites = possibleRewrites(task, chance(random, 0.5) ? 'harder' : 'easier', REWRITING)
  if (rewrites.length === 0) return task
  const outcome = applyRewrite(task, pick(random, rewrites), `${task.id}/0`, REWRITING)
  return outcome.ok ? outcome.task : task
}
