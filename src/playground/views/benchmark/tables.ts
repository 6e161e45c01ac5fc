/** Measurements as tables, one for each suite, and as the lines of `npm run bench -- --json`. */
import type { Measurement } from '../../../bench/suite.ts'
import { significant, tableRows, type TableRow } from '../../../bench/table.ts'

interface SuiteTable {
  suite: Measurement['suite']
  rows: TableRow[]
}

/** In the order in which the suites started. */
export function suiteTables(measurements: readonly Measurement[]): SuiteTable[] {
  const suites = [...new Set(measurements.map(({ suite }) => suite))]
  return suites.map((suite) => ({ suite, rows: tableRows(measurements.filter((each) => each.suite === suite)) }))
}

/** "× 4.2"; empty for the first row, which the others are compared with. */
export function ratioText(ratio: number | null): string {
  return ratio === null ? '' : `× ${significant(ratio)}`
}

export function jsonLines(measurements: readonly Measurement[]): string {
  return measurements.map((measurement) => `${JSON.stringify(measurement)}\n`).join('')
}
