import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { itemOf, ITEM_LIMITS, readItem } from '../../../../src/worlds/coding/released/item.ts'
import {
  readReleasedFile,
  ReleasedFormatError,
  type ReadingFileOptions,
} from '../../../../src/worlds/coding/released/file.ts'
import { numbered, releasedItem, type Fields } from '../released-items.ts'

const lines = (items: readonly unknown[]) => items.map((item) => JSON.stringify(item)).join('\n')
const errorOf = async (text: string, options?: ReadingFileOptions): Promise<string> => {
  try {
    await readReleasedFile(text, options)
  } catch (error) {
    expect(error).toBeInstanceOf(ReleasedFormatError)
    return (error as Error).message
  }
  throw new Error('It was read.')
}
const faultOf = (fields: Fields): string => {
  const read = readItem(releasedItem(fields), { isStrict: false, leastTests: 1 })
  return 'fault' in read ? read.fault : 'none'
}

describe('a released problem', () => {
  it('of standard input becomes a task', async () => {
    const item = releasedItem({ question: ' Print twice x.\n', test_input: ['1\n', '2'], test_output: ['2', '4\n'] })
    const [problem] = (await readReleasedFile(JSON.stringify(item))).problems
    expect(problem!.task).toEqual({
      id: expect.stringMatching(/^problem-[0-9a-f]{16}$/) as string,
      rootId: problem!.task.id,
      instruction: 'Print twice x.',
      kind: 'stdio',
      body: {
        form: 'stdio',
        statement: 'Print twice x.',
        tests: [
          { input: '1\n', output: '2' },
          { input: '2', output: '4\n' },
        ],
        timeLimitMs: 2000,
        reference: null,
        spec: null,
      },
    })
  })

  it('of a function becomes a task that calls it', async () => {
    const item = releasedItem({
      test_method: 'function',
      function_name: 'f',
      test_input: ['[1]', '[[1]]'],
      test_output: ['2', 'null'],
    })
    const [problem] = (await readReleasedFile(JSON.stringify(item))).problems
    expect(problem!.task).toMatchObject({ kind: 'function', body: { form: 'call', functionName: 'f' } })
  })

  it('converts its seconds to executed milliseconds, up to the maximum of the judge', async () => {
    const limits = [0.25, 2, 8, 9, 1e9].map((test_time_limit, i) => numbered(i, { test_time_limit }))
    const { problems, cutTimeLimits } = await readReleasedFile(lines(limits))
    expect(problems.map(({ task }) => task.body.timeLimitMs)).toEqual([250, 2000, 8000, 8000, 8000])
    expect(cutTimeLimits).toBe(2)
  })

  it('reads back as it was written', () => {
    const texts = fc.array(fc.string({ unit: 'binary', minLength: 1 }), { minLength: 1, maxLength: 5 })
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), texts, fc.integer({ min: 1, max: 8000 }), (question, inputs, ms) => {
        fc.pre(question.trim() !== '')
        const test_input = [...new Set(inputs)]
        const item = { ...releasedItem({ test_input, test_output: test_input }), question, test_time_limit: ms / 1000 }
        const read = readItem(JSON.parse(JSON.stringify(item)), { isStrict: true, leastTests: 1 })
        if ('fault' in read) throw new Error(read.fault)
        const again = readItem(itemOf(read.problem), { isStrict: true, leastTests: 1 })
        expect(again).toEqual(read)
        expect(itemOf(read.problem)).toEqual({ ...item, question: question.trim() })
      }),
    )
    const item = releasedItem({ test_method: 'function', function_name: 'f', test_input: ['[1]'], test_output: ['2'] })
    const read = readItem(item, { isStrict: true, leastTests: 1 })
    expect('problem' in read && itemOf(read.problem)).toEqual(item)
  })
})

