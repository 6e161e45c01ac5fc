/**
 * Reads and writes one problem in the released form (data/preprocess_data.ipynb):
 *
 *     { "question": "...", "test_method": "stdio", "test_time_limit": 2, "test_input": ["1 2\n"], "test_output": ["3"] }
 *
 * `"test_method": "function"` is our extension: it has a `function_name`, inputs are JSON arrays of arguments, and outputs are
 * JSON values. A `checker`, also an extension, is for problems with many right answers: JavaScript that defines
 *
 *     function check(input, output, expected) { … return true or false }                       (judge/checker.ts)
 *
 * Entries of `test_output` may then be null. An optional `split` assigns the item to a split. The time limit is in seconds; a
 * second is 1,000 executed milliseconds (sandbox/metering.ts), and the judge allows at most 8,000.
 */
import * as v from 'valibot'
import type { Split } from '../../../method/ports.ts'
import { isSameJson, isSameText } from '../judge/comparison.ts'
import type { HiddenTest, Problem } from '../problem.ts'
import { readTest, type ProgramTest } from '../written-tests/read-test.ts'

/** Limits of an item. Run logs contain whole problems, so their size is limited. */
export const ITEM_LIMITS = {
  questionCharacters: 20_000,
  checkerCharacters: 20_000,
  tests: 100,
  /** Per input or output. */
  textCharacters: 100_000,
  /** For all inputs and outputs together. */
  testCharacters: 500_000,
} as const

const LONGEST_TIME_LIMIT_MS = 8000
const IDENTIFIER = /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u

type Issue = { received: string; kind: string }
const mustBe = (what: string) => (issue: Issue) =>
  issue.received === 'undefined'
    ? 'is missing'
    : issue.received === 'NaN'
      ? `must be ${what}`
      : `must be ${what}, not ${nounOf(issue.received)}`

const text = v.string(mustBe('text'))
const texts = v.array(text, mustBe('a list of texts'))
const ENTRIES = {
  question: text,
  test_method: v.picklist(['stdio', 'function'], mustBe('"stdio" or "function"')),
  function_name: v.nullish(text),
  test_time_limit: v.number(mustBe('a number of seconds')),
  test_input: texts,
  test_output: v.array(v.nullable(text), mustBe('a list of texts')),
  checker: v.nullish(text),
}
const SPLIT = v.nullish(v.picklist(['train', 'id', 'ood'], mustBe('"train", "id" or "ood"')))
const objectMessage = (issue: Issue & { expected: string | null }) =>
  issue.expected === 'never'
    ? 'is not a field of a problem'
    : issue.received === 'undefined'
      ? 'is missing'
      : mustBe('an object')(issue)
const looseItem = v.object({ ...ENTRIES, split: SPLIT }, objectMessage)
const strictItem = v.strictObject(ENTRIES, objectMessage)

interface ReadingOptions {
  /** Whether unknown fields are a fault. If not, they are ignored. */
  isStrict: boolean
  leastTests: number
}

/** `fault` is a sentence without its full stop that begins with the field. */
type ReadItem = { problem: Problem; split: Split | null; isTimeLimitCut: boolean } | { fault: string }

/**
 * Never throws. Cannot know whether a program can pass the tests, but reports contradicting tests as a fault. Only the judge
 * can try a checker (checker-trial.ts).
 */
export function readItem(item: unknown, { isStrict, leastTests }: ReadingOptions): ReadItem {
  // valibot accepts a list as an object.
  if (Array.isArray(item)) return { fault: 'it must be an object, not a list' }
  const parsed = v.safeParse(isStrict ? strictItem : looseItem, item, { abortEarly: true })
  if (!parsed.success) return { fault: issueFault(parsed.issues[0]) }
  const { question, test_method, function_name, test_time_limit, test_input, test_output } = parsed.output
  const checker = parsed.output.checker ?? null
  const fault =
    questionFault(question) ??
    (test_time_limit > 0 && Number.isFinite(test_time_limit) ? null : 'test_time_limit must be more than 0 seconds') ??
    sizeFault(test_input, test_output, leastTests) ??
    checkerTextFault(checker, test_output)
  if (fault !== null) return { fault }
  const base = {
    statement: question.trim(),
    tests: test_input.map((input, index): HiddenTest => ({ input, output: test_output[index] ?? null })),
    timeLimitMs: Math.min(test_time_limit * 1000, LONGEST_TIME_LIMIT_MS),
    reference: null,
    spec: null,
    ...(checker !== null && { checker }),
  }
  let problem: Problem = { ...base, form: 'stdio' }
  if (test_method === 'function') {
    if (function_name === null || function_name === undefined) {
      return { fault: 'function_name is missing: test_method "function" requires it' }
    }
    if (!IDENTIFIER.test(function_name))
      return { fault: `function_name "${function_name.slice(0, 40)}" is not a valid function name` }
    problem = { ...base, form: 'call', functionName: function_name }
  }
  const unfit = testsFault(problem)
  if (unfit !== null) return { fault: unfit }
  const split = 'split' in parsed.output ? (parsed.output.split ?? null) : null
  return { problem, split, isTimeLimitCut: test_time_limit * 1000 > LONGEST_TIME_LIMIT_MS }
}

