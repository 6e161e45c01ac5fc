/**
 * A regular expression as a person writes it, without regard to case. One that could take for ever is refused: engines
 * try every way of cutting a text when a repeated group itself repeats or branches, as in (a+)+ or (a|aa)*, which is
 * 2^n ways for n characters.
 */
export type ReadPattern = { expression: RegExp } | { problem: string }

export function readPattern(text: string): ReadPattern {
  let expression: RegExp
  try {
    expression = new RegExp(text, 'i')
  } catch (cause) {
    return { problem: `“${text}” is no regular expression: ${reasonOf(cause, text)}. ${adviceFor(text)}` }
  }
  return repeatsRepetition(text)
    ? {
        problem: `“${text}” is not searched: it repeats a group that itself repeats or has a choice, which can take for ever. Repeat only one of the two.`,
      }
    : { expression }
}

/** What the engine says of it, without the expression, which it repeats. */
function reasonOf(cause: unknown, text: string): string {
  const message = cause instanceof Error ? cause.message : String(cause)
  const end = message.lastIndexOf(`/${text}/`)
  const reason = (end === -1 ? message : message.slice(end + text.length + 2))
    .replace(/^[a-z]*\s*:\s*|^Invalid regular expression:\s*/iu, '')
    .trim()
  return reason === '' ? 'it cannot be read' : reason.charAt(0).toLowerCase() + reason.slice(1)
}

function adviceFor(text: string): string {
  if (/\\$/u.test(text)) return 'A backslash needs a sign after it.'
  const sign = /[()[\]{}*+?]/u.exec(text)?.[0]
  return sign ? `If “${sign}” is meant as it is, write “\\${sign}”.` : 'Correct it to search on.'
}

/** Whether a group that repeats or branches is repeated without a bound below it. */
function repeatsRepetition(text: string): boolean {
  /** Of every open group, whether something in it repeats or branches. */
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
