/** Contents as text: lines, settings, sums. */
import { style, type Control, type Line } from './facts.ts'

export function lineText({ text, style: bits }: Line): string {
  if (bits === 0) return text
  const marks = [bits & style.bold && 'bold', bits & style.heading && 'heading', bits & style.centred && 'centred']
  return `${text} (${marks.filter(Boolean).join(' ')})`
}

export function valueText({ kind, options, disabled }: Control, value: number): string {
  const text = kind === 'switch' ? (value ? 'on' : 'off') : kind === 'choice' ? options[value]! : String(value * 10)
  return disabled === '' ? text : `${text} (${disabled})`
}

const isNumber = (text: string): boolean => /^\d+$/.test(text)

/** Words count as nothing. */
export function sumOf(rows: readonly (readonly string[])[], column: number): number {
  let sum = 0
  for (const row of rows) {
    const value = row[column]!
    if (isNumber(value)) sum += Number(value)
  }
  return sum
}
