/** What each part of the loop adds to held-out accuracy at temperature 0: rows of Table 1 compared seed by seed, in each world. */
import { paperCell } from './paper-numbers.ts'
import type { ResultsFile, TableName } from './results-file.ts'
import { meanInterval, type MeanInterval } from './student-t.ts'

/** Each adds a part to the row that it is compared with. */
const PARTS = [
  { label: 'Outcomes alone (GRPO)', row: 'grpo', than: 'temperature-only' },
  { label: '+ votes of a frozen judge', row: 'frozen-judge', than: 'grpo' },
  { label: '+ training the judge', row: 'policy-reward', than: 'frozen-judge' },
  { label: '+ adapting tasks', row: 'full', than: 'policy-reward' },
  { label: 'All together', row: 'full', than: 'temperature-only' },
] as const

/** Tables with the rows of Table 1 of the household in which something else differs, by what does. */
export const REGIMES: Readonly<Partial<Record<TableName, string>>> = {
  'large-pool': 'Larger pool of tasks',
  unfiltered: 'No filter on tasks',
  'early-judge': 'Early judge',
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
  /** One list for each table; without the splits that have fewer than two seeds. */
  cells: PartEffect[][]
}

export function partEffects(tables: readonly ResultsFile[]): PartRow[] {
  return PARTS.map(({ label, row, than }) => ({
    label,
    cells: tables.map((results) =>
      (Object.keys(SPLITS) as Split[]).flatMap((split): PartEffect[] => {
        const effect = meanInterval(differences(results, row, than, split))
        if (effect === null) return []
        const { mean, low, high } = effect
        const isClear = low > 0 || high < 0
        const [own, other] = [row, than].map((id) => paperCell(results.table, id, split)?.value)
        const paper = own === undefined || other === undefined ? null : rounded(own - other)
        return [{ split, mean: rounded(mean), low: rounded(low), high: rounded(high), isClear, paper }]
      }),
    ),
  }))
}

/** Rounded like the published claims, so that both print the same digits. */
const rounded = (share: number) => Math.round(share * 1e4) / 1e4

/** Of the seeds that have both values. */
function differences({ rows, seeds }: ResultsFile, row: string, than: string, measure: string): number[] {
  const values = (id: string) => rows.find((each) => each.id === id)?.values[measure] ?? []
  const [own, other] = [values(row), values(than)]
  return seeds.flatMap((_, s) => {
    const [a, b] = [own[s] ?? null, other[s] ?? null]
    return a === null || b === null ? [] : [a - b]
  })
}
