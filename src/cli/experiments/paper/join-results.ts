/**
 * Joins a table with the published results of other seeds, so that seeds can be run in parts and on several machines.
 *
 * A results file keeps the value of every seed, so rows, claims and map cells are exact. Curves keep only mean, interval and number
 * of seeds; two of these are joined by their sums of squares,
 *
 *     n = n₁ + n₂      m = (n₁ m₁ + n₂ m₂) / n      (n − 1) s² = Σ_k (n_k − 1) s_k² + n_k (m_k − m)²
 *
 * with s_k from the interval m_k ± t(0.975, n_k − 1) · s_k / √n_k, as exact as the four digits that the file keeps.
 */
import { studentT } from '../../../results/student-t.ts'
import type { ResultsFile, ResultsRow } from '../../../results/results-file.ts'
import { claimsOf } from './claims.ts'
import { mapCells } from './map-cells.ts'
import type { Difference } from '../../../results/paired-difference.ts'
import { rounded } from '../../../results/round.ts'

/** What keeps published seeds from being joined with new ones: "the start models"; null if nothing does. */
export function differenceOf(own: ResultsFile, published: ResultsFile): string | null {
  const parts: [string, (file: ResultsFile) => unknown][] = [
    ['the start models', ({ models }) => Object.entries(models).sort()],
    ['the number of held-out tasks', ({ evaluationTasks }) => evaluationTasks],
    ['the rows', ({ rows }) => rows.map(({ id }) => id)],
    ['the settings of a row', ({ rows }) => rows.map(identityOf)],
    ['the backend', ({ backends }) => backends],
  ]
  if (!hasMeasuresOf(own, published)) return 'the measures'
  return parts.find(([, of]) => JSON.stringify(of(own)) !== JSON.stringify(of(published)))?.[0] ?? null
}

/** Whether nothing that is published would be lost. What is measured anew is unknown of published seeds and rows. */
export function hasMeasuresOf(own: ResultsFile, published: ResultsFile): boolean {
  return published.measures.every(({ id }) => own.measures.some((measure) => measure.id === id))
}

type RowIdentity = Pick<ResultsRow, 'id' | 'preset' | 'settings' | 'iterations' | 'isStart'> & {
  start?: string | undefined
}

/** What makes two rows the same measurement. */
export function identityOf({ id, preset, settings, iterations, isStart, start }: RowIdentity) {
  return [id, preset, Object.entries(settings).sort(), iterations, isStart, start]
}

/** Published means cannot be taken apart, so a part of their seeds cannot be replaced. */
export class OverlapError extends Error {
  override readonly name = 'OverlapError'
}

/**
 * The own results with the published seeds that they lack. Both must be alike (`differenceOf`). Throws OverlapError for a table with
 * curves if some of its own seeds are published, unless all are, with the same values.
 */
export function joinResults(own: ResultsFile, published: ResultsFile): ResultsFile {
  const kept = published.seeds.filter((seed) => !own.seeds.includes(seed))
  if (kept.length === 0) return own
  const fresh = own.seeds.filter((seed) => !published.seeds.includes(seed))
  const isApart = fresh.length === own.seeds.length
  const isKnown = fresh.length === 0 && isPublished(own, published)
  if (own.curves && !isApart && !isKnown) {
    const all = seedsText([...published.seeds, ...fresh].sort((a, b) => a - b))
    const only = fresh.length === 0 ? '' : `only --seeds ${seedsText(fresh)}, or `
    throw new OverlapError(
      `The table ${own.table} is published with some of the seeds ${seedsText(own.seeds)}, and its curves keep only the mean of all seeds. ` +
        `Publish ${only}all of --seeds ${all} together.`,
    )
  }
  const seeds = [...own.seeds, ...kept].sort((a, b) => a - b)
  const rows = own.rows.map((row, r) => ({
    ...row,
    values: joinValues(row, own, published.rows[r]!, published, seeds),
  }))
  return {
    ...own,
    seeds,
    commits: [...new Set([...published.commits, ...own.commits])],
    command: withSeeds(own.command, seeds),
    rows,
    claims: claimsOf(own.claims, rows),
    ...(own.curves && { curves: isKnown ? published.curves : joinCurves(own.curves, published.curves ?? []) }),
    ...(own.map && { map: mapCells(own.map, rows) }),
  }
}

/** Whether no value of `own` differs from the published one of its seed. A measure may be new. */
function isPublished(own: ResultsFile, published: ResultsFile): boolean {
  return own.rows.every(({ values }, r) =>
    Object.entries(values).every(([measure, each]) =>
      own.seeds.every((seed, s) => {
        const value = published.rows[r]!.values[measure]?.[published.seeds.indexOf(seed)] ?? null
        return value === null || value === each[s]
      }),
    ),
  )
}

function joinValues(
  own: ResultsRow,
  { seeds: ownSeeds }: ResultsFile,
  other: ResultsRow,
  published: ResultsFile,
  seeds: readonly number[],
) {
  return Object.fromEntries(
    Object.entries(own.values).map(([measure, values]) => [
      measure,
      seeds.map((seed) => {
        const at = ownSeeds.indexOf(seed)
        return (at >= 0 ? values[at] : other.values[measure]?.[published.seeds.indexOf(seed)]) ?? null
      }),
    ]),
  )
}

type Curves = NonNullable<ResultsFile['curves']>

function joinCurves(own: Curves, published: Curves): Curves {
  return own.map((curve) => {
    const other = published.find(({ row, measure }) => row === curve.row && measure === curve.measure)
    const points = curve.points.flatMap((point) => {
      const before = other?.points.find(({ iteration }) => iteration === point.iteration)
      return before === undefined ? [] : [{ iteration: point.iteration, ...rounded(pooled(point, before)) }]
    })
    return { ...curve, points }
  })
}

/** Mean and interval over both sets of seeds. */
export function pooled(a: Difference, b: Difference): Difference {
  const n = a.n + b.n
  const mean = (a.n * a.mean + b.n * b.mean) / n
  const squares = [a, b].reduce((sum, each) => sum + squaresOf(each) + each.n * (each.mean - mean) ** 2, 0)
  const half = studentT(n - 1) * Math.sqrt(squares / (n - 1) / n)
  return { mean, low: mean - half, high: mean + half, n }
}

/** (n − 1) s², from the interval. */
function squaresOf({ mean, high, n }: Difference): number {
  if (high === null || n < 2) return 0
  const deviation = ((high - mean) * Math.sqrt(n)) / studentT(n - 1)
  return (n - 1) * deviation ** 2
}

/** "… --seeds 8-15" with all seeds of the joined table. */
function withSeeds(command: string, seeds: readonly number[]): string {
  return `${command.replace(/ --seeds(?: |=)\S+/, '')} --seeds ${seedsText(seeds)}`
}

/** [0, 1, 2, 5] -> "0-2,5": what `--seeds` reads (`parseSeeds`). */
export function seedsText(seeds: readonly number[]): string {
  const ranges: [number, number][] = []
  for (const seed of seeds) {
    const last = ranges.at(-1)
    if (last !== undefined && last[1] === seed - 1) last[1] = seed
    else ranges.push([seed, seed])
  }
  return ranges.map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`)).join(',')
}
