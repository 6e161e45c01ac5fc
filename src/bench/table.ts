/** Measurements as rows for the terminal and the page. Subjects that ran side by side have a ratio to the first. */
import type { Measurement } from './suite.ts'

export interface TableRow {
  name: string
  /** "batch 64, context 256" */
  sizes: string
  subject: string
  /** The value with its unit: "12,300 tokens/s". */
  value: string
  /** Ratio of this value to the first subject's; null for the first. */
  ratio: number | null
  note: string
}

export function tableRows(measurements: readonly Measurement[]): TableRow[] {
  const first = new Map<string, number>()
  return measurements.map(({ name, subject, value, unit, sizes: at, note = '' }) => {
    const sizes = Object.entries(at)
      .map(([key, size]) => `${key} ${size}`)
      .join(', ')
    const comparable = `${name}|${sizes}|${unit}`
    const firstValue = first.get(comparable)
    if (firstValue === undefined) first.set(comparable, value)
    const ratio = firstValue === undefined ? null : value / firstValue
    return { name, sizes, subject, value: `${significant(value)} ${unit}`, ratio, note }
  })
}

/** Three significant digits: 1,234,567 becomes 1,230,000, and 0.00000234 becomes 2.34e-6. */
export function significant(value: number): string {
  if (value !== 0 && Math.abs(value) < 1e-3) return value.toExponential(2)
  return Number(value.toPrecision(3)).toLocaleString('en')
}
