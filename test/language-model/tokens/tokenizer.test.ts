import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Tokenizer, TokenizerError } from '../../../src/language-model/tokens/tokenizer.ts'
import { tinyTokenizerJson } from '../tiny-model.ts'

describe('tokenizer', () => {
  const tokenizer = new Tokenizer(tinyTokenizerJson(), 'tiny')

  test('encodes phrases of the vocabulary as one token, and the rest as bytes', () => {
    expect(Array.from(tokenizer.encode('go to the desk 1'))).toHaveLength(4)
    expect(Array.from(tokenizer.encode('ist möglich'))).toHaveLength(1)
    expect(Array.from(tokenizer.encode('möglich'))).toHaveLength(8)
    expect(tokenizer.encode('')).toHaveLength(0)
  })

  test('encodes special tokens that the text spells, and adds none', () => {
    expect(Array.from(tokenizer.encode('<|start|>take<|end|>'))).toEqual([0, tokenizer.tokenId('take'), 1])
    expect(tokenizer.decode(Int32Array.of(0, 1))).toBe('<|start|><|end|>')
  })

  test('decodes any text unchanged', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.string({ unit: 'grapheme' }),
      fc
        .array(fc.constantFrom('go to', ' the', 'desk', ' 1', '\n', " , n't", '<|end|>', '  ', 'é', '\uFEFF', '\u0085'))
        .map((parts) => parts.join('')),
    )
    fc.assert(
      fc.property(text, (original) => {
        expect(tokenizer.decode(tokenizer.encode(original))).toBe(original)
      }),
      { numRuns: 500 },
    )
  })

  test('returns tokens that the caller may change', () => {
    const first = tokenizer.encode('go to the desk')
    first.fill(0)
    expect(tokenizer.encode('go to the desk')).not.toEqual(first)
  })

  test('refuses a file that is not a tokenizer', () => {
    expect(() => new Tokenizer({ model: {} }, 'm')).toThrow(TokenizerError)
  })
})
