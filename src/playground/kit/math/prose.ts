/** Text with formulas in it: those between `$` and `$`, and symbols that no word can be mistaken for. */
import { plainFormula } from './formula.ts'

interface ProsePart {
  isFormula: boolean
  text: string
}

const FORMULA =
  /\$([^$]+)\$|(α_(?:low|high)|acc\(q['′]?\)|q′|E\[[^\]]+\]|[RO] ?· ?S(?![\p{L}\u0304])|p[₊₋]|S\u0304|[λμε](?!\p{L}))/gu

export function proseParts(text: string): ProsePart[] {
  const parts: ProsePart[] = []
  let from = 0
  for (const { 0: found, 1: marked, 2: symbol, index } of text.matchAll(FORMULA)) {
    if (index > from) parts.push({ isFormula: false, text: text.slice(from, index) })
    parts.push({ isFormula: true, text: marked ?? symbol! })
    from = index + found.length
  }
  if (from < text.length) parts.push({ isFormula: false, text: text.slice(from) })
  return parts
}

/** The same where only plain text can be: in names, titles and messages. */
export function plainProse(text: string): string {
  return proseParts(text)
    .map((part) => (part.isFormula ? plainFormula(part.text) : part.text))
    .join('')
}
