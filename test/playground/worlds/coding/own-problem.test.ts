import { describe, expect, it } from 'vitest'
import { readReleasedFile } from '../../../../src/worlds/coding/released/file.ts'
import type { HandJudge } from '../../../../src/playground/worlds/coding/hand-program.svelte.ts'
import { OwnProblem } from '../../../../src/playground/worlds/coding/own-problem.svelte.ts'
import {
  EMPTY_DRAFT,
  faultyLine,
  fileOf,
  parseDraft,
  problemOf,
  sentenceOf,
  type OwnDraft,
} from '../../../../src/playground/worlds/coding/own-problem.ts'
import type { Problems } from '../../../../src/playground/worlds/coding/problems.svelte.ts'

const draft: OwnDraft = {
  ...EMPTY_DRAFT,
  statement: 'Any number above x.',
  tests: [
    { input: '[1]', output: '2' },
    { input: '[5]', output: '' },
    { input: '', output: '' },
  ],
  checker: 'const check = ([x], output) => output > x',
}
const faultOf = (fields: Partial<OwnDraft>) => {
  const read = problemOf({ ...draft, ...fields })
  return 'fault' in read ? read.fault : 'none'
}

describe('a problem that you write', () => {
  it('is stored like a problem from a file, and reads back unchanged', async () => {
    const read = problemOf(draft)
    if ('fault' in read) throw new Error(read.fault)
    expect(read.problem.tests).toEqual([
      { input: '[1]', output: '2' },
      { input: '[5]', output: null },
    ])
    const { name, text } = fileOf(read.problem)
    expect(name).toBe('Own: Any number above x.')
    const [kept] = (await readReleasedFile(text)).problems
    expect(kept).toMatchObject({ split: 'train', task: { body: read.problem } })
  })

  it('takes the place of no other one that begins with the same words', () => {
    const nameOf = (statement: string) => {
      const read = problemOf({ ...draft, statement })
      if ('fault' in read) throw new Error(read.fault)
      return fileOf(read.problem).name
    }
    const even = 'Given a list of integers, return the sum of the even ones.'
    expect(nameOf(even)).toBe(nameOf(even))
    expect(nameOf(even)).not.toBe(nameOf(even.replace('even', 'odd')))
    expect(nameOf('Add 1\n2.')).not.toBe(nameOf('Add 1 2.'))
  })

  it.each<[Partial<OwnDraft>, string]>([
    [{}, 'none'],
    [{ statement: ' ' }, 'The statement is empty: say what a program has to do.'],
    [{ tests: [{ input: ' ', output: '' }] }, 'There is no test: write an input and, unless the checker needs none, an output.'], // prettier-ignore
    [{ checker: '' }, 'The output of test 2 is not JSON.'],
    [{ functionName: 'f()' }, 'The name of the function "f()" is not a valid function name.'],
    [{ timeLimit: 'long' }, 'The time limit must be a number of seconds.'],
    [{ timeLimit: '0' }, 'The time limit must be more than 0 seconds.'],
    [{ tests: [{ input: '1', output: '2' }] }, 'The input of test 1 is not a JSON array of arguments.'],
  ])('%j: %s', (fields, fault) => {
    expect(faultOf(fields)).toBe(fault)
  })

  it('can be stored, and ignores other stored data', () => {
    expect(parseDraft(JSON.stringify(draft))).toEqual(draft)
    for (const text of [null, '', '{', '3', '{"statement": 3}', JSON.stringify({ ...draft, tests: [] })])
      expect(parseDraft(text)).toEqual(EMPTY_DRAFT)
  })

  it('shows the line of its checker with the syntax error', () => {
    const fault = sentenceOf('checker cannot be used: SyntaxError: unexpected token (line 2)')
    expect(fault).toBe('The checker cannot be used: SyntaxError: unexpected token (line 2).')
    expect(faultyLine(fault, 'one\ntwo\nthree')).toEqual({ number: 2, text: 'two' })
    expect(faultyLine('The checker does not accept it.', 'one')).toBeNull()
    expect(faultyLine('(line 9)', 'one')).toBeNull()
  })

  it('is not said to be kept if the form was changed meanwhile', async () => {
    let answer: (() => void) | null = null
    const importFiles = () => new Promise((resolve) => (answer = () => resolve([])))
    const judge = { checkerFault: async () => null } as unknown as HandJudge
    const own = new OwnProblem(judge, { importFiles } as unknown as Problems)
    const keptAfter = async (meanwhile: () => void) => {
      own.change(draft)
      answer = null
      const keeping = own.keep()
      await expect.poll(() => answer).not.toBeNull()
      meanwhile()
      answer!()
      await keeping
      return own.kept
    }
    expect(await keptAfter(() => {})).toBe('Own: Any number above x.')
    expect(await keptAfter(() => own.change({ statement: 'Any number below x.' }))).toBeNull()
  })
})
