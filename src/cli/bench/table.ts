/** Measurements as a table: subjects that ran side by side are together, with the ratio to ours. */
import type { Measurement } from '../../bench/suite.ts'
import { significant, tableRows } from '../../bench/table.ts'

export function benchTable(measurements: readonly Measurement[]): string {
  const rows = tableRows(measurements).map(({ name, sizes, subject, value, ratio, note }) => {
    const beside = ratio === null ? '' : `ours is ${significant(1 / ratio)} times this`
    return [name, sizes, subject, value, beside, note]
  })
  const widths = rows.reduce<number[]>((most, row) => row.map((cell, i) => Math.max(most[i] ?? 0, cell.length)), [])
  return rows.map((row) => `  ${row.map((cell, i) => cell.padEnd(widths[i]!)).join('  ')}`.trimEnd() + '\n').join('')
}
