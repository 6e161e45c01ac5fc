import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { CodingEnvironment } from '../../../src/worlds/coding/environment.ts'
import { UnknownEpisodeError } from '../../../src/worlds/unknown-episode-error.ts'
import { expectingTests, type CodingTask, type Problem } from '../../../src/worlds/coding/problem.ts'
import { generatedProblems, importedProblems } from '../../../src/worlds/coding/problem-source.ts'
import { readReleasedFile } from '../../../src/worlds/coding/released/file.ts'
import type { StepResult, UnitTestJob } from '../../../src/method/ports.ts'
import { HOSTILE_PROGRAMS } from './judge/hostile-programs.ts'
import { InThreadJudge } from './in-thread-judge.ts'
import { numbered, releasedItem } from './released-items.ts'

const source = generatedProblems()

function opened() {
  const judge = new InThreadJudge()
  return { judge, environment: new CodingEnvironment({ judge, problems: source }) }
}

/** A task by hand: f(x) is twice x. */
function doubling(fields: Partial<Problem> = {}): CodingTask {
  const tests = [1, 2, 3, 4].map((x) => ({ input: `[${x}]`, output: `${2 * x}` }))
  const base = { statement: 'Twice x.', tests, timeLimitMs: 50, reference: 'const f = (x) => 2 * x', spec: null }
  const body = { ...base, form: 'call', functionName: 'f', ...fields } as Problem
  return { id: 'doubling', rootId: 'doubling', instruction: body.statement, kind: 'function', body }
}

/** Runs each program as its own episode, all in one step. */
async function run(
  environment: CodingEnvironment,
  task: CodingTask,
  programs: readonly string[],
): Promise<StepResult[]> {
  const starts = programs.map((_, index) => ({ episodeId: `${task.id}/${index}`, task, maxSteps: 1 }))
  const openings = await environment.reset(starts)
  expect(openings).toEqual(starts.map(({ episodeId }) => ({ episodeId, opening: task.body.statement })))
  return environment.step(starts.map(({ episodeId }, index) => ({ episodeId, command: programs[index]! })))
}