/** The item that reads back as this problem, without reference solution and spec, for which the form has no fields. */
export function itemOf(problem: Problem): Record<string, unknown> {
  return {
    question: problem.statement,
    ...(problem.form === 'call'
      ? { test_method: 'function', function_name: problem.functionName }
      : { test_method: 'stdio' }),
    test_time_limit: problem.timeLimitMs / 1000,
    test_input: problem.tests.map(({ input }) => input),
    test_output: problem.tests.map(({ output }) => output),
    ...(problem.checker !== undefined && { checker: problem.checker }),
  }
}

function questionFault(question: string): string | null {
  if (question.trim() === '') return 'question is empty'
  const most = ITEM_LIMITS.questionCharacters
  return question.length > most ? `question has ${question.length} characters; the limit is ${most}` : null
}

function checkerTextFault(checker: string | null, outputs: readonly (string | null)[]): string | null {
  if (checker === null) {
    const missing = outputs.indexOf(null)
    return missing < 0 ? null : `entry ${missing + 1} of test_output is null, which requires a checker`
  }
  if (checker.trim() === '') return 'checker is empty'
  const most = ITEM_LIMITS.checkerCharacters
  return checker.length > most ? `checker has ${checker.length} characters; the limit is ${most}` : null
}

function sizeFault(inputs: readonly string[], outputs: readonly (string | null)[], leastTests: number): string | null {
  if (inputs.length !== outputs.length) {
    return `test_output has ${outputs.length} entries and test_input ${inputs.length}; each input requires one output`
  }
  const { tests, textCharacters, testCharacters } = ITEM_LIMITS
  if (inputs.length < leastTests) return `test_input has ${inputs.length} entries; the minimum is ${leastTests}`
  if (inputs.length > tests) return `test_input has ${inputs.length} entries; the limit is ${tests}`
  let all = 0
  for (const [field, entries] of [
    ['test_input', inputs],
    ['test_output', outputs],
  ] as const) {
    for (const [index, entry] of entries.entries()) {
      const length = entry?.length ?? 0
      all += length
      if (length > textCharacters) {
        return `entry ${index + 1} of ${field} has ${length} characters; the limit is ${textCharacters}`
      }
    }
  }
  return all > testCharacters
    ? `test_input and test_output have ${all} characters; the limit is ${testCharacters}`
    : null
}

function testsFault(problem: Problem): string | null {
  const byInput = new Map<string, { index: number; test: ProgramTest }>()
  for (const [index, written] of problem.tests.entries()) {
    const read = readTest(problem, written, ITEM_LIMITS.textCharacters)
    if ('reason' in read) {
      return read.reason.replace(/^its (input|output)/, (_, which: string) => `entry ${index + 1} of test_${which}`)
    }
    const { test } = read
    const input = test.kind === 'call' ? JSON.stringify(test.arguments) : test.input
    const earlier = byInput.get(input)
    // With a checker, both outputs may be right.
    if (earlier && problem.checker === undefined && !isSameAnswer(earlier.test, test)) {
      return `entries ${earlier.index + 1} and ${index + 1} of test_input are the same, but their outputs differ`
    }
    byInput.set(input, { index, test })
  }
  return null
}

function isSameAnswer(a: ProgramTest, b: ProgramTest): boolean {
  return a.kind === 'call' && b.kind === 'call'
    ? isSameJson(a.expected, b.expected)
    : isSameText(a.expected as string, b.expected as string)
}

interface PathIssue {
  message: string
  path?: readonly { key: unknown }[] | undefined
}

function issueFault({ message, path = [] }: PathIssue): string {
  const [field, entry] = path.map(({ key }) => key)
  if (field === undefined) return `it ${message}`
  const name = typeof field === 'string' ? field.slice(0, 40) : 'it'
  return typeof entry === 'number' ? `entry ${entry + 1} of ${name} ${message}` : `${name} ${message}`
}

/** Words for the type or literal that valibot received. */
function nounOf(received: string): string {
  switch (received) {
    case 'null':
      return 'null'
    case 'Array':
      return 'a list'
    case 'Object':
      return 'an object'
  }
  if (received.startsWith('"')) return received.length > 40 ? `${received.slice(0, 40)}…"` : received
  return received
}
