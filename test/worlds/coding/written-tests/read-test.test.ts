import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DEFAULT_LIMITS, type Verdict } from '../../../../src/worlds/coding/judge/verdict.ts'
import type { Problem } from '../../../../src/worlds/coding/problem.ts'
import { readTest, testResult } from '../../../../src/worlds/coding/written-tests/read-test.ts'
import type { WrittenTest } from '../../../../src/method/ports.ts'
import { InThreadJudge } from '../in-thread-judge.ts'

const base = { statement: 'Twice.', tests: [], timeLimitMs: 100, reference: null, spec: null }
const calling: Problem = { ...base, form: 'call', functionName: 'f' }
const printing: Problem = { ...base, form: 'stdio' }
const judge = new InThreadJudge()

const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)

async function verdictOf(problem: Problem, written: WrittenTest, source: string): Promise<Verdict> {
  const read = readTest(problem, written)
  if (!('test' in read)) throw new Error(read.reason)
  const [verdicts] = await judge.judge([{ source, tests: [read.test], limits: DEFAULT_LIMITS }])
  return verdicts![0]!
}

describe('a written test', () => {
  it('of a function has arguments and a value', () => {
    expect(readTest(calling, { input: '[[1, 2], "a"]', output: '{"x": null}' })).toEqual({
      test: { kind: 'call', functionName: 'f', arguments: [[1, 2], 'a'], expected: { x: null } },
    })
  })

  it('of standard input is its texts, to the letter', () => {
    const [input, output] = [' 1\n2\n', '3 \n']
    expect(readTest(printing, { input, output })).toEqual({ test: { kind: 'stdio', input, expected: output } })
  })

  it.each([
    ['words', 'one, two', '1', 'its input is not JSON'],
    ['nothing', '', '1', 'its input is not JSON'],
    ['an argument without its list', '1', '1', 'its input is not a JSON array of arguments'],
    ['an object', '{"x": 1}', '1', 'its input is not a JSON array of arguments'],
    ['a huge number', '[1, [1e999]]', '1', 'its input has a number too large for a double'],
    ['a deep list', `[${nested(100)}]`, '1', 'its input is nested deeper than 100'],
    ['a very deep list', nested(9000), '1', 'its input is nested deeper than 100'],
    ['no output', '[1]', '', 'its output is not JSON'],
    ['undefined', '[1]', 'undefined', 'its output is not JSON'],
    ['a huge output', '[1]', '-1e999', 'its output has a number too large for a double'],
    ['a deep output', '[1]', nested(101), 'its output is nested deeper than 100'],
    ['a long input', `["${'x'.repeat(20_000)}"]`, '1', 'its input has 20004 characters; the limit is 20000'],
  ])('of a function with %s is invalid', (_, input, output, reason) => {
    expect(readTest(calling, { input, output })).toEqual({ reason })
  })

  it.each([
    ['input', '', '1', 'its input is empty'],
    ['output', '1', '', 'its output is empty'],
  ])('of standard input without %s is invalid, as released', (_, input, output, reason) => {
    expect(readTest(printing, { input, output })).toEqual({ reason })
  })

  it('is passed and read back at the limit of nesting', async () => {
    const input = `[${nested(99)}]`
    const verdict = await verdictOf(calling, { input, output: nested(99) }, 'const f = (x) => x')
    expect(verdict.kind).toBe('passed')
  })

  it('of any JSON is passed by a program that returns the expected output', async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), fc.string({ unit: 'binary' }), async (value, text) => {
        const output = JSON.stringify(value)
        const input = JSON.stringify([value, text])
        expect((await verdictOf(calling, { input, output }, 'const f = (x) => x')).kind).toBe('passed')
      }),
      { numRuns: 50 },
    )
  })

  it('is a test that the judge runs or has a reason, whatever its text', async () => {
    const anyText = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.string({ unit: fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)) }),
      fc.json(),
      fc.array(fc.jsonValue()).map((values) => JSON.stringify(values)),
    )
    await fc.assert(
      fc.asyncProperty(anyText, anyText, fc.constantFrom(calling, printing), async (input, output, problem) => {
        const read = readTest(problem, { input, output })
        if (!('test' in read)) {
          expect(read.reason).toMatch(/^its (input|output) [a-z0-9A-Z ,]+$/)
          return
        }
        const source = 'function f(...values) { return values.length } print(readline())'
        const [verdicts] = await judge.judge([{ source, tests: [read.test], limits: DEFAULT_LIMITS }])
        expect(['passed', 'wrong answer']).toContain(verdicts![0]!.kind)
      }),
      { numRuns: 200 },
    )
  })
})

describe('a verdict as text', () => {
  const executedMs = 1
  const wrong = (expected: string, got: string) => testResult({ kind: 'wrong answer', expected, got, executedMs })

  it('shows the expected and the actual answer', () => {
    expect(wrong('3', '4')).toEqual({ passed: false, verdict: 'wrong answer', detail: 'expected 3, got 4' })
    expect(wrong('1 2\n', ' 1\n3')).toMatchObject({ detail: 'expected 1 2, got 1 3' })
    expect(wrong('1', '')).toMatchObject({ detail: 'expected 1, got nothing' })
  })

  it('shows where long answers differ', () => {
    const same = 'x'.repeat(200)
    expect(wrong(`${same}a${same}`, `${same}b`).detail).toBe(`expected …xxxxxa${'x'.repeat(24)}…, got …xxxxxb`)
    expect(wrong(same, 'y').detail).toBe(`expected ${'x'.repeat(31)}…, got y`)
  })

  it.each<[Verdict, string]>([
    [{ kind: 'passed', executedMs }, ''],
    [{ kind: 'time limit', by: 'executed time', executedMs }, ''],
    [{ kind: 'time limit', by: 'clock', executedMs }, 'by the clock, not by executed time'],
    [{ kind: 'memory limit', executedMs }, ''],
    [{ kind: 'output limit', executedMs }, ''],
    [{ kind: 'runtime error', message: 'Error: no\nway (line 2)', executedMs }, 'Error: no way (line 2)'],
    [{ kind: 'syntax error', message: 'SyntaxError: unexpected', executedMs }, 'SyntaxError: unexpected'],
  ])('of %o', (verdict, detail) => {
    expect(testResult(verdict)).toEqual({ passed: verdict.kind === 'passed', verdict: verdict.kind, detail })
  })

  it('has at most 80 characters in one line, and shows different answers differently', () => {
    const letters = fc.string({ unit: fc.constantFrom('x', 'y', ' ', '\n'), maxLength: 6 })
    const answer = fc.tuple(fc.nat(60), letters, letters).map(([n, a, b]) => a + 'x'.repeat(n) + b)
    fc.assert(
      fc.property(answer, answer, (expected, got) => {
        const { detail } = wrong(expected, got)
        expect(detail.length).toBeLessThanOrEqual(80)
        expect(detail).not.toMatch(/\n/)
        const collapsed = (text: string) => text.replace(/\s+/g, ' ').trim()
        const [, first, second] = /^expected (.*), got (.*)$/.exec(detail)!
        expect(first === second).toBe(collapsed(expected) === collapsed(got))
      }),
      { numRuns: 500 },
    )
    const message = 'e'.repeat(300)
    expect(testResult({ kind: 'runtime error', message, executedMs }).detail).toHaveLength(80)
  })
})