describe('an episode of the coding environment', () => {
  it('is won by the reference solution of any generated problem and lost without a program', async () => {
    const { environment, judge } = opened()
    const tasks = (await environment.sampleTasks('train', 60, 7)) as CodingTask[]
    await environment.reset(
      tasks.flatMap((task) => [
        { episodeId: `${task.id} won`, task, maxSteps: 1 },
        { episodeId: `${task.id} lost`, task, maxSteps: 1 },
      ]),
    )
    const results = await environment.step(
      tasks.flatMap((task) => [
        { episodeId: `${task.id} won`, command: task.body.reference! },
        { episodeId: `${task.id} lost`, command: '' },
      ]),
    )
    for (const [index, { body }] of tasks.entries()) {
      const [won, lost] = [results[2 * index]!, results[2 * index + 1]!]
      const count = body.tests.length
      expect(won).toMatchObject({ won: true, done: true, trueLabel: 1, distance: 0 })
      expect(won.observation).toBe(`${count} of ${count} tests passed`)
      expect(won.tests).toEqual(Array(count).fill({ passed: true, verdict: 'passed', detail: '' }))
      expect(lost).toMatchObject({ won: false, done: true, trueLabel: -1, distance: count })
      expect(lost.observation).toMatch(new RegExp(`^0 of ${count} tests passed; test 1: runtime error, ReferenceError`))
    }
    expect(judge.calls).toHaveLength(1)
  })

  it('keeps equal results of programs once, in a message to another thread too', async () => {
    const { environment } = opened()
    const task = doubling()
    const programs = [
      'const f = (x) => 2 * x',
      'const f = (x) => x + x',
      'const f = () => 0',
      'const f = (x) => x || x',
    ]
    const steps = await run(environment, task, programs)
    const tests = [1, 2, 3, 4].map((x) => ({ input: `[${x}]`, output: `${2 * x}` }))
    const [report] = await environment.runTests([{ task, programs, tests }])
    for (const results of [structuredClone(steps).map(({ tests }) => tests!), structuredClone(report!.results)]) {
      const all = results.flat()
      const differing = new Set(all.map((result) => JSON.stringify(result)))
      expect(all).toHaveLength(16)
      expect(new Set(all).size).toBe(differing.size)
      expect(differing.size).toBe(9)
    }
  })

  it('says what is wrong with a program, test by test', async () => {
    const { environment } = opened()
    const programs = [
      'function f(x) { return x < 3 ? 2 * x : 2 * x + 1 }',
      'function f(x) { if (x === 4) for (;;); return 2 * x }',
      'function f(x) { if (x === 2) throw new Error("two"); return 2 * x }',
      'function f(x) {',
    ]
    const results = await run(environment, doubling(), programs)
    expect(results.map(({ observation }) => observation)).toEqual([
      '2 of 4 tests passed; test 3: wrong answer, expected 6, got 7',
      '3 of 4 tests passed; test 4: time limit',
      '3 of 4 tests passed; test 2: runtime error, Error: two (line 1)',
      expect.stringMatching(/^0 of 4 tests passed; test 1: syntax error, /),
    ])
    expect(results.map(({ distance }) => distance)).toEqual([2, 1, 1, 4])
    expect(results[0]!.tests!.map(({ passed }) => passed)).toEqual([true, true, false, false])
  })

  it('compares printed words if the program reads standard input', async () => {
    const { environment } = opened()
    const { task } = (await readReleasedFile(JSON.stringify(releasedItem()))).problems[0]!
    const results = await run(environment, task, ['print(` ${2 * input()}\n`)', 'print(2 * input(), "x")', 'print()'])
    expect(results.map(({ observation }) => observation)).toEqual([
      '2 of 2 tests passed',
      '0 of 2 tests passed; test 1: wrong answer, expected 2, got 2 x',
      '0 of 2 tests passed; test 1: wrong answer, expected 2, got nothing',
    ])
  })

  it('allows long answers', async () => {
    const { environment } = opened()
    const long = 'x'.repeat(90_000)
    const task = doubling({ tests: [{ input: '[1]', output: JSON.stringify(long) }] })
    const results = await run(environment, task, [
      "const f = () => 'x'.repeat(90000)",
      "const f = () => 'x'.repeat(200000)",
    ])
    expect(results.map(({ tests }) => tests![0]!.verdict)).toEqual(['passed', 'output limit'])
  })

  it('ends with its program: a further step is an error, and so is a step without a reset', async () => {
    const { environment } = opened()
    await run(environment, doubling(), ['1'])
    for (const episodeId of ['doubling/0', 'other']) {
      await expect(environment.step([{ episodeId, command: '' }])).rejects.toThrow(UnknownEpisodeError)
    }
    await expect(environment.step([{ episodeId: 'other', command: '' }])).rejects.toThrow(/"other".*Reset it/)
  })

  it('judges a program once per task and call', async () => {
    const { environment, judge } = opened()
    const other = { ...doubling({ tests: [{ input: '[1]', output: '3' }] }), id: 'other' }
    const right = 'const f = (x) => 2 * x'
    const starts = [doubling(), doubling(), other].map((task, i) => ({ episodeId: `${i}`, task, maxSteps: 1 }))
    await environment.reset(starts)
    const results = await environment.step(starts.map(({ episodeId }) => ({ episodeId, command: right })))
    expect(results.map(({ won }) => won)).toEqual([true, true, false])
    expect(judge.calls.map((jobs) => jobs.length)).toEqual([2])
    expect(results[0]!.tests).not.toBe(results[1]!.tests)
  })

  it('has a result for any program', async () => {
    const { environment } = opened()
    const hostile = HOSTILE_PROGRAMS.filter((_, index) => index % 6 === 0).map((program) => program.source)
    const task = doubling({ timeLimitMs: 20, tests: [{ input: '[]', output: '"no such answer"' }] })
    const results = await run(environment, task, [...hostile, 'const f = () => "no such answer"'])
    expect(results.map(({ won }) => won)).toEqual([...hostile.map(() => false), true])
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary' }), async (program) => {
        const [result] = await run(environment, task, [program])
        expect(result).toMatchObject({ won: false, done: true, distance: 1, trueLabel: -1 })
        expect(result!.observation.length).toBeLessThan(160)
      }),
      { numRuns: 50 },
    )
  })

  it('throws errors of the judge itself, and for a problem that cannot be judged', async () => {
    const broken = { judge: () => Promise.reject(new Error('The engine did not load.')) }
    const environment = new CodingEnvironment({ judge: broken, problems: source })
    await expect(run(environment, doubling(), ['1'])).rejects.toThrow('The engine did not load.')
    const unreadable = doubling({ tests: [{ input: '[1]', output: '2' }, { input: 'one', output: '2' }] }) // prettier-ignore
    await expect(run(opened().environment, unreadable, ['1'])).rejects.toThrow(
      'Problem "doubling" cannot be judged: of its test 2, its input is not JSON. Import it anew.',
    )
  })
})

