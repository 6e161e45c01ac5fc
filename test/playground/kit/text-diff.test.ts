import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { textDiff, type DiffPart } from '../../../src/playground/kit/text-diff.ts'

/** Length of a longest common subsequence, by recursion. */
function commonLength(a: readonly string[], b: readonly string[]): number {
  if (a.length === 0 || b.length === 0) return 0
  if (a[0] === b[0]) return 1 + commonLength(a.slice(1), b.slice(1))
  return Math.max(commonLength(a.slice(1), b), commonLength(a, b.slice(1)))
}

const side = (parts: readonly DiffPart[], other: 'added' | 'removed') =>
  parts.filter(({ kind }) => kind !== other).map(({ text }) => text).join('') // prettier-ignore

describe('the difference of two texts', () => {
  it('contains both texts', () => {
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

  it('keeps as much as possible', () => {
    const letters = fc.array(fc.constantFrom('+', '-', '*'), { maxLength: 7 })
    fc.assert(
      fc.property(letters, letters, (before, after) => {
        const kept = textDiff(before.join(''), after.join('')).filter(({ kind }) => kind === 'same').map(({ text }) => text).join('')
        expect(kept).toHaveLength(commonLength(before, after))
      }),
    )
  }) // prettier-ignore

  it('consists of phrases, not of alternating words', () => {
    expect(textDiff('the sum above 2.', 'the largest below 9.')).toEqual([
      { kind: 'same', text: 'the ' },
      { kind: 'removed', text: 'sum above 2' },
      { kind: 'added', text: 'largest below 9' },
      { kind: 'same', text: '.' },
    ])
  })

  it('is fast for texts of any size', () => {
    const before = Array.from({ length: 6000 }, (_, i) => `line ${i}`).join('\n')
    const after = before.replace('line 0\n', 'first\n').replace('line 5999', 'last')
    const startedAt = performance.now()
    const parts = textDiff(before, after)
    expect(side(parts, 'added')).toBe(before)
    expect(side(parts, 'removed')).toBe(after)
    expect(performance.now() - startedAt).toBeLessThan(2000)
  })
})
