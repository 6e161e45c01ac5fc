/**
 * The paper's numbers (arXiv 2602.02488): Table 1, and values read off its figures, at temperature 0.
 *
 * A cell belongs to a row and a measure of our table of the same name. The models, worlds and sizes differ, so the order of rows
 * and the gains compare, and single numbers do not.
 */
import type { TableName } from './results-file.ts'

export interface PaperCell {
  row: string
  measure: string
  value: number
  /** Read off a curve, to about a point. */
  isApproximate?: boolean
}

export interface PaperTable {
  source: string
  cells: readonly PaperCell[]
}

/** Cells of one measure, for rows in order. */
function column(measure: string, values: Readonly<Record<string, number>>, isApproximate = false): PaperCell[] {
  return Object.entries(values).map(([row, value]) => ({
    row,
    measure,
    value: value / 100,
    ...(isApproximate && { isApproximate }),
  }))
}

/** Rows of Table 1: "Before", "Policy", "Policy+Reward" and "Policy+Reward+Env". The paper has no other rows there. */
function tableOne(measure: string, before: number, policy: number, reward: number, environment: number): PaperCell[] {
  return column(measure, {
    [measure.endsWith('-sampled') ? 'untrained' : 'temperature-only']: before,
    'frozen-judge': policy,
    'policy-reward': reward,
    full: environment,
  })
}

export const PAPER: Readonly<Partial<Record<TableName, PaperTable>>> = {
  household: {
    source: 'Table 1, AlfWorld (Qwen2.5-7B-Instruct policy, 14B reward model)',
    cells: [
      ...tableOne('id', 39.0, 51.1, 55.6, 60.2),
      ...tableOne('ood', 44.9, 59.3, 61.8, 63.6),
      ...tableOne('judge-process', 47.0, 47.0, 52.4, 56.4),
      ...tableOne('judge-outcome', 59.6, 59.6, 61.1, 62.5),
    ],
  },
  desktop: {
    source: 'Table 1, OSWorld (Qwen3-VL-8B-Thinking policy)',
    cells: [
      ...tableOne('id', 40.4, 48.3, 49.6, 52.1),
      ...tableOne('ood', 16.1, 19.8, 20.0, 21.3),
      ...tableOne('judge-process', 86.0, 86.0, 88.7, 91.3),
      ...tableOne('judge-outcome', 55.2, 55.2, 57.6, 60.4),
    ],
  },
  coding: {
    source:
      'Table 1. The pairing is ours: LiveBench beside in distribution, and CodeContests, on whose training split the paper’s model learned, beside out of distribution',
    cells: [
      ...tableOne('id', 31.3, 38.8, 40.0, 43.2),
      ...tableOne('id-ut-sampled', 27.8, 27.8, 73.3, 78.9),
      ...tableOne('id-detect-sampled', 19.6, 19.6, 37.9, 48.5),
      ...tableOne('ood', 21.2, 25.8, 26.5, 27.3),
      ...tableOne('ood-ut-sampled', 43.8, 43.8, 86.0, 87.1),
      ...tableOne('ood-detect-sampled', 35.7, 35.7, 47.2, 55.5),
    ],
  },
  signals: {
    source: 'Figure 1, OSWorld training accuracy at step 200, read off the curves; the start is 27.4',
    cells: column('train', { grpo: 33.5, 'frozen-judge': 35.1, 'step-trained': 39 }, true),
  },
}

/** Null if the paper has no such number. */
export function paperCell(table: TableName, row: string, measure: string): PaperCell | null {
  return PAPER[table]?.cells.find((cell) => cell.row === row && cell.measure === measure) ?? null
}
