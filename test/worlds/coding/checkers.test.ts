/** Problems with many right answers: from their file to the results of programs and written tests. */
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { CodingEnvironment } from '../../../src/worlds/coding/environment.ts'
import type { CodingTask } from '../../../src/worlds/coding/problem.ts'
import { importedProblems } from '../../../src/worlds/coding/problem-source.ts'
import { readReleasedFile } from '../../../src/worlds/coding/released/file.ts'
import { itemOf, readItem } from '../../../src/worlds/coding/released/item.ts'
import { importedCodingFormats } from '../../../src/worlds/coding/roles/plain-roles.ts'
import { InThreadJudge } from './in-thread-judge.ts'
import { releasedItem, type Fields } from './released-items.ts'

const example = readFileSync(new URL('../../../docs/problems-with-checkers.jsonl', import.meta.url), 'utf8')
const { problems } = await readReleasedFile(example)
const [path, words, root] = problems.map(({ task }) => task) as [CodingTask, CodingTask, CodingTask]

const open = () => {
  const judge = new InThreadJudge()
  return { judge, environment: new CodingEnvironment({ judge, problems: importedProblems(problems) }) }
}
const { environment } = open()

async function step(task: CodingTask, command: string) {
  await environment.reset([{ episodeId: 'one', task, maxSteps: 1 }])
  return (await environment.step([{ episodeId: 'one', command }]))[0]!
}

/** Breadth-first search with the links in either order. Both answers are right but different. */
const breadthFirst = (isReversed: boolean) => `
  function path(links, from, to) {
    const all = links.flatMap(([a, b]) => [[a, b], [b, a]])${isReversed ? '.reverse()' : ''}
    const before = new Map([[from, null]])
    for (const node of before.keys())
      for (const [a, b] of all) if (a === node && !before.has(b)) before.set(b, node)
    const way = []
    for (let node = to; node !== null; node = before.get(node)) way.unshift(node)
    return way
  }`
const BISECTION = `
  function root(a, b) {
    let [low, high] = [-1e3, 1e3]
    for (let i = 0; i < 100; i++) { const x = (low + high) / 2; if (x ** 3 + a * x < b) low = x; else high = x }
    return low
  }`
const REPEATED = `
  const count = new Map()
  for (const word of readline().split(' ')) count.set(word, (count.get(word) ?? 0) + 1)
  const all = [...count].filter(([, times]) => times > 1).map(([word]) => word)`

describe('the example file', () => {
  it('has right programs whose answers differ from those of its tests', async () => {
    const answers = await Promise.all(
      [false, true].map(async (isReversed) => (await step({ ...path, body: withoutChecker(path) }, breadthFirst(isReversed))).won), // prettier-ignore
    )
    // Only one of them would equal the expected paths.
    expect(answers).not.toEqual([true, true])
    for (const isReversed of [false, true])
      expect(await step(path, breadthFirst(isReversed))).toMatchObject({ won: true })
    for (const order of ['sort()', 'sort().reverse()'])
      expect(await step(words, `${REPEATED}; print(all.${order}.join('\\n'))`)).toMatchObject({ won: true })
    expect(await step(root, BISECTION)).toMatchObject({ won: true, observation: '5 of 5 tests passed' })
  })

  it('has programs that are wrong', async () => {
    const first = await step(path, 'const path = (links, from, to) => [from, to]')
    expect(first).toMatchObject({
      won: false,
      distance: 3,
      observation: '1 of 4 tests passed; test 1: wrong answer, expected what the checker accepts, got [1,4]',
    })
    expect(await step(words, `${REPEATED}; print(all.slice(1).join('\\n'))`)).toMatchObject({ won: false })
    expect(await step(root, 'const root = (a, b) => Math.cbrt(b)')).toMatchObject({ won: false })
  })

  it('is written and read back unchanged, with its checkers, which no role sees', async () => {
    for (const task of [path, words, root]) {
      const item = JSON.parse(JSON.stringify(itemOf(task.body))) as unknown
      expect(readItem(item, { isStrict: true, leastTests: 1 })).toMatchObject({ problem: task.body })
      const { opening } = (await environment.reset([{ episodeId: 'x', task, maxSteps: 1 }]))[0]!
      const { policy, reward } = importedCodingFormats
      expect(policy.opening(opening)).not.toContain('check')
      if (reward.kind === 'test-writer') expect(reward.prompt(opening)).not.toContain('check')
    }
    expect(itemOf(root.body)['test_output']).toEqual(['1', '2', null, null, '0'])
  })
})