describe('an item with a fault', () => {
  it.each<[Fields, string]>([
    [{ question: undefined }, 'question is missing'],
    [{ question: 3 }, 'question must be text, not 3'],
    [{ question: ' \n' }, 'question is empty'],
    [{ question: 'x'.repeat(20_001) }, 'question has 20001 characters; the limit is 20000'],
    [{ test_method: undefined }, 'test_method is missing'],
    [{ test_method: 'pytest' }, 'test_method must be "stdio" or "function", not "pytest"'],
    [{ test_time_limit: '2' }, 'test_time_limit must be a number of seconds, not "2"'],
    [{ test_time_limit: 0 }, 'test_time_limit must be more than 0 seconds'],
    [{ test_time_limit: null }, 'test_time_limit must be a number of seconds, not null'],
    [{ test_input: '1' }, 'test_input must be a list of texts, not "1"'],
    [{ test_input: ['1', 2] }, 'entry 2 of test_input must be text, not 2'],
    [{ test_output: ['1', ['2']] }, 'entry 2 of test_output must be text, not a list'],
    [{ test_output: ['1', '2', '3'] }, 'test_output has 3 entries and test_input 2; each input requires one output'],
    [{ test_input: [], test_output: [] }, 'test_input has 0 entries; the minimum is 1'],
    [{ test_input: ['1', ''] }, 'entry 2 of test_input is empty'],
    [{ test_output: ['', '1'] }, 'entry 1 of test_output is empty'],
    [{ test_input: ['1', '1'] }, 'entries 1 and 2 of test_input are the same, but their outputs differ'],
    [{ test_method: 'function' }, 'function_name is missing: test_method "function" requires it'],
    [{ test_method: 'function', function_name: 'f(1)' }, 'function_name "f(1)" is not a valid function name'],
    [{ test_method: 'function', function_name: 'f' }, 'entry 1 of test_input is not a JSON array of arguments'],
    [{ test_method: 'function', function_name: 'f', test_input: ['[1', '[2]'] }, 'entry 1 of test_input is not JSON'],
    [
      { test_method: 'function', function_name: 'f', test_input: ['[1]', '[2]'], test_output: ['1', 'two'] },
      'entry 2 of test_output is not JSON',
    ],
    [
      { test_method: 'function', function_name: 'f', test_input: ['[1]', '[ 1 ]'], test_output: ['1', '2'] },
      'entries 1 and 2 of test_input are the same, but their outputs differ',
    ],
    [{ split: 'test' }, 'split must be "train", "id" or "ood", not "test"'],
  ])('%j', (fields, fault) => {
    expect(faultOf(fields)).toBe(fault)
  })

  it('may be too large', () => {
    const { tests, textCharacters } = ITEM_LIMITS
    const many = Array.from({ length: tests + 1 }, (_, i) => `${i}`)
    expect(faultOf({ test_input: many, test_output: many })).toBe(`test_input has 101 entries; the limit is 100`)
    const long = ['x'.repeat(textCharacters + 1), '2']
    expect(faultOf({ test_output: long })).toBe('entry 1 of test_output has 100001 characters; the limit is 100000') // prettier-ignore
    const all = Array.from({ length: 6 }, (_, i) => `${i}`.repeat(90_000))
    expect(faultOf({ test_input: all, test_output: all.map(() => '1') })).toContain('have 540006 characters')
  })

  it('may have any other type', () => {
    for (const item of [null, 3, 'x', [], undefined]) {
      expect(readItem(item, { isStrict: false, leastTests: 1 })).toMatchObject({ fault: expect.any(String) as string })
    }
    expect(readItem([], { isStrict: false, leastTests: 1 })).toEqual({ fault: 'it must be an object, not a list' })
  })

  it('always has a reason, whatever it is', () => {
    const value = fc.oneof(fc.jsonValue(), fc.array(fc.string()), fc.anything())
    const item = fc.record(
      {
        question: fc.oneof(fc.string(), value),
        test_method: fc.constantFrom('stdio', 'function', 'x'),
        function_name: fc.oneof(fc.string(), value),
        test_time_limit: fc.oneof(fc.double(), value),
        test_input: value,
        test_output: value,
        split: value,
      },
      { requiredKeys: [] },
    )
    fc.assert(
      fc.property(fc.oneof(item, value), fc.boolean(), (each, isStrict) => {
        const read = readItem(each, { isStrict, leastTests: 1 })
        if ('fault' in read) expect(read.fault).toMatch(/^[^]{5,}[^.]$/)
        else expect(read.problem.tests.length).toBeGreaterThan(0)
      }),
      { numRuns: 500 },
    )
  })
})

