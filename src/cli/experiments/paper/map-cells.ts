/** The cells of a map from the rows of its table, which keep the values of every seed. */
import { pairedDifference, summary } from '../../../results/paired-difference.ts'
import type { MapCell, ResultsRow } from '../../../results/results-file.ts'
import { round, rounded } from '../../../results/round.ts'
import type { MapPlace } from './plan.ts'

/** Ids of the measures that a cell is made of; the last two are 1 where a seed has the mark, and 0 where it has not. */
export const CELL_MEASURES = { accuracy: 'id', start: 'start', collapsed: 'collapsed', pleased: 'pleased' } as const

export type CellPlace = Pick<MapCell, 'row' | 'than' | 'over' | 'voteFlips' | 'start' | 'lambda'>

/** Two cells for each place: the full loop over either baseline. */
export function cellPlaces(places: readonly MapPlace[]): CellPlace[] {
  return places.flatMap(({ full, over, voteFlips, start, lambda }) =>
    (['grpo', 'frozen-judge'] as const).map((base) => ({
      row: full,
      than: over[base],
      over: base,
      ...{ voteFlips, start, lambda },
    })),
  )
}

/** Places of which a row is missing have no cell. */
export function mapCells(places: readonly CellPlace[], rows: readonly ResultsRow[]): MapCell[] {
  return places.flatMap(({ row, than, over, voteFlips, start, lambda }) => {
    const [full, base] = [row, than].map((id) => rows.find((each) => each.id === id))
    if (full === undefined || base === undefined) return []
    const valuesOf = (of: ResultsRow, measure: keyof typeof CELL_MEASURES) => of.values[CELL_MEASURES[measure]] ?? []
    const gain = pairedDifference(valuesOf(full, 'accuracy'), valuesOf(base, 'accuracy'))
    const marked = (measure: 'collapsed' | 'pleased') => valuesOf(full, measure).filter((value) => value === 1).length
    return {
      ...{ row, than, over, voteFlips, start, lambda },
      startAccuracy: round(summary(valuesOf(base, 'start'))?.mean ?? null),
      gain: gain && rounded(gain),
      collapsed: marked('collapsed'),
      pleased: marked('pleased'),
      seeds: valuesOf(full, 'accuracy').filter((value) => value !== null).length,
    }
  })
}
