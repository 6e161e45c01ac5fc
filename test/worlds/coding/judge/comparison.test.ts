import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isSameJson, isSameText } from '../../../../src/worlds/coding/judge/comparison.ts'
import type { Json } from '../../../../src/worlds/coding/judge/verdict.ts'

const json = fc.jsonValue() as fc.Arbitrary<Json>

/** The same value with the keys of its objects in another order. */
function shuffled(value: Json): Json {
  if (Array.isArray(value)) return (value as Json[]).map(shuffled)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, inner]) => [key, shuffled(inner)]),
  )
}

/** A canonical text of a value, independent of the comparison. */
function canonical(value: Json): string {
  if (Array.isArray(value)) return `[${(value as Json[]).map(canonical).join()}]`
  if (typeof value !== 'object' || value === null) return value === 0 ? '0' : JSON.stringify(value)
  const keys = Object.keys(value).sort()
  return `{${keys.map((key) => `${JSON.stringify(key)}:${canonical((value as Record<string, Json>)[key]!)}`).join()}}`
}

describe('two JSON values are the same', () => {
  it('if one is a copy through text, with its keys in any order', () => {
    fc.assert(
      fc.property(json, (value) => {
        expect(isSameJson(value, JSON.parse(JSON.stringify(value)) as Json)).toBe(true)
        expect(isSameJson(value, shuffled(value))).toBe(true)
      }),
    )
  })

  it('exactly if their canonical texts are, in either order', () => {
    const close = fc.tuple(json, json).chain(([a, b]) => fc.constantFrom<[Json, Json]>([a, b], [a, a], [[a], [b]]))
    fc.assert(
      fc.property(close, ([a, b]) => {
        expect(isSameJson(a, b)).toBe(canonical(a) === canonical(b))
        expect(isSameJson(b, a)).toBe(isSameJson(a, b))
      }),
      { numRuns: 1000 },
    )
  })

  it('not if any leaf differs', () => {
    const changed = (value: Json, pick: number): Json => {
      if (Array.isArray(value) && value.length > 0) {
        const at = pick % value.length
        return (value as Json[]).map((inner, i) => (i === at ? changed(inner, pick) : inner))
      }
      if (typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length > 0) {
        const keys = Object.keys(value)
        const key = keys[pick % keys.length]!
        const entries = Object.entries(value as Record<string, Json>)
        return Object.fromEntries(entries.map(([name, inner]) => [name, name === key ? changed(inner, pick) : inner]))
      }
      return typeof value === 'number' ? value + 1 : 'something else'
    }
    fc.assert(
      fc.property(json, fc.nat(1000), (value, pick) => {
        const other = changed(value, pick)
        fc.pre(canonical(value) !== canonical(other))
        expect(isSameJson(value, other)).toBe(false)
      }),
    )
  })

  it.each<[string, Json, Json, boolean]>([
    ['numbers exactly', 0.1 + 0.2, 0.3, false],
    ['integers however they are written', 1, 1.0, true],
    ['0 and -0', 0, -0, true],
    ['numbers and their texts', 1, '1', false],
    ['false and 0', false, 0, false],
    ['null and an empty object', null, {}, false],
    ['an array and an object with its indices', ['a'], { 0: 'a' }, false],
    ['an array and a longer one', [1], [1, 1], false],
    ['arrays in another order', [1, 2], [2, 1], false],
    ['an own property and an inherited one', { toString: null }, { valueOf: null }, false],
    ['a property named __proto__', JSON.parse('{"__proto__":1}') as Json, {}, false],
    ['letters that look alike', 'é', 'e\u0301', false],
  ])('%s', (_, a, b, isSame) => {
    expect(isSameJson(a, b)).toBe(isSame)
    expect(isSameJson(b, a)).toBe(isSame)
  })
})

describe('two texts are the same', () => {
  const space = fc.stringMatching(/^[ \t\r\n]{1,4}$/)
  const word = fc.stringMatching(/^[a-z0-9-]{1,6}$/)

  it('if they have the same words, with any whitespace around them', () => {
    const spaced = (words: string[], spaces: string[]) => words.map((text, i) => `${text}${spaces[i] ?? ' '}`).join('')
    fc.assert(
      fc.property(
        fc.array(word),
        fc.array(space),
        fc.array(space),
        fc.array(word),
        (words, some, others, different) => {
          expect(isSameText(spaced(words, some), `\n ${spaced(words, others)}`)).toBe(true)
          fc.pre(words.join(' ') !== different.join(' '))
          expect(isSameText(spaced(words, some), spaced(different, some))).toBe(false)
        },
      ),
    )
  })

  it('but not if a word is split in two', () => {
    expect(isSameText('12', '1 2')).toBe(false)
    expect(isSameText('1.0', '1')).toBe(false)
    expect(isSameText('Yes', 'yes')).toBe(false)
  })
})