describe('a file of problems', () => {
  const items = Array.from({ length: 40 }, (_, i) => numbered(i))

  it('reads the same as a list, as lines, and with traces of editors', async () => {
    const list = await readReleasedFile(JSON.stringify(items))
    expect(list.problems).toHaveLength(40)
    expect(list).toMatchObject({ faults: [], duplicates: [], cutTimeLimits: 0 })
    expect(await readReleasedFile(lines(items))).toEqual(list)
    expect(await readReleasedFile(`\uFEFF\r\n${lines(items).replaceAll('\n', '\r\n\r\n')}\r\n`)).toEqual(list)
    expect(await readReleasedFile(`\uFEFF${JSON.stringify(items, null, 2)}\n`)).toEqual(list)
    expect((await readReleasedFile(JSON.stringify(items[0], null, 2))).problems).toEqual(list.problems.slice(0, 1))
  })

  it('is refused with the field and line of its first faulty item', async () => {
    const bad = [...items.slice(0, 2), { ...items[2], test_output: ['1'] }, { ...items[3], question: '' }, items[4]]
    expect(await errorOf(lines(bad))).toBe(
      'Item 3 (line 3): test_output has 1 entries and test_input 2; each input requires one output. 1 more item has a fault. ' +
        'Nothing was imported. Correct the file, or import the other 3 without it.',
    )
    expect(await errorOf(JSON.stringify(bad))).toMatch(/^Item 3: test_output has 1 entries/)
    expect(await errorOf(`\n${lines(items.slice(0, 2))}\n\n{"question": \n`)).toMatch(
      /^Item 3 \(line 5\): it is not JSON: /,
    )
  })

  it('can be imported without its faulty items, each with its reason', async () => {
    const bad = [items[0], { ...items[1], test_method: 'x' }, 7, items[2]]
    const { problems, faults } = await readReleasedFile(lines(bad), { leaveOutFaulty: true })
    expect(problems).toEqual((await readReleasedFile(lines([items[0], items[2]]))).problems)
    expect(faults).toEqual([
      'Item 2 (line 2): test_method must be "stdio" or "function", not "x".',
      'Item 3 (line 3): it must be an object, not 7.',
    ])
    expect(await errorOf(lines([7, 8]), { leaveOutFaulty: true })).toBe(
      'Item 1 (line 1): it must be an object, not 7. 1 more item has a fault. Nothing was imported. Correct the file.',
    )
  })

  it('gives a repeated problem once, and says so', async () => {
    const twice = [items[0], items[1], { ...items[0], test_time_limit: 4, extra: true }]
    const { problems, duplicates } = await readReleasedFile(lines(twice))
    expect(problems).toHaveLength(2)
    expect(duplicates).toEqual(['Item 3 (line 3) is the same problem as item 1 (line 1).'])
    const other = { ...items[0], test_output: ['5', '6'] }
    expect((await readReleasedFile(lines([items[0], other]))).problems).toHaveLength(2)
  })

  it.each([
    ['nothing', '', 'The file is empty.'],
    ['blank lines', ' \n\n', 'The file is empty.'],
    ['an empty list', '[]', 'The file is empty.'],
    ['a truncated list', '[{"question": "a"', 'The file is not JSON: '],
    ['words', 'question: a', 'Item 1 (line 1): it is not JSON: '],
    ['a table', 'question,test_method\na,stdio', 'Item 1 (line 1): it is not JSON: '],
  ])('is refused in plain words with %s', async (_, text, message) => {
    expect(await errorOf(text)).toContain(message)
  })

  it('gives problems or a ReleasedFormatError, whatever its text', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(fc.string({ unit: 'binary' }), fc.json()),
        fc.boolean(),
        async (text, leaveOutFaulty) => {
          expect(await errorOf(text, { leaveOutFaulty })).not.toBe('')
        },
      ),
    )
  })
})

describe('splits of imported problems', () => {
  const items = Array.from({ length: 400 }, (_, i) => numbered(i))
  const splits = async (of: readonly unknown[]) => (await readReleasedFile(lines(of))).problems.map(({ split, task }) => ({ split, id: task.id })) // prettier-ignore

  it('depend only on the problem: one in eight for evaluation, none out of distribution', async () => {
    const all = await splits(items)
    const held = all.filter(({ split }) => split === 'id').length
    // Binomial: 50 expected, standard deviation 6.6.
    expect(held).toBeGreaterThan(25)
    expect(held).toBeLessThan(75)
    expect(all.some(({ split }) => split === 'ood')).toBe(false)
    const byId = new Map(all.map(({ id, split }) => [id, split]))
    for (const { id, split } of await splits([...items].reverse().slice(0, 100))) expect(split).toBe(byId.get(id))
  })

  it('are those that the file names', async () => {
    const named = (['train', 'id', 'ood', null] as const).map((split, i) => ({ ...numbered(i), split }))
    expect((await splits(named)).slice(0, 3).map(({ split }) => split)).toEqual(['train', 'id', 'ood']) // prettier-ignore
  })
})