const withoutChecker = ({ body: { checker: _checker, ...body } }: CodingTask) => body as CodingTask['body']

/** f(x) may return any number above x; `check` may be asked to fail. */
const ABOVE: CodingTask = {
  ...path,
  id: 'above',
  body: {
    form: 'call',
    functionName: 'f',
    statement: 'A number above x.',
    tests: ['[1]', '[2]', '[3]', '[4]'].map((input) => ({ input, output: null })),
    timeLimitMs: 50,
    reference: 'const f = (x) => x + 1',
    spec: null,
    checker: `function check([x], output) {
      if (output === 'fail') throw new Error('no idea')
      return typeof output === 'number' && output > x
    }`,
  },
}

describe('a test whose checker fails', () => {
  it('counts neither for nor against the program', async () => {
    const result = await step(ABOVE, "const f = (x) => (x === 2 ? 'fail' : x + 1)")
    expect(result).toMatchObject({ won: true, distance: 0 })
    expect(result.observation).toBe(
      '3 of 3 tests passed, 1 not counted; test 2: checker failed, Error: no idea (line 2)',
    )
    expect(result.tests![1]).toEqual({ passed: false, verdict: 'checker failed', detail: 'Error: no idea (line 2)', isVoid: true }) // prettier-ignore
    const wrong = await step(ABOVE, "const f = (x) => (x === 2 ? 'fail' : x === 3 ? 0 : x + 1)")
    expect(wrong).toMatchObject({ won: false, distance: 1 })
    expect(wrong.observation).toBe('2 of 3 tests passed, 1 not counted; test 3: wrong answer, expected what the checker accepts, got 0') // prettier-ignore
  })

  it('is no way to avoid the tests: a program must pass half of them', async () => {
    expect(await step(ABOVE, "const f = (x) => (x < 3 ? 'fail' : x + 1)")).toMatchObject({ won: true, distance: 0 })
    expect(await step(ABOVE, "const f = (x) => (x < 4 ? 'fail' : x + 1)")).toMatchObject({ won: false, trueLabel: -1 })
    expect(await step(ABOVE, "const f = () => 'fail'")).toMatchObject({ won: false, distance: 0 })
  })
})

describe('written tests of a problem with a checker', () => {
  const programs = ['const f = (x) => x + 1', 'const f = (x) => x * 2', 'const f = () => 5', "const f = () => 'fail'"]
  const tests = [
    { input: '[7]', output: '8' },
    { input: '[7]', output: '5' },
    { input: '[7]', output: '"fail"' },
    { input: '[0]', output: '9' },
    { input: '[1]', output: '' },
  ]

  it('accept what the checker accepts; a false test accepts only its own output', async () => {
    const { environment, judge } = open()
    const [report] = await environment.runTests([{ task: ABOVE, programs, tests }])
    const marks = report!.results.map((row) =>
      row.map((result) => (result === null ? '?' : result.isVoid ? 'o' : result.passed ? '+' : '-')).join(''),
    )
    expect(marks).toEqual(['+-?+?', '+-?-?', '-+?+?', 'o-?o?'])
    expect(report!.isTrue).toEqual([true, false, null, true, null])
    // The tests' own outputs, then the programs: two calls.
    expect(judge.calls).toHaveLength(2)
    const plain = { ...ABOVE, body: withoutChecker(ABOVE) }
    await environment.runTests([{ task: plain, programs, tests: tests.slice(0, 1) }])
    expect(judge.calls).toHaveLength(3)
  })
})

