/** What each training signal gains over the start, from the published table `signals`. */
import { meanInterval } from '../../../results/student-t.ts'
import type { ResultsFile } from '../../../results/results-file.ts'

export interface SignalGain {
  row: string
  label: string
  iterations: number
  /** Held-out accuracy in distribution at temperature 0, less that before training; paired by seed. */
  mean: number
  /** Null for a single seed. */
  low: number | null
  high: number | null
  n: number
}

const START = 'temperature-only'
const MEASURE = 'id'

export function signalGains({ rows }: ResultsFile): SignalGain[] {
  const start = rows.find(({ id }) => id === START)?.values[MEASURE] ?? []
  return rows.flatMap(({ id, label, iterations, isStart, values }): SignalGain[] => {
    const gains = (values[MEASURE] ?? []).flatMap((value, s) => {
      const before = start[s] ?? null
      return value === null || before === null ? [] : [value - before]
    })
    if (isStart || gains.length === 0) return []
    const { mean, low, high } = meanInterval(gains) ?? { mean: gains[0]!, low: null, high: null }
    return [{ row: id, label, iterations, mean, low, high, n: gains.length }]
  })
}