describe('tests that a reward model wrote', () => {
  const job = (fields: Partial<UnitTestJob> = {}): UnitTestJob => ({
    task: doubling(),
    programs: ['const f = (x) => 2 * x', 'const f = (x) => x + 2', ''],
    tests: [
      { input: '[2]', output: '4' },
      { input: '[5]', output: '10' },
      { input: '[5]', output: '7' },
    ],
    ...fields,
  })

  it('run on every program, and the reference solution decides whether they are true', async () => {
    const { environment, judge } = opened()
    const [report] = await environment.runTests([job()])
    const passed = report!.results.map((row) => row.map((result) => result!.passed))
    expect(passed).toEqual([
      [true, true, false],
      [true, false, true],
      [false, false, false],
    ])
    expect(report!.results[1]![1]).toEqual({ passed: false, verdict: 'wrong answer', detail: 'expected 10, got 7' })
    expect(report!.isTrue).toEqual([true, true, false])
    // The reference solution is one of the programs.
    expect(judge.calls.map((jobs) => jobs.length)).toEqual([3])
  })

  it('have a column of nulls if they cannot be read, and are neither true nor false', async () => {
    const { environment } = opened()
    const tests = [null, { input: '[2]', output: '4' }, { input: 'two', output: '4' }, { input: '[2]', output: '' }]
    const [report] = await environment.runTests([job({ tests })])
    expect(report!.isTrue).toEqual([null, true, null, null])
    for (const row of report!.results) expect(row.map((result) => result === null)).toEqual([true, false, true, true])
  })

  it('are neither true nor false without a reference solution', async () => {
    const { environment } = opened()
    const [report] = await environment.runTests([job({ task: doubling({ reference: null }) })])
    expect(report!.isTrue).toEqual([null, null, null])
    expect(report!.results[0]!.map((result) => result!.passed)).toEqual([true, true, false])
  })

  it('need no judge if there is nothing to run', async () => {
    const { environment, judge } = opened()
    const reports = await environment.runTests([job({ tests: [null, null] }), job({ programs: [], tests: [] })])
    expect(reports).toEqual([
      { results: [[null, null], [null, null], [null, null]], isTrue: [null, null] }, // prettier-ignore
      { results: [], isTrue: [] },
    ])
    expect(await environment.runTests([])).toEqual([])
    expect(judge.calls).toEqual([])
  })

  it('run once if they are equal, like programs', async () => {
    const { environment, judge } = opened()
    const test = { input: '[2]', output: '4' }
    const tests = [test, { input: ' [2]', output: '4.0' }, { ...test }, { input: '[3]', output: '6' }]
    const programs = ['const f = (x) => x + 2', 'const f = (x) => x + 2', 'const f = (x) => 2 * x']
    const [report] = await environment.runTests([job({ tests, programs })])
    expect(report!.results.map((row) => row.map((result) => result!.passed))).toEqual([
      [true, true, true, false],
      [true, true, true, false],
      [true, true, true, true],
    ])
    expect(report!.isTrue).toEqual([true, true, true, true])
    expect(judge.calls[0]!.map(({ tests: run }) => run.length)).toEqual([2, 2])
  })

  it('of several tasks go to the judge in one call and return in order', async () => {
    const { environment, judge } = opened()
    const tasks = (await environment.sampleTasks('id', 12, 5)) as CodingTask[]
    const jobs = tasks.map((task) => ({
      task,
      programs: [task.body.reference!, 'const f = () => null'],
      tests: expectingTests(task.body),
    }))
    const reports = await environment.runTests(jobs)
    for (const [index, { body }] of tasks.entries()) {
      expect(reports[index]!.isTrue).toEqual(body.tests.map(() => true))
      expect(reports[index]!.results.map((row) => row.every((result) => result!.passed))).toEqual([true, false])
    }
    expect(judge.calls).toHaveLength(1)
    expect(await environment.runTests([jobs[3]!])).toEqual([reports[3]])
  })
})

const item = numbered(3, { test_input: ['1', '2', '3', '4'], test_output: ['4', '5', '6', '7'] })
const { task } = (await readReleasedFile(JSON.stringify(item))).problems[0]!

