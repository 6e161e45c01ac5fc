/**
 * Finds answers in the output of instruct models. Prompts ask them to think first and to end with a line of a given form; the parsers
 * accept that line with Markdown, quotes or a full stop around it. Nothing here throws, and everything runs in linear time.
 */
import type { Score } from '../../method/ports.ts'

interface Answer {
  /** The text before the answer. */
  reasoning: string
  /** One line; '' where the line is empty. */
  value: string
}

const AROUND = new Set(' \t\r`*_')
const BEHIND = new Set([...AROUND, '.', ',', ';', '!'])
const PAIRS = new Map([['"', '"'], ["'", "'"], ['“', '”'], ['‘', '’'], ['[', ']'], ['(', ')'], ['<', '>'], ['{', '}']]) // prettier-ignore
const FENCE = /^[ \t]*```[a-z]*[ \t\r]*$/i

/** The text after the last "{name}:" at the start of a line, or else the next non-empty line; null if no line begins so. */
export function lastAnswer(text: string, name: string): Answer | null {
  const last = lastMarker(text, name)
  if (!last) return null
  const behind = text.slice(last.end).split('\n')
  return { reasoning: text.slice(0, last.start).trim(), value: behind.map(bare).find((line) => line !== '') ?? '' }
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

function lastMarker(text: string, name: string): { start: number; end: number } | null {
  const marker = new RegExp(`^[ \\t>#*_-]*${name}[ \\t]*(?:\\*\\*|__)?[ \\t]*:`, 'gim')
  const last = [...text.matchAll(marker)].at(-1)
  return last ? { start: last.index, end: last.index + last[0].length } : null
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

/** A line without surrounding Markdown, quotes and brackets, and without a final full stop. */
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
