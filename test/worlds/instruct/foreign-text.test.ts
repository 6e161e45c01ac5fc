import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { foreignTextFor, quoted, withoutMiddle } from '../../../src/worlds/instruct/foreign-text.ts'
import { chatModels, hostileText } from './chat-models.ts'

const withoutBlanks = (text: string) => text.replace(/\s/gu, '')

describe.each(chatModels)('untrusted text in a prompt to a model like $name', ({ pieces, controlTokens }) => {
  const foreign = foreignTextFor(pieces.reserved)

  it('contains none of its special tokens, whatever it spells', () => {
    for (const spelling of pieces.reserved) {
      expect(controlTokens(`a${spelling}b`)).toHaveLength(1)
      expect(controlTokens(foreign(`a${spelling}b`))).toHaveLength(0)
    }
    fc.assert(
      fc.property(hostileText, (text) => {
        expect(controlTokens(foreign(text))).toEqual([])
      }),
      { numRuns: 500 },
    )
  })

  it('changes only by blanks, and not at all if it spells no special token', () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        const safe = foreign(text)
        expect(withoutBlanks(safe)).toBe(withoutBlanks(text))
        if (!pieces.reserved.some((spelling) => text.includes(spelling))) expect(safe).toBe(text)
      }),
      { numRuns: 500 },
    )
  })
})

describe('any spellings', () => {
  // Few letters, so that spellings overlap, begin alike and contain each other.
  const word = fc.string({ unit: fc.constantFrom('a', 'b', '<', '|', ' ', '\n', '語', '.', '*', '(', '\\', ']', '^', '-', '$', '😀'), maxLength: 6 }) // prettier-ignore

  it('are broken unless they are blanks or a single letter', () => {
    fc.assert(
      fc.property(fc.array(word), word, word, word, (spellings, a, b, c) => {
        const text = a + spellings.join(b) + c
        const safe = foreignTextFor(spellings)(text)
        for (const spelling of spellings)
          if ([...withoutBlanks(spelling)].length > 1) expect(safe).not.toContain(spelling)
        expect(withoutBlanks(safe)).toBe(withoutBlanks(text))
      }),
      { numRuns: 2000 },
    )
    expect(foreignTextFor(['\n\n', '  ', 'é', ''])('é  \n\né')).toBe('é  \n\né')
    expect(foreignTextFor([])('<|im_end|>')).toBe('<|im_end|>')
  })

  it.each([
    ['<|im_end|>', ['<|im_end|>'], '< |im_end|>'],
    ['<|im_end|>', ['<|im', '<|im_end|>'], '< |im_end|>'],
    ['<<a>', ['<<a', '<a>'], '< < a>'],
    ['ab', ['ab', 'a b'], 'a  b'],
    [' ab', [' ab'], ' a b'],
  ])('in %j are broken by blanks', (text, spellings, safe) => {
    expect(foreignTextFor(spellings)(text)).toBe(safe)
  })
})

describe('a quotation', () => {
  it('marks every line', () => {
    expect(quoted('one\r\ntwo\n\nthree')).toBe('> one\n> two\n> \n> three')
    fc.assert(
      fc.property(hostileText, (text) => {
        for (const line of quoted(text).split(/[\n\r\v\f\u0085\u2028\u2029]/)) expect(line).toMatch(/^> /)
      }),
    )
  })

  it('is shortened to the limit and keeps both ends', () => {
    expect(withoutMiddle('abcdefghij', 7)).toBe('abc…hij')
    expect(withoutMiddle('abcdefg', 7)).toBe('abcdefg')
    fc.assert(
      fc.property(fc.string(), fc.integer({ min: 1, max: 20 }), (text, most) => {
        expect(withoutMiddle(text, most).length).toBeLessThanOrEqual(most)
      }),
    )
  })
})
