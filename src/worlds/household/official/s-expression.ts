/** Reads the syntax of PDDL: words and lists in parentheses; ";" starts a comment up to the end of the line. */
import { GameFileError } from './game-file-error.ts'

export type Expression = string | Expression[]

const OPEN = 40
const CLOSE = 41
const SEMICOLON = 59
const SPACE = 32

/** All expressions of a text, in lower case since PDDL ignores case. Throws a GameFileError if parentheses do not match. */
export function readExpressions(source: string): Expression[] {
  const text = source.toLowerCase()
  const outermost: Expression[] = []
  const open: Expression[][] = []
  let list = outermost
  for (let at = 0; at < text.length;) {
    const code = text.charCodeAt(at)
    if (code === OPEN) {
      const inner: Expression[] = []
      list.push(inner)
      open.push(list)
      list = inner
      at++
    } else if (code === CLOSE) {
      const outer = open.pop()
      if (outer === undefined) {
        throw new GameFileError('Its PDDL closes a parenthesis that was never opened, so the file is damaged.')
      }
      list = outer
      at++
    } else if (code === SEMICOLON) {
      const end = text.indexOf('\n', at)
      at = end < 0 ? text.length : end
    } else if (isBlank(code)) {
      at++
    } else {
      const start = at
      while (at < text.length && !endsWord(text.charCodeAt(at))) at++
      list.push(text.slice(start, at))
    }
  }
  if (open.length > 0) {
    const many = open.length === 1 ? 'a parenthesis' : `${open.length} parentheses`
    throw new GameFileError(`Its PDDL ends with ${many} still open: the file is incomplete.`)
  }
  return outermost
}

function isBlank(code: number): boolean {
  return code <= SPACE
}

function endsWord(code: number): boolean {
  return code <= SPACE || code === OPEN || code === CLOSE || code === SEMICOLON
}
