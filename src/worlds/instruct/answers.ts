/**
 * Finds answers in the output of instruct models. Prompts ask them to think first and to end with a line of a given form; the parsers
 * accept that line with Markdown, quotes or brackets around it, and `bare` also without its full stop. Nothing here throws, and
 * everything runs in linear time.
 */
import type { Score } from '../../method/ports.ts'

interface Answer {
  /** The text before the answer. */
  reasoning: string
  /** One line; '' where the line is empty. */
  value: string
}

const BLANK = new Set(' \t\r')
const STOPS = new Set('.,;!')
const AROUND = new Set([...BLANK, ...'`*_'])
const BEHIND = new Set([...AROUND, ...STOPS])
const PAIRS = new Map([['"', '"'], ["'", "'"], ['“', '”'], ['‘', '’'], ['[', ']'], ['(', ')'], ['<', '>'], ['{', '}']]) // prettier-ignore
/** Layers of quotes and brackets around an answer that are removed; to look for the ends of many would take long. */
const MOST_LAYERS = 8
const FENCE = /^[ \t]*```[a-z]*[ \t\r]*$/i

/**
 * The text after the last "{name}:" at the start of a line, or else the next non-empty line, without what surrounds all of it; null if no
 * line begins so.
 */
export function lastAnswer(text: string, name: string): Answer | null {
  const last = lastMarker(text, name)
  if (!last) return null
  const [first = '', ...others] = text.slice(last.end).split('\n')
  const lines = [closed(first, last.mark), ...others].map(unwrapped)
  return { reasoning: text.slice(0, last.start).trim(), value: lines.find((line) => line !== '') ?? '' }
}

/** All text after the last "{name}:" at the start of a line, without Markdown and quotes around it; null if no line begins so. */
export function textAfter(text: string, name: string): string | null {
  const last = lastMarker(text, name)
  if (!last) return null
  const lines = text.slice(last.end).split('\n')
  return trimmed(
    lines
      .filter((line) => !FENCE.test(line))
      .join('\n')
      .trim(),
    AROUND,
  )
}

/** `mark` is the Markdown that begins in front of the name and does not end before the colon: "**Action:** …", "**Action: …**". */
function lastMarker(text: string, name: string): { start: number; end: number; mark: string } | null {
  const marker = new RegExp(`^([ \\t>#*_-]*)${name}[ \\t]*(\\*\\*|__)?[ \\t]*:`, 'gim')
  const last = [...text.matchAll(marker)].at(-1)
  if (!last) return null
  const [whole, front = '', end] = last
  let mark = front.length
  while (end === undefined && mark > 0 && '*_'.includes(front[mark - 1]!)) mark--
  return { start: last.index, end: last.index + whole.length, mark: front.slice(mark) }
}

/** The rest of a line without the end of `mark`. */
function closed(rest: string, mark: string): string {
  const text = unpadded(rest)
  if (mark === '') return text
  if (text.startsWith(mark)) return text.slice(mark.length)
  return text.endsWith(mark) ? text.slice(0, -mark.length) : text
}

/** The last non-empty line. */
export function lastLine(text: string): string {
  return (
    text
      .split('\n')
      .map(bare)
      .findLast((line) => line !== '') ?? ''
  )
}

/** A line without surrounding Markdown, quotes and brackets, and without a final full stop, for commands that never have these. */
export function bare(line: string): string {
  return FENCE.test(line) ? '' : trimmed(line, BEHIND)
}

/** Without Markdown in front, `behind` at the end, and pairs of quotes and brackets around all of it. */
function trimmed(text: string, behind: ReadonlySet<string>): string {
  let start = 0
  let end = text.length
  for (;;) {
    while (start < end && AROUND.has(text[start]!)) start++
    while (end > start && behind.has(text[end - 1]!)) end--
    // A quotation mark only at the end may belong to the text.
    if (end - start < 2 || PAIRS.get(text[start]!) !== text[end - 1]) return text.slice(start, end)
    start++
    end--
  }
}

/**
 * A line without the Markdown, quotes and brackets around all of it, and a full stop behind these. Whatever else is at its ends may be
 * part of a command: "type Hi!", "(1 + 2) * (3 + 4)".
 */
function unwrapped(line: string): string {
  if (FENCE.test(line)) return ''
  let text = unpadded(line)
  for (let layer = 0; layer < MOST_LAYERS; layer++) {
    const inner = inside(STOPS.has(text.at(-1) ?? '') ? text.slice(0, -1) : text)
    if (inner === null) break
    text = unpadded(inner)
  }
  return text
}

/** Null if nothing surrounds all of the text. */
function inside(text: string): string | null {
  const mark = /^(?:\*{1,3}|_{1,3}|`{1,3})/.exec(text)?.[0]
  if (mark === undefined) return isPaired(text) && !isData(text) ? text.slice(1, -1) : null
  const inner = text.slice(mark.length, -mark.length)
  return text.endsWith(mark) && inner !== '' && !inner.includes(mark) ? inner : null
}

/** Whether the text begins with a quote or bracket that closes at its very end. */
function isPaired(text: string): boolean {
  const open = text[0]
  const close = PAIRS.get(open ?? '')
  if (close === undefined || text.length < 2 || text.at(-1) !== close) return false
  if (open === close) return text.indexOf(close, 1) === text.length - 1
  let depth = 0
  for (let i = 0; i < text.length - 1; i++) {
    if (text[i] === open) depth++
    else if (text[i] === close && --depth === 0) return false
  }
  return depth === 1
}

/** Whether it is a list or an object in JSON, whose brackets belong to it. */
function isData(text: string): boolean {
  if (!text.startsWith('{') && !text.startsWith('[')) return false
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

function unpadded(text: string): string {
  let start = 0
  let end = text.length
  while (start < end && BLANK.has(text[start]!)) start++
  while (end > start && BLANK.has(text[end - 1]!)) end--
  return text.slice(start, end)
}

/**
 * The score in the last line that contains "score" followed by a number; 0 if that is not exactly 1 or -1, or if several numbers
 * follow, as released for AlfWorld (sample/alfworld_rl_rollout.py:155).
 */
export function lastScore(text: string): { reasoning: string; score: Score } {
  let end = text.length
  while (end > 0) {
    const start = text.lastIndexOf('\n', end - 1) + 1
    const line = text.slice(start, end)
    const word = [...line.matchAll(/score/gi)].at(-1)
    const tail = word ? line.slice(word.index + word[0].length) : ''
    if (word && /\d/.test(tail))
      return { reasoning: withoutEnd(text.slice(0, start + word.index)), score: scoreOf(tail) }
    end = start - 1
  }
  return { reasoning: text.trim(), score: 0 }
}

function scoreOf(tail: string): Score {
  const numbers = [...tail.matchAll(/([+\-−–][ \t]*)?(\d[\w./]*)/g)]
  const [, sign = '', digits] = numbers[0]!
  // A sign followed by a blank may be a dash.
  if (numbers.length !== 1 || digits!.replace(/[./]$/, '') !== '1' || sign.length > 1) return 0
  return sign === '' || sign === '+' ? 1 : -1
}

/** Removes punctuation between the reasoning and the score. */
function withoutEnd(text: string): string {
  let end = text.length
  while (end > 0 && (/\s/.test(text[end - 1]!) || '*_#>-;:,'.includes(text[end - 1]!))) end--
  return text.slice(0, end).trim()
}