describe('an item with a checker', () => {
  const GOOD = 'const check = (input, output, expected) => output.trim() === expected.trim()'
  const errorOf = async (fields: Fields) => {
    const text = JSON.stringify(releasedItem(fields))
    return readReleasedFile(text).then(
      () => 'none',
      (error: Error) => /^Item 1: (.*)\. Nothing was imported/s.exec(error.message)?.[1] ?? error.message,
    )
  }

  it.each<[string, Fields, string]>([
    ['a number', { checker: 3 }, 'checker must be text, not 3'],
    ['nothing', { checker: ' \n' }, 'checker is empty'],
    ['too much', { checker: `//${'x'.repeat(20_000)}` }, 'checker has 20002 characters; the limit is 20000'],
    ['no program', { checker: 'function check(a) {\n  return a +* 2\n}' }, 'checker cannot be used: SyntaxError: unexpected token in expression: \'*\' (line 2)'], // prettier-ignore
    ['another name', { checker: 'function verify() { return true }' }, 'checker cannot be used: it defines no function check(input, output, expected)'], // prettier-ignore
    [
      'refusal of the expected output',
      { checker: 'const check = (input, output) => output === "2"' },
      'checker does not accept the expected output of test 2',
    ],
    [
      'an answer that is neither',
      { checker: 'const check = (input, output, expected) => output && output === expected' },
      'checker fails for the output "" on test 1: it returned "" and must return true or false; it must return true or false whatever a program answers', // prettier-ignore
    ],
    [
      'no patience with bad outputs',
      { test_method: 'function', function_name: 'f', test_input: ['[1]', '[2]'], test_output: ['[1]', '[2]'], checker: 'const check = ([x], output) => output.includes(x)' }, // prettier-ignore
      "checker fails for the output null on test 1: TypeError: cannot read property 'includes' of null (line 1); it must return true or false whatever a program answers", // prettier-ignore
    ],
    ['an endless loop', { checker: 'const check = () => { for (;;); }' }, 'checker fails for the expected output on test 1: it took more than 1000 ms of executed time; it must return true or false whatever a program answers'], // prettier-ignore
    ['no output, and no checker', { test_output: ['2', null] }, 'entry 2 of test_output is null, which requires a checker'], // prettier-ignore
    ['nothing wrong', { checker: GOOD }, 'none'],
    ['the same input twice', { checker: 'const check = (input, output) => /[24]/.test(output)', test_input: ['1', '1'] }, 'none'], // prettier-ignore
    ['no demands', { checker: 'const check = () => true' }, 'checker accepts every answer to test 1'],
    [
      'no demands on a function',
      { test_method: 'function', function_name: 'f', test_input: ['[1]', '[2]'], test_output: ['2', null], checker: 'const check = () => true' }, // prettier-ignore
      'checker accepts every answer to test 1',
    ],
  ])('is checked for faults when it is read: %s', async (_, fields, fault) => {
    expect(await errorOf(fields)).toBe(fault)
  })

  it('has another id than the problem without it, without asking a judge', async () => {
    const judge = () => Promise.reject(new Error('It was asked.'))
    const idOf = async (fields: Fields) =>
      (await readReleasedFile(JSON.stringify(releasedItem(fields)), 'checker' in fields ? {} : { judge })).problems[0]!
        .task.id
    expect(await idOf({ checker: GOOD })).not.toBe(await idOf({}))
  })

  it('keeps its checker in a rewrite, whatever that says of one, if it accepts the expected outputs', async () => {
    const item: Fields = { ...itemOf(words.body), question: 'Print what stands there twice, in any order.' }
    // JSON has no `undefined`.
    for (const checker of [undefined, null, GOOD]) {
      const kept = await environment.rewrite(words, JSON.stringify({ ...item, checker }), 'new')
      expect(kept).toMatchObject({ ok: true, task: { body: { checker: words.body.checker } } })
    }
    const other: Fields = { ...itemOf(path.body), test_output: ['[1, 4]', '[3, 2]', '[5]', '[1, 3, 5, 6]'] }
    expect(await environment.rewrite(path, JSON.stringify(other), 'new')).toEqual({
      ok: false,
      message: 'The rewrite is refused: checker does not accept the expected output of test 1.',
    })
  })

  it('cannot be the rewrite of a problem without one', async () => {
    const four = { test_input: ['1', '2', '3', '4'], test_output: ['2', '4', '6', '8'] }
    const { problems: plain } = await readReleasedFile(JSON.stringify(releasedItem(four)))
    const rewrite = (fields: Fields) =>
      environment.rewrite(
        plain[0]!.task,
        JSON.stringify(releasedItem({ ...four, question: 'Double x.', ...fields })),
        'new',
      )
    expect(await rewrite({})).toMatchObject({ ok: true })
    expect(await rewrite({ checker: GOOD })).toEqual({
      ok: false,
      message: 'The rewrite is refused: the problem has no checker.',
    })
  })
})
