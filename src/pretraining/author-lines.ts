/** Demonstrations for the author of a world of steps: a task with a direction, an accuracy and a critic's summary, and a rewrite. */
import type { Direction, RoleFormats } from '../method/ports.ts'
import { integer, pick, pickWeighted, type Random } from '../worlds/random.ts'
import type { Piece } from './demonstration-corpus.ts'

/** Learning to reproduce the task a little helps to copy names from it. */
const READING_WEIGHT = 0.05

type AuthorFormat = RoleFormats['author']

/** Few of eight rollouts solve a task that has become too hard. */
export function drawAccuracy(direction: Direction, random: Random): number {
  return (direction === 'harder' ? integer(random, 7, 8) : integer(random, 0, 1)) / 8
}

export function authorLine(
  author: AuthorFormat,
  request: Parameters<AuthorFormat['prompt']>[0],
  rewrite: string,
): Piece[] {
  const { direction } = request
  return [
    { text: `${direction} `, weight: 0 },
    { text: author.prompt(request).slice(direction.length + 1), weight: READING_WEIGHT },
    { text: ` ${rewrite}`, weight: 1, isResponse: true },
  ]
}

/** Draws the kind first, so that kinds with many variants do not crowd out the rest. */
export function drawOfKind<Rewrite extends { kind: string }>(
  candidates: readonly Rewrite[],
  odds: Readonly<Partial<Record<Rewrite['kind'], number>>>,
  random: Random,
): Rewrite | null {
  const kinds = [...new Set(candidates.map(({ kind }): Rewrite['kind'] => kind))]
  const kind = pickWeighted(random, kinds, (candidate) => odds[candidate] ?? 0)
  if (kind === null) return null
  const ofKind = candidates.filter((candidate) => candidate.kind === kind)
  return pick(random, ofKind)
}

/** A summary in the form of method/step-judging/critic-summary.ts: reasons with counts, those of the complaint itself first. */
export function drawSummary(own: readonly string[], other: readonly string[], random: Random): string {
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
