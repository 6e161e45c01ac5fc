/**
 * The drift of the meaning: of the rewritten tasks that are active after an iteration,
 *
 *     meaning = mean of distance(task, original)          cosine distance of embeddings, in [0, 2] (embedding-space.ts)
 *
 * against the mean distances of two tasks of the pool as it was drawn, any two and two of a kind. Distances are asked of a worker;
 * a row is known when all of its are.
 */
import type { MeaningReferences } from '../../../engines/embedding/task-embedding.ts'
import type { Chart, Series } from '../../run/curves.ts'
import type { DriftRows, RewrittenText } from './drift-history.ts'
import { decimal } from '../../kit/format.ts'
import type { World } from '../../run/worlds.ts'

/** Undefined while it is not known. */
export type DistanceOf = (pair: RewrittenText) => number | undefined

export interface MeaningDrift {
  references: MeaningReferences
  /** From the pool as drawn up to the last row whose distances are all known; 0 where nothing is rewritten. */
  points: readonly { x: number; y: number }[]
}

export const NO_MEANING: MeaningDrift = { references: { random: null, sameKind: null }, points: [] }

export function meaningDrift({ rows }: DriftRows, references: MeaningReferences, distanceOf: DistanceOf): MeaningDrift {
  const points: { x: number; y: number }[] = []
  let sum = 0
  for (const { iteration, rewritten, entered, left } of rows) {
    const came = entered.map(distanceOf)
    const went = left.map(distanceOf)
    if (came.includes(undefined) || went.includes(undefined)) break
    for (const distance of came) sum += distance!
    for (const distance of went) sum -= distance!
    // What was added and taken away leaves rounding errors.
    points.push({ x: iteration, y: rewritten === 0 ? (sum = 0) : Math.max(0, sum / rewritten) })
  }
  return { references, points }
}

/** What the rows need distances of. */
export function rewrittenTexts({ rows }: DriftRows): RewrittenText[] {
  return rows.flatMap(({ entered }) => entered)
}

/** What is measured and by whom; said wherever the number is. */
export const MEANING_SOURCE =
  'Texts are vectors: the input embeddings of the policy that ships with this world, normalised and averaged over the tokens, less the mean of the pool as drawn and the two directions in which that pool spreads most, for what all tasks share and how they are phrased is in those (Mu and Viswanath, 2018). The distance is 1 − cosine: 0 is the same, 1 nothing in common.'

/** What it is worth, as measured (docs/decisions/0009-meaning-by-input-embeddings.md). */
export const MEANING_WORTH: Record<World, string> = {
  household:
    'On our tasks it ranks a paraphrase before a task with another object, target or kind in 81 % of pairs, where words do in 48 %; a hint that is added is more text to it, as it is to words.',
  coding:
    'For problems it is no better than words: it ranks rewrites before other problems as well as they do, but the model reads words that no statement of ours has as single bytes, so a paraphrase in free English looks like another problem. No threshold depends on it.',
}

export function meaningChart({ points, references: { random, sameKind } }: MeaningDrift, world: World): Chart {
  const noun = world === 'coding' ? 'problem' : 'task'
  const level = (name: string, line: Series['line'], value: number | null): Series[] =>
    value === null ? [] : [{ name, hue: 'ink', line, points: points.map(({ x }) => ({ x, y: value })) }]
  return {
    id: 'drift-meaning',
    title: 'Drift of the meaning',
    unit: 'number',
    about: `Mean distance in meaning between a rewritten ${noun} and its original. ${MEANING_SOURCE} The lines in ink are mean distances of two ${noun}s of the pool as it was drawn: a rewrite as far from its original as two of one kind are has become another ${noun}. ${MEANING_WORTH[world]}`,
    series: [
      { name: `rewritten from original`, hue: 'environment', line: 'solid', points: [...points] },
      ...level(`any two ${noun}s`, 'dotted', random),
      ...level('two of one kind', 'dashed', sameKind),
    ],
  }
}

/** A clause: how far a rewritten task is from its original in meaning. Null where nothing is known of the last row. */
export function meaningClause(
  { points, references }: MeaningDrift,
  lastIteration: number,
  world: World,
): string | null {
  const last = points.at(-1)
  if (last?.x !== lastIteration) return null
  const noun = world === 'coding' ? 'problem' : 'task'
  const read = [
    ...(references.sameKind === null ? [] : [`two of one kind are ${decimal(references.sameKind)} apart`]),
    ...(references.random === null ? [] : [`any two ${decimal(references.random)}`]),
  ].join(', ')
  return `in meaning a rewritten ${noun} is ${decimal(last.y)} away from its original${read === '' ? '' : ` (${read})`}`
}
