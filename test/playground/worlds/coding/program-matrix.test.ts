import { describe, expect, it } from 'vitest'
import { foldRun } from '../../../../src/runs/fold.ts'
import {
  cellOf,
  cellSentence,
  columnSentence,
  lieSentence,
  programArithmetic,
  programMatrix,
  rowSentence,
} from '../../../../src/playground/worlds/coding/program-matrix.ts'
import { shownProblem, testLine } from '../../../../src/playground/worlds/coding/shown-problem.ts'
import { fakeCodingRun, fakeCodingSettings } from '../../fake-coding-run.ts'

const events = [...fakeCodingRun({ iterations: 2 })]

function matrixOf(log = events, taskId = 'problem-0') {
  const view = foldRun(log)
  const iteration = view.iteration(1)!
  return programMatrix({
    iteration,
    taskId,
    problem: shownProblem(view.tasks.get(taskId)!.task),
    tests: view.testsFor(1, taskId),
  })
}

/** The log up to the first event of the type. */
const until = (type: string, count = 1) => {
  let seen = 0
  return events.slice(0, events.findIndex((event) => event.type === type && ++seen === count) + 1)
}

describe('programs × tests', () => {
  const matrix = matrixOf()

  it('has a row for each program in the order of the rollouts, whichever ended first', () => {
    const shuffled = [...events]
    const [a, b] = [
      shuffled.findIndex((e) => e.type === 'episode'),
      shuffled.findIndex((e) => e.type === 'episode') + 3,
    ]
    ;[shuffled[a], shuffled[b]] = [shuffled[b]!, shuffled[a]!]
    const rows = matrixOf(shuffled).rows
    expect(rows.map(({ rollout }) => rollout)).toEqual([0, 1, 2, 3, 4, 5])
    expect(rows.map((row) => row.cells.map(({ kind }) => kind))).toEqual(
      matrix.rows.map((row) => row.cells.map(({ kind }) => kind)),
    )
  })

  it('has the hidden tests, then the written ones', () => {
    expect(matrix.columns.map(({ name }) => name)).toEqual([
      ...[1, 2, 3].map((n) => `hidden test ${n}`),
      ...[1, 2, 3, 4, 5].map((n) => `written test ${n}`),
    ])
    expect(matrix.columns[0]!.test).toEqual({ input: '[[2,3]]', output: '3' })
  })

  it('distinguishes verdicts, and tests that did not run from failed ones', () => {
    const kinds = matrix.rows.map((row) => row.cells[0]!.kind)
    expect(kinds).toEqual(['passed', 'wrong answer', 'passed', 'runtime error', 'time limit', 'syntax error'])
    for (const row of matrix.rows)
      expect(row.cells.slice(6).map(({ kind }) => kind)).toEqual(['unreadable', 'unreadable'])
    expect(cellOf({ passed: false, verdict: 'a verdict of tomorrow', detail: '' })).toMatchObject({
      kind: 'failed',
      verdict: 'a verdict of tomorrow',
    })
  })

  it('marks false, detecting and unreadable tests', () => {
    expect(matrix.columns.map(({ marks }) => marks)).toEqual([
      [], [], [], ['detects'], [], ['lies'], ['unreadable'], ['unreadable'],
    ]) // prettier-ignore
  })

  it('does not mark a true test as detecting if a wrong program passes it, or if there is none', () => {
    const passesIt = matrix.columns[4]!
    expect(passesIt.generated!.isTrue).toBe(true)
    expect(matrix.rows.some((row) => row.outcome === -1 && row.cells[4]!.kind === 'passed')).toBe(true)
    expect(passesIt.marks).toEqual([])
    const onlyRight = foldRun(
      events.filter((event) => event.type !== 'episode' || (event.rollout === 0 && event.iteration === 1)),
    )
    const alone = programMatrix({
      iteration: onlyRight.iteration(1)!,
      taskId: 'problem-0',
      problem: null,
      tests: onlyRight.testsFor(1, 'problem-0'),
    })
    expect(alone.rows).toHaveLength(1)
    expect(alone.columns.flatMap(({ marks }) => marks)).not.toContain('detects')
  })

  it('marks a test that all programs pass, including wrong ones', () => {
    const generous = events.map((event) =>
      event.type === 'tests-written'
        ? { ...event, results: event.results.map((row) => row.map((cell, j) => (j === 1 ? { passed: true, verdict: 'passed', detail: '' } : cell))) }
        : event,
    ) // prettier-ignore
    expect(matrixOf(generous).columns[4]!.marks).toEqual(['passes everything'])
  })

  it('shows what a false test expects and what a right program answers', () => {
    expect(lieSentence(matrix, matrix.columns[5]!)).toBe(
      'It expects 5. The reference solution answers something else; so does program 1, which passes all hidden tests: expected 5, got 4.',
    )
    expect(lieSentence(matrix, matrix.columns[3]!)).toBeNull()
  })

  it('shows a program’s passed tests, feedback and advantage', () => {
    expect(matrix.rows[1]).toMatchObject({ outcome: -1, hidden: { passed: 2, count: 3 }, written: { passed: 1, count: 3 } })
    expect(matrix.rows[0]!.feedback).toBeCloseTo(1 + 1 / 3)
    expect(rowSentence(matrix.rows[0]!)).toMatch(/^Program 1, right, passes 3 of 3 hidden tests, 2 of 3 written tests, R \+1\.33, advantage \+/)
    expect(columnSentence(matrix.columns[3]!)).toMatch(/^Written test 1, input \[\[2,7\]\], output 7, detects, 2 of 6 programs pass, feedback \+1\.20, advantage \+1\.30$/)
    expect(columnSentence(matrix.columns[6]!)).toMatch(/unreadable, feedback −2\.00, no advantage$/)
    expect(cellSentence(matrix.rows[1]!, matrix.columns[0]!)).toBe('Program 2, hidden test 1: wrong answer, expected 3, got 5')
  }) // prettier-ignore

  it('writes R with the numbers that give it', () => {
    for (const row of matrix.rows) {
      const text = programArithmetic(matrix, row, fakeCodingSettings)!
      const [, o, lambda, passed, failed, count] =
        /= "([+−]1)" \+ (\d+) · \{(\d) passed − (\d) failed\}\/\{(\d)\} = /.exec(text)!
      const r = (o === '+1' ? 1 : -1) + Number(lambda) * ((Number(passed) - Number(failed)) / Number(count))
      expect(r).toBeCloseTo(row.feedback!)
    }
    expect(programArithmetic(matrix, matrix.rows[0]!, { ...fakeCodingSettings, profile: 'reference' })).toMatch(
      /^R = "hidden tests passed" = \{3\}\/\{3\} = /,
    )
  })

  it('fills in as the log grows: programs first, then tests, then their worth', () => {
    const first = matrixOf(until('episode', 2))
    expect(first.rows.map(({ outcome }) => outcome)).toEqual([1, -1])
    expect(first.columns).toHaveLength(3)
    expect(first.rows[0]!.written).toBeNull()
    const tested = matrixOf(until('tests-written'))
    expect(tested.columns).toHaveLength(8)
    expect(tested.rows[0]!.advantage).toBeUndefined()
    expect(tested.columns[3]!.feedback).toBeNull()
  })

  it('shows programs being judged until they are recorded', () => {
    const view = foldRun(until('episode', 2))
    const step = (episodeId: string) => ({ type: 'step' as const, iteration: 1, episodeId, taskId: 'problem-0', index: 0, response: ' f = 1 ', observation: '', done: true }) // prettier-ignore
    const live = new Map(['it1-problem-0-1', 'it1-problem-0-2'].map((id) => [id, [step(id)]]))
    const { rows } = programMatrix({
      iteration: view.iteration(1)!,
      taskId: 'problem-0',
      problem: null,
      tests: null,
      live,
    })
    expect(rows.map(({ episodeId }) => episodeId)).toEqual(['it1-problem-0-0', 'it1-problem-0-1', 'it1-problem-0-2'])
    expect(rows[2]).toMatchObject({ outcome: null, program: 'f = 1' })
  })
})

describe('a problem of a log', () => {
  it('is null if it is malformed', () => {
    for (const body of [null, 3, {}, { statement: 'x', tests: 'no', form: 'call' }, { statement: 'x', tests: [{}], form: 'call' }])
      expect(shownProblem({ body })).toBeNull()
    expect(shownProblem(null)).toBeNull()
  }) // prettier-ignore

  it('shows each test on one line, with the answer visible after any input', () => {
    expect(testLine({ input: '[1, 2]', output: '3' })).toBe('[1, 2] → 3')
    expect(testLine({ input: '3\n1 2\n', output: 'yes\n' })).toBe('3 ↵ 1 2 → yes')
    const long = testLine({ input: 'x'.repeat(500), output: '42' }, 20)
    expect(long).toMatch(/^x+… → 42$/)
    expect(long.length).toBeLessThanOrEqual(24)
  })
})
