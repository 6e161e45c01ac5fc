import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Judge } from '../../../../src/worlds/coding/judge/judge.ts'
import { DEFAULT_LIMITS, type Json, type JudgeJob, type Test } from '../../../../src/worlds/coding/judge/verdict.ts'

const judge = new Judge()
const limits = { ...DEFAULT_LIMITS, executedMs: 200 }

const verdicts = (source: string, tests: readonly Test[], own: Partial<JudgeJob['limits']> = {}) =>
  judge.judge({ source, tests, limits: { ...limits, ...own } })

async function call(source: string, functionName: string, args: readonly Json[], expected: Json) {
  const [verdict] = await verdicts(source, [{ kind: 'call', functionName, arguments: args, expected }])
  return verdict!
}

async function stdio(source: string, input: string, expected: string) {
  const [verdict] = await verdicts(source, [{ kind: 'stdio', input, expected }])
  return verdict!
}

describe('calling a function', () => {
  it.each([
    ['a function', 'function add(a, b) { return a + b }'],
    ['an arrow', 'const add = (a, b) => a + b'],
    ['a variable', 'var add = function (a, b) { return a + b }'],
    ['an async function', 'async function add(a, b) { await null; return a + b }'],
    ['a function that another one makes', 'const add = ((zero) => (a, b) => zero + a + b)(0)'],
  ])('finds %s', async (_, source) => {
    expect(await call(source, 'add', [40, 2], 42)).toMatchObject({ kind: 'passed' })
    expect(await call(source, 'add', [40, 3], 42)).toMatchObject({ kind: 'wrong answer', expected: '42', got: '43' })
  })

  it('passes any JSON in and out', async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue({ maxDepth: 6 }), async (value) => {
        const verdict = await call('const same = (x) => x', 'same', [value as Json], value as Json)
        expect(verdict).toMatchObject({ kind: 'passed' })
      }),
    )
  })

  it('reads a result as JavaScript itself writes it', async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue({ maxDepth: 4 }), async (value) => {
        const verdict = await call('const same = (x) => x', 'same', [value as Json], 'no such answer')
        const text = JSON.stringify(value)
        fc.pre(text.length < 500 && value !== 'no such answer')
        expect(verdict).toMatchObject({ kind: 'wrong answer', got: text })
      }),
    )
  })

  it('compares numbers exactly, and takes 0 for -0', async () => {
    expect(await call('const f = () => 0.1 + 0.2', 'f', [], 0.3)).toMatchObject({ kind: 'wrong answer' })
    expect(await call('const f = () => 0.1 + 0.2', 'f', [], 0.30000000000000004)).toMatchObject({ kind: 'passed' })
    expect(await call('const f = () => -0', 'f', [], 0)).toMatchObject({ kind: 'passed' })
    expect(await call('const f = () => 1e21 + 1', 'f', [], 1e21)).toMatchObject({ kind: 'passed' })
  })

  it('shortens long answers for display', async () => {
    const verdict = await call("const f = () => 'x'.repeat(1000)", 'f', [], 'y')
    expect(verdict).toMatchObject({ kind: 'wrong answer', expected: '"y"' })
    expect((verdict as { got: string }).got).toMatch(/^"x{499} … \(1002 characters\)$/)
  })

  it('says where an error is', async () => {
    const verdict = await call('\n\nfunction f(x) {\n  return x.y.z\n}', 'f', [{}], 1)
    expect(verdict).toMatchObject({
      kind: 'runtime error',
      message: "TypeError: cannot read property 'z' of undefined (line 4)",
    })
  })

  it('refuses an invalid name', async () => {
    await expect(call('', 'f(); g', [], 1)).rejects.toThrow('"f(); g"')
  })
})

