/** The map as grids, one for each λ: rows for start policies, columns for ε. */
import type { MapCell } from './results-file.ts'

export interface MapGrid {
  lambda: number
  /** ε of the columns, ascending. */
  voteFlips: number[]
  /** A place that nothing was run for has no cell. */
  rows: { start: string; startAccuracy: number | null; cells: (MapCell | null)[] }[]
}

/** The grids of one baseline, λ ascending. All have the same columns. */
export function mapGrids(map: readonly MapCell[], over: MapCell['over']): MapGrid[] {
  const shown = map.filter((cell) => cell.over === over)
  const voteFlips = distinct(shown.map((cell) => cell.voteFlips)).sort((a, b) => a - b)
  const starts = distinct(shown.map(({ start }) => start))
  return distinct(shown.map(({ lambda }) => lambda))
    .sort((a, b) => a - b)
    .map((lambda) => ({
      lambda,
      voteFlips,
      rows: starts.map((start) => {
        const cells = voteFlips.map(
          (flips) =>
            shown.find((cell) => cell.lambda === lambda && cell.start === start && cell.voteFlips === flips) ?? null,
        )
        return { start, startAccuracy: cells.find((cell) => cell !== null)?.startAccuracy ?? null, cells }
      }),
    }))
}

/** Whether the interval of the gain excludes zero. */
export const isClearGain = ({ gain }: MapCell): boolean =>
  gain !== null && gain.low !== null && gain.high !== null && (gain.low > 0 || gain.high < 0)

/** The marks of a cell, in words. */
export const MARK_WORDS = {
  collapsed:
    '▼ the judge collapsed: on fixed trajectories its balanced accuracy lost more than 15 % of its lead over chance',
  pleased:
    '● the policy pleased the judge: the mean vote rose, the mean outcome fell, and held-out accuracy did not rise',
} as const

/** Whether at least half of the seeds have the mark: one of several may be chance. */
export const hasMark = (cell: MapCell, mark: 'collapsed' | 'pleased'): boolean =>
  cell[mark] > 0 && 2 * cell[mark] >= cell.seeds

const distinct = <Value>(values: readonly Value[]): Value[] => [...new Set(values)]
