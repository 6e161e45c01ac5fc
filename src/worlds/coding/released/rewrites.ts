/**
 * Rewrites of imported problems. Their meaning is not known, so a rewrite is a whole problem in the released form, as in the
 * release (sample/llm_env_rollout.py:887): a question and at least four tests. Without a reference solution the tests cannot
 * be verified, only checked for contradictions; a wrong problem is discarded later, when no program passes it. A rewrite
 * keeps the problem's checker, whatever it says of one, and the checker must accept what the rewritten tests expect. Where the
 * problem has none, neither has a rewrite: its author would decide which programs win.
 */
import type { RewriteResult } from '../../../method/ports.ts'
import { checkerFault, type JudgeOne } from './checker-trial.ts'
import type { CodingTask, Problem } from '../problem.ts'
import { importedTask } from './file.ts'
import { ITEM_LIMITS, itemOf, readItem } from './item.ts'

const LEAST_TESTS = 4
/** Number of tests shown to the author, none of them longer than in the release (sample/llm_env_rollout.py:665). */
const SHOWN_TESTS = 8
const LONGEST_SHOWN_TEXT = 100
const SHOWN_QUESTION = 60
const FENCED = /```[^\n`]*\n([^]*?)(?:```|$)/g
/** Twice the limits of question and tests, which leaves room for the other fields. */
const LONGEST_REWRITE = 2 * (ITEM_LIMITS.questionCharacters + ITEM_LIMITS.testCharacters)

/** The problem as an item, with the requirements for a rewrite. */
export function describeImported({ body }: CodingTask): string {
  const tests = body.tests
    .filter(({ input, output }) => input.length <= LONGEST_SHOWN_TEXT && (output?.length ?? 0) <= LONGEST_SHOWN_TEXT)
    .slice(0, SHOWN_TESTS)
  return (
    `${JSON.stringify(itemOf({ ...body, tests }))}\n` +
    `A rewrite is a whole problem in this JSON: the same fields, the same test_method, at least ${LEAST_TESTS} tests.`
  )
}

/** Throws only errors of the judge, which tries the checker. The new task has the same root. */
export async function rewriteImported(
  task: CodingTask,
  text: string,
  newId: string,
  judge: JudgeOne,
): Promise<RewriteResult> {
  const refused = (reason: string): RewriteResult => ({ ok: false, message: `The rewrite is refused: ${reason}.` })
  if (text.length > LONGEST_REWRITE) return refused(`it has ${text.length} characters`)
  const item = jsonIn(text)
  if (item === undefined) return refused('it is not a problem in JSON')
  const old = task.body
  const read = readItem(withChecker(item, old), { isStrict: true, leastTests: LEAST_TESTS })
  if ('fault' in read) return refused(read.fault)
  const { problem } = read
  if (problem.form !== old.form) return refused('test_method is another one than that of the problem')
  if (problem.checker !== undefined && old.checker === undefined) return refused('the problem has no checker')
  const words = itemOf(problem)
  if (JSON.stringify(words) === JSON.stringify(itemOf(old))) return refused('it changes nothing')
  const fault = await checkerFault(problem, judge)
  if (fault !== null) return refused(fault)
  const question = problem.statement.replace(/\s+/g, ' ')
  const shown = question.length > SHOWN_QUESTION ? `${question.slice(0, SHOWN_QUESTION - 1)}…` : question
  return {
    ok: true,
    task: { ...importedTask(newId, problem), rootId: task.rootId },
    message:
      `A new problem with ${problem.tests.length} tests: "${shown}" ` +
      'No reference solution is known, so its tests are unverified until a program passes them.',
  }
}

function withChecker(item: unknown, { checker }: Problem): unknown {
  const isObject = typeof item === 'object' && item !== null && !Array.isArray(item)
  return checker === undefined || !isObject ? item : { ...item, checker }
}

/** Parses the last fenced block, or else the text from the first brace to the last. */
function jsonIn(text: string): unknown {
  const fenced = [...text.matchAll(FENCED)].at(-1)?.[1]
  const braces = text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1)
  for (const candidate of fenced === undefined ? [braces] : [fenced, braces]) {
    try {
      return JSON.parse(candidate) as unknown
    } catch {
      // Tries the next candidate.
    }
  }
  return undefined
}
