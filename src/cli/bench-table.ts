/** Measurements as a table for people: what ran side by side stands together, with the ratio to the project's own. */
import type { Measurement } from '../bench/suite.ts'

export function benchTable(measurements: readonly Measurement[]): string {
  const own = new Map<string, number>()
  const rows = measurements.map((measurement) => {
    const { name, subject, value, unit, sizes, note } = measurement
    const at = Object.entries(sizes)
      .map(([key, size]) => `${key} ${size}`)
      .join(', ')
    const comparable = `${name}|${at}|${unit}`
    const first = own.get(comparable)
    if (first === undefined) own.set(comparable, value)
    const ratio = first === undefined ? '' : `ours is ${significant(first / value)} times this`
    return [name, at, subject, `${significant(value)} ${unit}`, ratio, note ?? '']
  })
  const widths = rows.reduce<number[]>((most, row) => row.map((cell, i) => Math.max(most[i] ?? 0, cell.length)), [])
  return rows.map((row) => `  ${row.map((cell, i) => cell.padEnd(widths[i]!)).join('  ')}`.trimEnd() + '\n').join('')
}

/** Three digits that mean something: 1,234,567 becomes 1,230,000. */
function significant(value: number): string {
  return Number(value.toPrecision(3)).toLocaleString('en')
}
