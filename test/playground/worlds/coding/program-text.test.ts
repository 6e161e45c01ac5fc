import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { programLines } from '../../../../src/playground/worlds/coding/program-text.ts'
import { testsDiff, textDiff, type DiffPart } from '../../../../src/playground/kit/text-diff.ts'

const kindsOf = (program: string) => programLines(program).flat().map(({ kind, text }) => [kind, text]) // prettier-ignore

describe('a coloured program', () => {
  it('is the program, whatever it is', () => {
    const code = fc.array(fc.constantFrom('"', "'", '`', '\\', '\n', '//', '/*', '*/', 'return', ' ', '0x1f', '1.5e-3', 'é', 'a1'))
    fc.assert(
      fc.property(fc.oneof(fc.string(), code.map((parts) => parts.join(''))), (program) => {
        const text = programLines(program).map((line) => line.map((piece) => piece.text).join('')).join('\n')
        expect(text).toBe(program)
      }),
    )
  }) // prettier-ignore

  it('has keywords, numbers, strings and comments', () => {
    expect(kindsOf("return xs[0] + 'if' // for\nvariable1")).toEqual([
      ['keyword', 'return'], ['plain', ' xs['], ['number', '0'], ['plain', '] + '], ['string', "'if'"], ['plain', ' '],
      ['comment', '// for'], ['plain', 'variable1'],
    ]) // prettier-ignore
  })

  it('goes on in the next line with a comment or a template that does', () => {
    expect(programLines('/* a\nb */ 1').map((line) => line[0]!.kind)).toEqual(['comment', 'comment'])
    expect(programLines('`a\n${b}`').map((line) => line[0]!.kind)).toEqual(['string', 'string'])
    expect(programLines('"open\nlet').map((line) => line[0]!.kind)).toEqual(['string', 'keyword'])
  })
})

/** Length of a longest common subsequence, by recursion. */
function commonLength(a: readonly string[], b: readonly string[]): number {
  if (a.length === 0 || b.length === 0) return 0
  if (a[0] === b[0]) return 1 + commonLength(a.slice(1), b.slice(1))
  return Math.max(commonLength(a.slice(1), b), commonLength(a, b.slice(1)))
}

const side = (parts: readonly DiffPart[], other: 'added' | 'removed') =>
  parts.filter(({ kind }) => kind !== other).map(({ text }) => text).join('') // prettier-ignore

describe('what has changed in a text', () => {
  it('gives both texts back', () => {
    const text = fc.array(fc.constantFrom('a', 'b', 'c', ' ', '\n', '.', '12')).map((parts) => parts.join(''))
    fc.assert(
      fc.property(text, text, (before, after) => {
        const parts = textDiff(before, after)
        expect(side(parts, 'added')).toBe(before)
        expect(side(parts, 'removed')).toBe(after)
        for (const [i, part] of parts.entries()) expect(part.kind).not.toBe(parts[i + 1]?.kind)
      }),
    )
  })

  it('keeps as much as can be kept', () => {
    const letters = fc.array(fc.constantFrom('+', '-', '*'), { maxLength: 7 })
    fc.assert(
      fc.property(letters, letters, (before, after) => {
        const kept = textDiff(before.join(''), after.join('')).filter(({ kind }) => kind === 'same').map(({ text }) => text).join('')
        expect(kept).toHaveLength(commonLength(before, after))
      }),
    )
  }) // prettier-ignore

  it('is told in phrases, not word by word in turn', () => {
    expect(textDiff('the sum above 2.', 'the largest below 9.')).toEqual([
      { kind: 'same', text: 'the ' },
      { kind: 'removed', text: 'sum above 2' },
      { kind: 'added', text: 'largest below 9' },
      { kind: 'same', text: '.' },
    ])
  })

  it('is found at once in texts of any size', () => {
    const before = Array.from({ length: 6000 }, (_, i) => `line ${i}`).join('\n')
    const after = before.replace('line 0\n', 'first\n').replace('line 5999', 'last')
    const startedAt = performance.now()
    const parts = textDiff(before, after)
    expect(side(parts, 'added')).toBe(before)
    expect(side(parts, 'removed')).toBe(after)
    expect(performance.now() - startedAt).toBeLessThan(2000)
  })
})

describe('what has changed in tests', () => {
  const test = (input: string, output: string) => ({ input, output })

  it('is told by their inputs', () => {
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

  it('accounts for every test, equal ones each', () => {
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
