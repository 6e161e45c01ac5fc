/** Numbers in the texts of the command and of docs/results.md. */
import type { ResultsMeasure } from '../../../results/results-file.ts'
import type { Difference } from '../../../results/paired-difference.ts'

export const UNKNOWN = '–'

export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

/** "about 3 hours" */
export function roughTime(seconds: number): string {
  if (seconds < 90) return `about ${counted(Math.max(1, Math.round(seconds)), 'second')}`
  if (seconds < 90 * 60) return `about ${counted(Math.round(seconds / 60), 'minute')}`
  return `about ${counted(Math.round(seconds / 3600), 'hour')}`
}

type Unit = ResultsMeasure['unit']

/** "61.2 %", "0.42", "1280" */
export function level(value: number, unit: Unit): string {
  if (unit === 'share') return `${(100 * value).toFixed(1)} %`
  return unit === 'count' ? String(Math.round(value)) : value.toFixed(2)
}

function size(value: number, unit: Unit): string {
  if (unit === 'share') return (100 * value).toFixed(1)
  return unit === 'count' ? String(Math.round(value)) : value.toFixed(2)
}

/** "61.2 ± 3.4 %": mean and half the interval; without an interval, the mean alone. */
export function levelWithInterval({ mean, high }: Difference, unit: Unit): string {
  if (high === null) return level(mean, unit)
  return `${size(mean, unit)} ± ${size(high - mean, unit)}${unit === 'share' ? ' %' : ''}`
}

/** "+4.2", in points for a share. */
export function signed(value: number, unit: Unit): string {
  const text = size(Math.abs(value), unit)
  return Number(text) === 0 ? text : `${value < 0 ? '−' : '+'}${text}`
}

/** "+4.2 points (+1.1 to +7.3)" */
export function differenceWords({ mean, low, high }: Difference, unit: Unit): string {
  const noun = unit === 'share' ? ' points' : ''
  const interval = low === null || high === null ? ', one seed' : ` (${signed(low, unit)} to ${signed(high, unit)})`
  return `${signed(mean, unit)}${noun}${interval}`
}
