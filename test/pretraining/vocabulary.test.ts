import { Tokenizer as LibraryTokenizer } from '@huggingface/tokenizers'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Tokenizer } from '../../src/language-model/tokens/tokenizer.ts'
import { buildTokenizer, END_OF_RESPONSE, VALUES } from '../../src/pretraining/vocabulary.ts'

const file = buildTokenizer(
  ['You arrive at', ', you see', '. On the', ' a'],
  ['You arrive at countertop 1. On the countertop 1, you see a apple 2.'],
)
const library = new LibraryTokenizer(file, {})
const tokenizer = new Tokenizer(file, 'test')
const encode = (text: string) => library.encode(text, { add_special_tokens: false })

describe('the tiny models’ tokenizer', () => {
  it('encodes phrases and words as one token, and no phrase within a longer word', () => {
    expect(encode('You arrive at countertop 1. On the countertop 1, you see a apple 2.').tokens).toEqual([
      'YouĠarriveĠat',
      'Ġcountertop',
      'Ġ1',
      '.ĠOnĠthe',
      'Ġcountertop',
      'Ġ1',
      ',ĠyouĠsee',
      'Ġa',
      'Ġapple',
      'Ġ2',
      '.',
    ])
  })

  it('recognises the end-of-response token in text', () => {
    expect(encode(`apple${END_OF_RESPONSE}`).ids.at(-1)).toBe(file.model.vocab[END_OF_RESPONSE])
  })

  it('decodes any text unchanged, through bytes', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), (text) => {
        fc.pre(!text.includes('<|'))
        expect(tokenizer.decode(tokenizer.encode(text))).toBe(text)
      }),
    )
  })
})

describe('the tokenizer of programs and values', () => {
  const numbers = Array.from({ length: 199 }, (_, i) => String(i - 99))
  const values = new Tokenizer(buildTokenizer(['add ', ' + ', ', ', 'sum of'], numbers, VALUES), 'test')
  const pieces = (text: string) => Array.from(values.encode(text), (token) => values.decode(Int32Array.of(token)))

  it('encodes strings letter by letter, even if they spell a phrase', () => {
    expect(pieces('add "add bead"')).toEqual(['add ', ...'"add bead"'])
    expect(pieces('sum of sum offer')).toEqual(['sum of', ...' sum offer'])
  })

  it('encodes numbers from -99 to 99 as one token, and longer ones in pairs of digits from the right', () => {
    for (const number of numbers) expect(pieces(number)).toEqual([number])
    expect(pieces('[-7, 42]')).toEqual(['[', '-7', ', ', '42', ']'])
    expect(pieces('12345 + -678')).toEqual(['1', '23', '45', ' + ', '-6', '78'])
  })

  it('decodes any text unchanged', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), (text) => {
        fc.pre(!text.includes('<|'))
        expect(values.decode(values.encode(text))).toBe(text)
      }),
    )
  })
})
