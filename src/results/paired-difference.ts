/**
 * Differences of two rows, paired by seed: a seed gives both the same first tasks, held-out tasks and random streams.
 *
 *     d_s = row_s − than_s          d̄ ± t(0.975, n − 1) · s_d / √n
 *
 * Intervals are not corrected for multiple comparisons: of twenty without any difference, expect one to miss zero.
 */
import type { ResultsClaim, ResultsRow } from './results-file.ts'
import { meanInterval } from './student-t.ts'

export interface Difference {
  mean: number
  /** Null for a single pair. */
  low: number | null
  high: number | null
  /** Number of pairs. */
  n: number
}

/** Over the seeds in which both have a value; null if there are none. `row[s]` and `than[s]` belong to the same seed. */
export function pairedDifference(row: readonly (number | null)[], than: readonly (number | null)[]): Difference | null {
  return summary(
    row.map((value, s) => {
      const other = than[s] ?? null
      return value === null || other === null ? null : value - other
    }),
  )
}

/** Mean and interval of the values that there are; null without any. */
export function summary(values: readonly (number | null)[]): Difference | null {
  const known = values.filter((value) => value !== null)
  if (known.length === 0) return null
  const interval = meanInterval(known)
  return interval === null ? { mean: known[0]!, low: null, high: null, n: 1 } : { ...interval, n: known.length }
}

/** The same for two rows of a table. */
export function rowDifference(
  rows: readonly ResultsRow[],
  { row, than, measure, thanMeasure = measure }: Pick<ResultsClaim, 'row' | 'than' | 'measure' | 'thanMeasure'>,
): Difference | null {
  const values = (id: string, of: string) => rows.find((each) => each.id === id)?.values[of] ?? []
  return pairedDifference(values(row, measure), values(than, thanMeasure))
}