describe('standard input and output', () => {
  it('reads lines until none are left, and compares words', async () => {
    const source = 'let line; const all = []; while ((line = readline()) !== null) all.push(line); print(all.join("|"))'
    expect(await stdio(source, 'a\r\nb\n\nc', 'a|b||c')).toMatchObject({ kind: 'passed' })
    expect(await stdio(source, 'a\nb\n', ' a|b\n\n')).toMatchObject({ kind: 'passed' })
    expect(await stdio(source, '', '')).toMatchObject({ kind: 'passed' })
    expect(await stdio(source, 'a b', 'ab')).toMatchObject({ kind: 'wrong answer', expected: 'ab', got: 'a b' })
  })

  it('has an input() that throws at the end', async () => {
    expect(await stdio('print(input(), input())', '1\n2', '1 2')).toMatchObject({ kind: 'passed' })
    expect(await stdio('input(); input()', '1', '')).toMatchObject({
      kind: 'runtime error',
      message: expect.stringContaining('no more lines') as string,
    })
  })

  it('prints values with spaces between them, objects as JSON, and nothing for console.error', async () => {
    const source =
      "console.log(1, 'two', [3, { four: 5n.toString() }], null, undefined, 6n, true); console.error('no'); print()"
    expect(await stdio(source, '', '1 two [3,{"four":"5"}] null undefined 6 true')).toMatchObject({ kind: 'passed' })
  })

  it('waits for asynchronous code', async () => {
    expect(await stdio('(async () => { await null; await null; print(42) })()', '', '42')).toMatchObject({
      kind: 'passed',
    })
  })

  it('prints lines in linear time', async () => {
    const source = (lines: number) => `for (let i = 0; i < ${lines}; i++) print(i)`
    const timeOf = async (lines: number) =>
      (await verdicts(source(lines), [{ kind: 'stdio', input: '', expected: '' }], { outputCharacters: 1e7 }))[0]!
        .executedMs
    expect(await timeOf(20_000)).toBeLessThan(2.5 * (await timeOf(10_000)))
  })

  it('keeps any text unchanged on the way in and out', async () => {
    const texts = fc.string({ unit: 'binary' }).filter((text) => !/[\r\n]/.test(text))
    await fc.assert(
      fc.asyncProperty(texts, async (text) => {
        const verdict = await stdio('print(readline() ?? "")', text, 'no such answer')
        expect(verdict).toMatchObject({ kind: 'wrong answer', got: text })
      }),
    )
  })
})

describe('a program', () => {
  const twice: Test = { kind: 'call', functionName: 'next', arguments: [], expected: 1 }

  it('starts afresh for every test, so no test sees what another left behind', async () => {
    const source = 'let count = 0; globalThis.all ??= 0; function next() { return ++count + all++ }'
    expect(await verdicts(source, [twice, twice, twice])).toMatchObject([
      { kind: 'passed' },
      { kind: 'passed' },
      { kind: 'passed' },
    ])
  })

  it('gets a verdict for every test, in order', async () => {
    const source = "function f(x) { if (x === 1) for (;;); if (x === 2) throw new Error('two'); return x }"
    const tests = [0, 1, 2, 3, 4].map((x): Test => ({
      kind: 'call',
      functionName: 'f',
      arguments: [x],
      expected: x === 3 ? 0 : x,
    }))
    const kinds = (await verdicts(source, tests, { executedMs: 5 })).map(({ kind }) => kind)
    expect(kinds).toEqual(['passed', 'time limit', 'runtime error', 'wrong answer', 'passed'])
  })

  it('gets the same verdict and the same executed time every time, on any machine', async () => {
    const source = `
      const shuffled = Array.from({ length: 500 }, (_, i) => i).sort(() => Math.random() - 0.5)
      const f = () => [...new Map(shuffled.map((x) => ['k' + x, x * Math.random()])).values()].reduce((a, b) => a + b)
    `
    const first = await call(source, 'f', [], 0)
    for (let i = 0; i < 3; i++) {
      await call('const f = () => new Uint8Array(15e6).fill(1).length', 'f', [], 15e6)
      expect(await call(source, 'f', [], 0)).toEqual(first)
      expect((await new Judge().judge({ source, tests: [{ ...twice, functionName: 'f' }], limits }))[0]).toMatchObject({
        executedMs: first.executedMs,
      })
    }
  })

  it('fails its remaining tests once the clock runs out', async () => {
    const endless: Test[] = Array.from({ length: 50 }, () => ({ kind: 'stdio', input: '', expected: '' }))
    const all = await verdicts('for (;;);', endless, { executedMs: 100, wallMs: 150 })
    expect(all[0]).toEqual({ kind: 'time limit', by: 'executed time', executedMs: 100 })
    expect(all.at(-1)).toEqual({ kind: 'time limit', by: 'clock', executedMs: 0 })
  })

  it('may use 64 MB if the limit allows it', async () => {
    const source = 'const f = () => Array.from({ length: 50 }, () => new Uint8Array(1e6).fill(1)).length'
    expect(await call(source, 'f', [], 50)).toMatchObject({ kind: 'passed' })
    const test: Test = { kind: 'call', functionName: 'f', arguments: [], expected: 50 }
    expect(await verdicts(source, [test], { memoryBytes: 32 * 2 ** 20 })).toMatchObject([{ kind: 'memory limit' }])
  })

  it.each([
    ['no time', { executedMs: 0 }, 'executed time of 0 ms'],
    ['endless time', { executedMs: Infinity }, 'executed time of Infinity ms'],
    ['hardly any memory', { memoryBytes: 1000 }, 'memory limit of 1000 bytes'],
  ])('is refused with a limit of %s', async (_, own, message) => {
    await expect(verdicts('', [], own)).rejects.toThrow(message)
  })
})
