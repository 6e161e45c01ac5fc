/**
 * Turns tests written as text into tests for the judge, and the judge's verdicts into results for display.
 *
 * As released (reward/execute.py:297), a test of standard input with an empty input or output is invalid. If a function is
 * called, the input must be a JSON array of arguments and the output a JSON value. Neither may contain a number too large for
 * a double, or be nested deeper than the judge can return. If the problem has a checker, it judges the answers.
 */
import type { TestResult } from '../../../method/ports.ts'
import type { CheckedTest, Json, PlainTest, Verdict } from '../judge/verdict.ts'
import type { HiddenTest, Problem } from '../problem.ts'

/** Most characters of an input or output that a model writes. */
const LONGEST_TEXT = 20_000
const DEEPEST = 100
const LONGEST_DETAIL = 80
/** Number of characters to show before the first difference of two answers that are too long to show whole. */
const LEAD = 6

/** A test that runs a program. */
export type ProgramTest = PlainTest | Exclude<CheckedTest, { kind: 'answer' }>
type ReadTest = { test: ProgramTest } | { reason: string }

/** Reads a test, or says what is wrong with its form. Never throws. */
export function readTest(problem: Problem, { input, output }: HiddenTest, longest = LONGEST_TEXT): ReadTest {
  const outputLength = output?.length ?? 0
  if (input.length > longest || outputLength > longest) {
    const [name, length] = input.length > longest ? ['input', input.length] : ['output', outputLength]
    return { reason: `its ${name} has ${length} characters; the limit is ${longest}` }
  }
  const { checker } = problem
  if (output === null && checker === undefined) return { reason: 'its output is null, and there is no checker' }
  if (problem.form === 'stdio') {
    if (input === '') return { reason: 'its input is empty' }
    if (output === '') return { reason: 'its output is empty' }
    if (checker !== undefined) return { test: { kind: 'stdio', input, expected: output, checker } }
    return { test: { kind: 'stdio', input, expected: output! } }
  }
  const given = readJson(input)
  if ('reason' in given) return { reason: `its input ${given.reason}` }
  if (!isArray(given.value)) return { reason: 'its input is not a JSON array of arguments' }
  const expected = output === null ? { value: null } : readJson(output)
  if ('reason' in expected) return { reason: `its output ${expected.reason}` }
  const { functionName } = problem
  const test = { kind: 'call' as const, functionName, arguments: given.value, expected: expected.value }
  return { test: checker === undefined ? test : { ...test, checker } }
}

/** A test that asks the checker about the expected output instead of a program's answer; null if there is no checker. */
export function ownAnswer(test: ProgramTest): (CheckedTest & { kind: 'answer' }) | null {
  if (test.checker === undefined) return null
  const input = test.kind === 'call' ? test.arguments : test.input
  return { kind: 'answer', input, answer: test.expected, expected: test.expected, checker: test.checker }
}

/** A result with at most 80 characters of detail in one line. A failed checker makes the test void. */
export function testResult(verdict: Verdict): TestResult {
  const result = { passed: verdict.kind === 'passed', verdict: verdict.kind, detail: detailOf(verdict) }
  return verdict.kind === 'checker failed' ? { ...result, isVoid: true } : result
}

function detailOf(verdict: Verdict): string {
  switch (verdict.kind) {
    case 'wrong answer':
      return differing(oneLine(verdict.expected) || 'nothing', oneLine(verdict.got) || 'nothing')
    case 'runtime error':
    case 'syntax error':
    case 'checker failed':
      return shortened(oneLine(verdict.message), LONGEST_DETAIL)
    case 'time limit':
      return verdict.by === 'clock' ? 'by the clock, not by executed time' : ''
    case 'passed':
    case 'memory limit':
    case 'output limit':
      return ''
  }
}

function differing(expected: string, got: string): string {
  const frame = 'expected , got '.length
  const room = Math.floor((LONGEST_DETAIL - frame) / 2)
  const isShort = expected.length + got.length + frame <= LONGEST_DETAIL
  const start = isShort || (expected.length <= room && got.length <= room) ? 0 : firstDifference(expected, got) - LEAD
  const shown = (text: string) => {
    if (isShort) return text
    return shortened(start > 0 ? `…${text.slice(start + 1)}` : text, room)
  }
  return `expected ${shown(expected)}, got ${shown(got)}`
}

function firstDifference(a: string, b: string): number {
  let at = 0
  while (at < a.length && a[at] === b[at]) at++
  return at
}

function shortened(text: string, longest: number): string {
  return text.length <= longest ? text : `${text.slice(0, longest - 1)}…`
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}

function readJson(text: string): { value: Json } | { reason: string } {
  let value: Json
  try {
    value = JSON.parse(text) as Json
  } catch {
    return { reason: 'is not JSON' }
  }
  const fault = faultOf(value, 0)
  return fault === null ? { value } : { reason: fault }
}

/** What the judge could not pass or return unchanged. */
function faultOf(value: Json, depth: number): string | null {
  if (typeof value === 'number') return Number.isFinite(value) ? null : 'has a number too large for a double'
  if (typeof value !== 'object' || value === null) return null
  if (depth === DEEPEST) return `is nested deeper than ${DEEPEST}`
  for (const part of Object.values(value)) {
    const fault = faultOf(part, depth + 1)
    if (fault !== null) return fault
  }
  return null
}

/** Array.isArray does not narrow readonly arrays. */
function isArray(value: Json): value is readonly Json[] {
  return Array.isArray(value)
}
