/**
 * Reads a regular expression and ignores case. Refuses expressions that could take forever: if a repeated group itself
 * repeats or branches, as in (a+)+ or (a|aa)*, engines try 2^n ways to split n characters.
 */
import { errorText } from '../../../threads/error-text.ts'

type ReadPattern = { expression: RegExp } | { problem: string }

export function readPattern(text: string): ReadPattern {
  let expression: RegExp
  try {
    expression = new RegExp(text, 'i')
  } catch (cause) {
    return { problem: `“${text}” is not a regular expression: ${reasonOf(cause, text)}. ${adviceFor(text)}` }
  }
  return repeatsRepetition(text)
    ? {
        problem: `“${text}” was not searched: it repeats a group that itself repeats or has alternatives, which can take forever. Repeat only one of the two.`,
      }
    : { expression }
}

/** The engine's reason without the expression. */
function reasonOf(cause: unknown, text: string): string {
  const message = errorText(cause)
  const end = message.lastIndexOf(`/${text}/`)
  const reason = (end === -1 ? message : message.slice(end + text.length + 2))
    .replace(/^[a-z]*\s*:\s*|^Invalid regular expression:\s*/iu, '')
    .trim()
  return reason === '' ? 'it cannot be read' : reason.charAt(0).toLowerCase() + reason.slice(1)
}

function adviceFor(text: string): string {
  if (/\\$/u.test(text)) return 'A backslash needs a character after it.'
  const sign = /[()[\]{}*+?]/u.exec(text)?.[0]
  return sign ? `To search for “${sign}” itself, write “\\${sign}”.` : 'Correct it to continue.'
}

/** Whether a repeated group itself repeats or branches. */
function repeatsRepetition(text: string): boolean {
  /** For each open group, whether something in it repeats or branches. */
  const open: boolean[] = []
  let isClass = false
  for (let i = 0; i < text.length; i++) {
    const sign = text[i]!
    if (sign === '\\') i++
    else if (isClass) isClass = sign !== ']'
    else if (sign === '[') isClass = true
    else if (sign === '(') open.push(false)
    else if (sign === ')') {
      const isFree = open.pop() ?? false
      const isRepeated = isRepetition(text, i + 1)
      if (isFree && isRepeated) return true
      if ((isFree || isRepeated) && open.length > 0) open[open.length - 1] = true
    } else if ((sign === '|' || isRepetition(text, i)) && open.length > 0) open[open.length - 1] = true
  }
  return false
}

function isRepetition(text: string, at: number): boolean {
  return /^(?:[*+]|\{\d+,?\d*\})/u.test(text.slice(at))
}
