/** Formats numbers: a real minus sign, a fixed number of decimals, an en dash for unknown values. */

export const UNKNOWN = '–'

export function decimal(value: number | null | undefined, digits = 2): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return UNKNOWN
  const text = Math.abs(value).toFixed(digits)
  return value < 0 && Number(text) !== 0 ? `−${text}` : text
}

export function signed(value: number | null | undefined, digits = 2): string {
  const text = decimal(value, digits)
  return text === UNKNOWN || text.startsWith('−') || Number(text) === 0 ? text : `+${text}`
}

export function percent(value: number | null | undefined, digits = 0): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return UNKNOWN
  return `${(100 * value).toFixed(digits)} %`
}

export function whole(value: number | null | undefined): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return UNKNOWN
  return Math.round(value)
    .toString()
    .replace(/\B(?=(\d{3})+$)/g, '\u202f')
}

/** A rough waiting time: "about 9 hours". */
export function roughTime(seconds: number): string {
  if (seconds < 90) return `about ${counted(Math.max(1, Math.round(seconds)), 'second')}`
  if (seconds < 90 * 60) return `about ${counted(Math.round(seconds / 60), 'minute')}`
  if (seconds < 48 * 3600) return `about ${counted(Math.round(seconds / 3600), 'hour')}`
  return `about ${counted(Math.round(seconds / 86_400), 'day')}`
}

/** `1 rollout`, `8 rollouts`. */
export function counted(count: number, noun: string): string {
  return `${whole(count)} ${noun}${count === 1 ? '' : 's'}`
}

/** A short, rounded number for an axis: 1e−4 and 0.25 and 12, never 0.00010000000001. */
export function compact(value: number): string {
  if (value === 0) return '0'
  const size = Math.abs(value)
  const text =
    size < 0.001 || size >= 100_000
      ? value.toExponential(1).replace('.0e', 'e').replace('e+', 'e')
      : String(Number(value.toPrecision(4)))
  return text.replaceAll('-', '−')
}

/** Every digit of a number, such as a setting: 12345 and 1.25e−4. `exactNumber` reads it back. */
export function exact(value: number): string {
  const size = Math.abs(value)
  const text = size > 0 && size < 0.001 ? value.toExponential() : String(value)
  return text.replace('e+', 'e').replaceAll('-', '−')
}

/** The number that somebody typed, with either minus sign and a point or a comma; NaN if it is none. */
export function exactNumber(text: string): number {
  return text.trim() === '' ? Number.NaN : Number(text.replaceAll('−', '-').replace(',', '.'))
}

export function bytes(count: number): string {
  if (count < 1_000_000) return `${Math.round(count / 1000)} kB`
  return count < 1_000_000_000 ? `${(count / 1_000_000).toFixed(1)} MB` : `${(count / 1_000_000_000).toFixed(1)} GB`
}

/** The text, cut with … to at most `most` characters. */
export function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, Math.max(0, most - 1)).trimEnd()}…`
}

/** The text, beginning with a capital letter. */
export function capital(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`
}

const OR = new Intl.ListFormat('en', { type: 'disjunction' })

/** "a", "a or b", "a, b, or c". */
export function alternatives(texts: readonly string[]): string {
  return OR.format(texts)
}

/** Keeps equations such as "T = 0" on one line. */
export function unbroken(text: string): string {
  return text.replace(/ ([=<>≥≤]) /g, '\u00a0$1\u00a0')
}
