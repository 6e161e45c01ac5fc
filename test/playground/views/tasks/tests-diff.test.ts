import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { testsDiff } from '../../../../src/playground/views/tasks/tests-diff.ts'

describe('the difference of hidden tests', () => {
  const test = (input: string, output: string) => ({ input, output })

  it('compares them by their inputs', () => {
    const before = [test('1', 'a'), test('2', 'b'), test('3', 'c')]
    const after = [test('3', 'c'), test('1', 'z'), test('4', 'd')]
    expect(testsDiff(before, after)).toEqual({
      kept: 1,
      changes: [
        { kind: 'changed', input: '1', before: 'a', after: 'z' },
        { kind: 'removed', input: '2', before: 'b', after: null },
        { kind: 'added', input: '4', before: null, after: 'd' },
      ],
    })
  })

  it('accounts for every test, also for duplicates', () => {
    const tests = fc.array(fc.record({ input: fc.constantFrom('1', '2'), output: fc.constantFrom('a', 'b') }), { maxLength: 6 })
    fc.assert(
      fc.property(tests, tests, (before, after) => {
        const { kept, changes } = testsDiff(before, after)
        const count = (...kinds: string[]) => changes.filter(({ kind }) => kinds.includes(kind)).length
        expect(kept + count('removed', 'changed')).toBe(before.length)
        expect(kept + count('added', 'changed')).toBe(after.length)
      }),
    )
  }) // prettier-ignore
})
