/**
 * The author's training data: tasks with a direction, an accuracy and a critic's summary, and a rewrite in that direction. The summary
 * guides the choice: if the object was not found, a hint or another place helps; if it was found too easily, the opposite is harder.
 */
import { generateGame } from '../worlds/household/generator/generate-game.ts'
import { chance, integer, pick, pickWeighted, seededRandom, type Random } from '../worlds/random.ts'
import { householdFormats } from '../worlds/household/roles/plain-roles.ts'
import { formatRewrite, type TaskRewrite } from '../worlds/household/rewrites/language.ts'
import { applyRewrite } from '../worlds/household/rewrites/apply.ts'
import { possibleRewrites } from '../worlds/household/rewrites/candidates.ts'
import { describeTask, taskOf, type HouseholdTask } from '../worlds/household/task.ts'
import type { Direction } from '../method/ports.ts'
import type { Piece } from './demonstration-corpus.ts'

const STEP_LIMIT = 20
/** Learning to reproduce the scene a little helps to copy names from it. */
const READING_WEIGHT = 0.05

type Complaint = 'search' | 'handling' | 'idling'

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
  const complaint = pick(random, ['search', 'handling', 'idling'] as const)
  const candidates = possibleRewrites(task, direction, { stepLimit: STEP_LIMIT })
  const rewrite = drawRewrite(candidates, complaint, random)
  if (!rewrite) return null
  const accuracy = (direction === 'harder' ? integer(random, 7, 8) : integer(random, 0, 1)) / 8
  const { author } = householdFormats
  const criticSummary = drawSummary(task, direction, complaint, random)
  return [
    { text: `${direction} `, weight: 0 },
    {
      text: author
        .prompt({ description: describeTask(task), direction, accuracy, criticSummary })
        .slice(direction.length + 1),
      weight: READING_WEIGHT,
    },
    { text: ` ${formatRewrite(rewrite)}`, weight: 1, isResponse: true },
  ]
}

/** A generated task, sometimes already rewritten. */
function drawTask(seed: number, index: number, random: Random): HouseholdTask {
  let task = taskOf(generateGame({ seed: seed * 1_000_003 + index, split: 'train', sceneSize: 'compact' }))
  for (let round = 0; round < 2 && chance(random, 0.3); round++) {
    const rewrites = possibleRewrites(task, chance(random, 0.5) ? 'harder' : 'easier', { stepLimit: STEP_LIMIT })
    if (rewrites.length === 0) break
    const outcome = applyRewrite(task, pick(random, rewrites), `${task.id}/${round}`, { stepLimit: STEP_LIMIT })
    if (outcome.ok) task = outcome.task
  }
  return task
}

/** Draws the kind first, so that the many possible moves and goals do not crowd out the rest. */
function drawRewrite(candidates: readonly TaskRewrite[], complaint: Complaint, random: Random): TaskRewrite | null {
  const kinds = [...new Set(candidates.map(({ kind }) => kind))]
  const kind = pickWeighted(random, kinds, (candidate) => ANSWERS[complaint][candidate] ?? 0)
  return kind
    ? pick(
        random,
        candidates.filter((candidate) => candidate.kind === kind),
      )
    : null
}

/** A summary in the form of method/critic-summary.ts: reasons with counts, the complaint's own first. */
function drawSummary(task: HouseholdTask, direction: Direction, complaint: Complaint, random: Random): string {
  const own = REASONS[direction][complaint](task.goal.object)
  const other = REASONS[direction][pick(random, ['search', 'handling', 'idling'] as const)](task.goal.object)
  const reasons = [...new Set([pick(random, own), pick(random, own), pick(random, other)])]
  let count = integer(random, 8, 40)
  return reasons
    .map((reason) => {
      const entry = `${reason} x${count}`
      count = Math.max(1, count - integer(random, 1, 9))
      return entry
    })
    .join('; ')
}
