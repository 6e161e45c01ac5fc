/** A problem that a person is writing: fields of a form as text, and the item of a problem file that they describe. */
import * as v from 'valibot'
import { itemOf, readItem } from '../../../worlds/coding/released/item.ts'
import type { Problem } from '../../../worlds/coding/problem.ts'
import { hashOf } from '../../../worlds/random.ts'
import { capital } from '../../kit/format.ts'

const draftShape = v.object({
  statement: v.string(),
  form: v.picklist(['function', 'stdio']),
  functionName: v.string(),
  /** In seconds. */
  timeLimit: v.string(),
  tests: v.pipe(v.array(v.object({ input: v.string(), output: v.string() })), v.minLength(1)),
  checker: v.string(),
  /** The program to try. */
  program: v.string(),
})

export type OwnDraft = v.InferOutput<typeof draftShape>

export const EMPTY_DRAFT: OwnDraft = {
  statement: '',
  form: 'function',
  functionName: 'f',
  timeLimit: '1',
  tests: [
    { input: '', output: '' },
    { input: '', output: '' },
  ],
  checker: '',
  program: '',
}

const keptDraft = v.fallback(v.pipe(v.string(), v.parseJson(), draftShape), EMPTY_DRAFT)

/** The kept draft; an empty form if there is none in this version's format. */
export const parseDraft = (text: string | null): OwnDraft => v.parse(keptDraft, text)

/** Empty rows are ignored. With a checker, a test without an output expects none. */
export function problemOf(draft: OwnDraft): { problem: Problem } | { fault: string } {
  if (draft.statement.trim() === '') return { fault: 'The statement is empty: say what a program has to do.' }
  const tests = draft.tests.filter(({ input, output }) => input.trim() !== '' || output.trim() !== '')
  if (tests.length === 0)
    return { fault: 'There is no test: write an input and, unless the checker needs none, an output.' }
  const hasChecker = draft.checker.trim() !== ''
  const read = readItem(
    {
      question: draft.statement,
      test_method: draft.form,
      ...(draft.form === 'function' && { function_name: draft.functionName.trim() }),
      test_time_limit: Number(draft.timeLimit),
      test_input: tests.map(({ input }) => input),
      test_output: tests.map(({ output }) => (hasChecker && output.trim() === '' ? null : output)),
      ...(hasChecker && { checker: draft.checker }),
    },
    { isStrict: false, leastTests: 1 },
  )
  return 'fault' in read ? { fault: sentenceOf(read.fault) } : { problem: read.problem }
}

/** The file to keep in the library, where another one of that name would replace it: only equal statements have one name. */
export function fileOf(problem: Problem): { name: string; text: string } {
  const { statement } = problem
  const words = statement.replace(/\s+/g, ' ').slice(0, 40).trim()
  const rest = words === statement.trim() ? '' : `… (${hashOf(statement.trim()).toString(36)})`
  return { name: `Own: ${words}${rest}`, text: JSON.stringify({ ...itemOf(problem), split: 'train' }) }
}

/** Describes an item's fault with the names of the form's fields. */
export function sentenceOf(fault: string): string {
  const said = fault
    .replace(/\bentry (\d+) of test_input\b/, 'the input of test $1')
    .replace(/\bentry (\d+) of test_output\b/, 'the output of test $1')
    .replace(/\bentries (\d+) and (\d+) of test_input\b/, 'the inputs of tests $1 and $2')
    .replace(/^test_time_limit\b/, 'the time limit')
    .replace(/^function_name\b/, 'the name of the function')
    .replace(/^checker\b/, 'the checker')
  return `${capital(said)}.`
}

/** The line of the checker that a message names; null if it names none. */
export function faultyLine(fault: string, checker: string): { number: number; text: string } | null {
  const number = Number(/\(line (\d+)\)/.exec(fault)?.[1])
  const text = checker.split('\n')[number - 1]
  return text === undefined ? null : { number, text }
}
