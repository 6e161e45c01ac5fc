/** Checkers: their input, their isolation from programs, and who is to blame for a failure. */
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { Judge } from '../../../../src/worlds/coding/judge/judge.ts'
import {
  CHECKER_LIMITS,
  type CheckedTest,
  type JudgeJob,
  type Json,
  type Verdict,
} from '../../../../src/worlds/coding/judge/verdict.ts'
import { HOSTILE_ANSWERS } from './hostile-answers.ts'
import { HOSTILE_LIMITS } from './hostile-programs.ts'

const judge = new Judge()

const job = (source: string, test: CheckedTest): JudgeJob => ({ source, tests: [test], limits: HOSTILE_LIMITS })
const verdictOf = async (source: string, test: CheckedTest) => (await judge.judge(job(source, test)))[0]!
const called = (checker: string, args: readonly Json[] = [], expected: Json = 42): CheckedTest => ({
  kind: 'call',
  functionName: 'f',
  arguments: args,
  expected,
  checker,
})

/** Any order of words. */
const SAME_WORDS = `
  const words = (text) => text.split(/\\s+/).filter(Boolean).sort().join(' ')
  const check = (input, output, expected) => words(output) === words(expected)
`
const HONEST: JudgeJob = {
  source: 'const f = (xs) => [...xs].reverse(); print(readline().split(" ").reverse().join("\\n"))',
  tests: [
    { kind: 'stdio', input: 'a b c', expected: 'b a c', checker: SAME_WORDS },
    { kind: 'stdio', input: 'a b c', expected: 'b a', checker: SAME_WORDS },
    { kind: 'stdio', input: 'a b', expected: 'b a' },
  ],
  limits: HOSTILE_LIMITS,
}

describe('a checker', () => {
  it('decides if a problem has many right answers, and the verdict says so', async () => {
    const [right, wrong, plain] = await judge.judge(HONEST)
    expect(right).toMatchObject({ kind: 'passed', checkedMs: expect.any(Number) as number })
    expect(wrong).toMatchObject({ kind: 'wrong answer', expected: 'what the checker accepts', got: 'c\nb\na' })
    expect(plain).not.toHaveProperty('checkedMs')
  })

  it('gets input, output and expected answer unchanged, whatever JSON they are', async () => {
    const value = fc.jsonValue({ maxDepth: 4 }) as fc.Arbitrary<Json>
    // JSON has no -0, so a program cannot answer with it.
    const normal = (json: Json) => JSON.parse(JSON.stringify(json)) as Json
    await fc.assert(
      fc.asyncProperty(value, value, async (given, expected) => {
        const echo = `const check = (input, output, expected) =>
          JSON.stringify([input, output, expected]) === ${JSON.stringify(JSON.stringify(normal([[given], [given], expected])))}`
        expect(await verdictOf('const f = (x) => [x]', called(echo, [given], expected))).toMatchObject({
          kind: 'passed',
        })
      }),
    )
  })

  it('gets exactly the printed text, and null if nothing is expected', async () => {
    const checker = 'const check = (...all) => JSON.stringify(all) === JSON.stringify(["1 \\n", " a  b\\n", null])'
    const test: CheckedTest = { kind: 'stdio', input: '1 \n', expected: null, checker }
    expect(await verdictOf('print(" a  b"); print("")', test)).toMatchObject({ kind: 'passed' })
  })

  it('can judge an answer without a program', async () => {
    const answered = (answer: Json): CheckedTest => ({
      kind: 'answer',
      input: [[1, 2]],
      answer,
      expected: null,
      checker: 'const check = ([xs], output) => xs.includes(output)',
    })
    expect(await verdictOf('for (;;);', answered(2))).toMatchObject({ kind: 'passed', executedMs: 0 })
    expect(await verdictOf('', answered(3))).toMatchObject({ kind: 'wrong answer', got: '3' })
  })

  it('does not run for a program without an answer', async () => {
    for (const source of ['const f = () => { throw 1 }', 'const f = () => {', 'const f = () => NaN']) {
      expect(await verdictOf(source, called('const check = () => true'))).not.toHaveProperty('checkedMs')
    }
  })

  it('takes the same time whatever the program did', async () => {
    const checker = `
      const all = Array.from({ length: 1000 }, () => Math.random()).sort()
      const check = (input, output) => all[0] < 0.01 && output === 42
    `
    const programs = [
      'const f = () => 42',
      'for (let i = 0; i < 999; i++) Math.random(); Math.random = () => 1; const f = () => 42',
      'const kept = Array.from({ length: 1e5 }, (_, i) => ({ i })); const f = () => 42',
      'const large = new Uint8Array(14e6).fill(1); const f = () => 42',
    ]
    const times = new Set<number>()
    for (const source of programs) {
      const verdict = await verdictOf(source, called(checker))
      expect(verdict.kind).toBe('passed')
      times.add(verdict.checkedMs!)
    }
    expect([...times]).toEqual([expect.any(Number)])
    const other = await new Judge().judge(job(programs[0]!, called(checker)))
    expect(other[0]!.checkedMs).toBe([...times][0])
  })
})

describe('a judge of hostile answers', () => {
  let honest: Verdict[]
  beforeAll(async () => {
    honest = await judge.judge(HONEST)
    expect(honest.map(({ kind }) => kind)).toEqual(['passed', 'wrong answer', 'passed'])
  })

  it('has a unique name for each', () => {
    expect(new Set(HOSTILE_ANSWERS.map(({ name }) => name)).size).toBe(HOSTILE_ANSWERS.length)
  })

  it.each(HOSTILE_ANSWERS.map((answer) => [answer.name, answer] as const))('%s', async (_, answer) => {
    const verdict = await verdictOf(answer.source, answer.test)
    expect(verdict).toMatchObject({ kind: answer.verdict })
    if (answer.message !== undefined)
      expect(verdict).toMatchObject({ message: expect.stringContaining(answer.message) as string })
    expect(verdict.executedMs).toBeLessThanOrEqual(HOSTILE_LIMITS.executedMs)
    expect(verdict.checkedMs ?? 0).toBeLessThanOrEqual(CHECKER_LIMITS.executedMs)
    const isBrief = (verdict.checkedMs ?? 0) < CHECKER_LIMITS.executedMs / 10
    if (isBrief) expect(await verdictOf(answer.source, answer.test)).toEqual(verdict)
    // The next program and checker get the same verdicts as ever, to the last unit of fuel.
    expect(await judge.judge(HONEST)).toEqual(honest)
  })
})