describe('rewrites', () => {
  const { environment } = opened()
  const harder = numbered(30, { test_input: ['1', '2', '3', '4'], test_output: ['31', '32', '33', '34'] })
  const rewrite = (text: string) => environment.rewrite(task, text, 'new')

  it('of generated problems go through the spec language', async () => {
    const [generated] = (await environment.sampleTasks('train', 1, 2)) as [CodingTask]
    expect(await environment.describe(generated)).not.toContain('test_input')
    expect(await environment.rewrite(generated, JSON.stringify(harder), 'new')).toMatchObject({ ok: false })
  })

  it('of imported ones are whole problems of the same lineage, accepted without proof', async () => {
    for (const text of [
      JSON.stringify(harder),
      `Harder:\n\`\`\`json\n${JSON.stringify(harder, null, 1)}\n\`\`\`\nSo.`,
    ]) {
      const result = await rewrite(text)
      expect(result.message).toContain('A new problem with 4 tests: "Print x plus 30."')
      expect(result.message).toContain('No reference solution is known')
      expect(result.task).toMatchObject({ id: 'new', rootId: task.id, kind: 'stdio', instruction: 'Print x plus 30.' })
      const programs = ['print(+input() + 30)', 'print(+input() + 3)']
      expect((await run(environment, result.task as CodingTask, programs)).map(({ won }) => won)).toEqual([true, false])
    }
  })

  it('start from the problem in the form that they must have', async () => {
    const described = await environment.describe(task)
    const [json, ...words] = described.split('\n')
    expect(JSON.parse(json!)).toEqual(item)
    expect(words.join('\n')).toContain('at least 4 tests')
    const long = 'x'.repeat(101)
    const body = { ...task.body, tests: [{ input: long, output: '1' }, { input: '1', output: long }, { input: '1', output: '4' }] } // prettier-ignore
    const shown = JSON.parse((await environment.describe({ ...task, body })).split('\n')[0]!) as {
      test_input: string[]
    }
    expect(shown.test_input).toEqual(['1'])
  })

  it.each([
    ['invalid JSON', 'make it harder', 'it is not a problem in JSON'],
    ['truncated text', JSON.stringify(harder).slice(0, -3), 'it is not a problem in JSON'],
    ['another form', { ...harder, test_method: 'function', function_name: 'f', test_input: ['[1]', '[2]', '[3]', '[4]'] }, 'test_method is another one'], // prettier-ignore
    ['too few tests', { ...harder, test_input: ['1', '2', '3'], test_output: ['1', '2', '3'] }, 'the minimum is 4'],
    ['unequal lists', { ...harder, test_output: ['1', '2', '3'] }, 'test_output has 3 entries and test_input 4'],
    ['an empty question', { ...harder, question: ' ' }, 'question is empty'],
    ['unknown fields', { ...harder, hint: 'add' }, 'hint is not a field of a problem'],
    ['contradictory tests', { ...harder, test_input: ['1', '1', '3', '4'] }, 'their outputs differ'],
    ['the same problem', item, 'it changes nothing'],
    ['too much of everything', ' '.repeat(2_000_000), 'it has 2000000 characters'],
  ])('with %s are refused with a reason', async (_, rewritten, reason) => {
    const text = typeof rewritten === 'string' ? rewritten : JSON.stringify(rewritten)
    const result = await rewrite(text)
    expect(result).toEqual({ ok: false, message: expect.stringContaining(reason) as string })
    expect(result.message).toMatch(/^The rewrite is refused: .*\.$/)
  })

  it('are a problem or refused, whatever the text', async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.string({ unit: 'binary' }), fc.json()), async (text) => {
        expect(await rewrite(text)).toMatchObject({ ok: false, message: expect.any(String) as string })
      }),
    )
  })
})

describe('imported problems', () => {
  it('are drawn as tasks that the judge can run', async () => {
    const { problems } = await readReleasedFile(JSON.stringify(Array.from({ length: 30 }, (_, i) => numbered(i))))
    const environment = new CodingEnvironment({ judge: new InThreadJudge(), problems: importedProblems(problems) })
    const tasks = (await environment.sampleTasks('train', 5, 1)) as CodingTask[]
    expect(tasks).toHaveLength(5)
    for (const task of tasks) {
      const added = /plus (\d+)/.exec(task.instruction)![1]!
      const [right, wrong] = await run(environment, task, [`print(${added} + Number(input()))`, 'print(input())'])
      expect([right!.won, wrong!.won]).toEqual([true, added === '0'])
    }
    expect(await environment.sampleTasks('ood', 5, 1)).toEqual([])
  })
})
