/** What each training signal gains over the start, from the published table `signals`. */
import { rowDifference, type Difference } from '../../../results/paired-difference.ts'
import type { ResultsFile } from '../../../results/results-file.ts'

/** Held-out accuracy in distribution at temperature 0, less that before training. */
interface SignalGain extends Difference {
  row: string
  label: string
  iterations: number
}

const START = 'temperature-only'
const MEASURE = 'id'

export function signalGains({ rows }: ResultsFile): SignalGain[] {
  return rows.flatMap(({ id: row, label, iterations, isStart }): SignalGain[] => {
    const gain = isStart ? null : rowDifference(rows, { row, than: START, measure: MEASURE })
    return gain === null ? [] : [{ row, label, iterations, ...gain }]
  })
}
