/** How the page shows a problem with a checker, and tests whose checker failed. */
import { describe, expect, it } from 'vitest'
import type { IterationView } from '../../../../src/runs/fold.ts'
import type { TestResult } from '../../../../src/method/ports.ts'
import { cellOf, failures, programMatrix } from '../../../../src/playground/worlds/coding/program-matrix.ts'
import { NOTHING_EXPECTED, shownProblem } from '../../../../src/playground/worlds/coding/shown-problem.ts'

const body = {
  form: 'call',
  functionName: 'f',
  statement: 'Any number above x.',
  tests: [
    { input: '[1]', output: '2' },
    { input: '[2]', output: null },
    { input: '[3]', output: null },
  ],
  reference: null,
  checker: 'const check = ([x], output) => output > x',
}
const PASSED: TestResult = { passed: true, verdict: 'passed', detail: '' }
const VOID: TestResult = { passed: false, verdict: 'checker failed', detail: 'Error: no idea', isVoid: true }

/** The parts of an iteration with one program that the matrix reads. */
function iterationOf(tests: readonly TestResult[]): IterationView {
  const step = { response: '', thought: '', command: '', observation: '', tests }
  const episode = { episodeId: 'e', taskId: 'q', rollout: 0, outcome: 1, steps: [step] }
  return { episodes: [{ episode, feedback: null, policyAdvantages: undefined }] } as unknown as IterationView
}

describe('a problem with a checker', () => {
  it('is shown with its checker, and says if no output is expected', () => {
    const problem = shownProblem({ body })!
    expect(problem.checker).toBe(body.checker)
    expect(problem.tests.map(({ output }) => output)).toEqual(['2', NOTHING_EXPECTED, NOTHING_EXPECTED])
    const { checker: _checker, ...plain } = body
    expect(shownProblem({ body: { ...plain, tests: body.tests.slice(0, 1) } })?.checker).toBeNull()
  })

  it('counts void tests neither for nor against a program', () => {
    expect(cellOf(VOID)).toEqual({ kind: 'checker failed', verdict: 'checker failed', detail: 'Error: no idea' })
    const iteration = iterationOf([PASSED, VOID, PASSED])
    const { rows, columns } = programMatrix({ iteration, taskId: 'q', problem: shownProblem({ body }), tests: null })
    expect(rows[0]!.hidden).toEqual({ passed: 2, count: 2 })
    expect(columns.map(({ passed, run }) => [passed, run])).toEqual([
      [1, 1],
      [0, 0],
      [1, 1],
    ])
    const failing = iterationOf([VOID, { passed: false, verdict: 'time limit', detail: '' }])
    const matrix = programMatrix({ iteration: failing, taskId: 'q', problem: shownProblem({ body }), tests: null })
    expect(failures(matrix, matrix.rows[0]!).map(({ name, kind }) => [name, kind])).toEqual([
      ['hidden test 2', 'time limit'],
    ])
  })
})
