/** What each part of the loop adds to held-out accuracy at temperature 0: rows of Table 1 compared seed by seed, in each world. */
import { SHIPPED_WORLDS, WORLDS } from '../worlds/index.ts'
import { rowDifference } from './paired-difference.ts'
import { paperCell } from './paper-numbers.ts'
import type { ResultsFile, TableName } from './results-file.ts'
import { round, rounded } from './round.ts'
import type { MeanInterval } from './student-t.ts'

/** Each adds a part to the row that it is compared with. */
const PARTS = [
  { label: 'Outcomes alone (GRPO)', row: 'grpo', than: 'temperature-only' },
  { label: '+ votes of a frozen judge', row: 'frozen-judge', than: 'grpo' },
  { label: '+ training the judge', row: 'policy-reward', than: 'frozen-judge' },
  { label: '+ adapting tasks', row: 'full', than: 'policy-reward' },
  { label: 'All together', row: 'full', than: 'temperature-only' },
] as const

/** Tables with the rows of Table 1 of the household in which something else differs, by what does. */
const REGIMES: readonly [TableName, string][] = [
  ['large-pool', 'Larger pool of tasks'],
  ['weighed', 'Votes weighed'],
  ['unfiltered', 'No filter on tasks'],
  ['early-judge', 'Early judge'],
]

/** A table with the rows of Table 1. */
export interface PartColumn {
  title: string
  results: ResultsFile
}

/** Table 1 of each world, and of the household in other regimes. `published` gives null for a table without results. */
export function partColumns(
  published: (table: TableName) => ResultsFile | null,
): Record<'worlds' | 'regimes', PartColumn[]> {
  const columnOf = ([table, title]: readonly [TableName, string]): PartColumn[] => {
    const results = published(table)
    return results === null ? [] : [{ title, results }]
  }
  return {
    worlds: SHIPPED_WORLDS.flatMap((world) => columnOf([world, WORLDS[world].title])),
    regimes: REGIMES.flatMap(columnOf),
  }
}

/** Measures of Table 1, by the words of a split. */
export const SPLITS = { id: 'in distribution', ood: 'out of distribution' } as const
export type Split = keyof typeof SPLITS

/** A difference of accuracies, with its 95 % interval over seeds. */
export interface PartEffect extends MeanInterval {
  split: Split
  /** Whether the interval excludes zero. */
  isClear: boolean
  /** The same difference in the paper, which has no row for outcomes alone; else null. */
  paper: number | null
}

export interface PartRow {
  label: string
  /** One list for each column; without the splits that have fewer than two seeds. */
  cells: PartEffect[][]
}

export function partEffects(columns: readonly PartColumn[]): PartRow[] {
  return PARTS.map(({ label, ...rows }) => ({
    label,
    cells: columns.map(({ results }) =>
      (Object.keys(SPLITS) as Split[]).flatMap((split): PartEffect[] => {
        const difference = rowDifference(results.rows, { ...rows, measure: split })
        if (difference === null) return []
        // As in the published claims, so that both print the same digits.
        const { mean, low, high } = rounded(difference)
        if (low === null || high === null) return []
        return [
          { split, mean, low, high, isClear: low > 0 || high < 0, paper: paperDifference(results.table, rows, split) },
        ]
      }),
    ),
  }))
}

function paperDifference(table: TableName, { row, than }: { row: string; than: string }, split: Split): number | null {
  const [own, other] = [paperCell(table, row, split), paperCell(table, than, split)]
  return own === null || other === null ? null : round(own.value - other.value)
}
