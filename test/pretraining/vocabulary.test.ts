import { Tokenizer as LibraryTokenizer } from '@huggingface/tokenizers'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Tokenizer } from '../../src/language-model/tokenizer.ts'
import { buildTokenizer, END_OF_RESPONSE } from '../../src/pretraining/vocabulary.ts'

const file = buildTokenizer(
  ['You arrive at', ', you see', '. On the', ' a'],
  ['You arrive at countertop 1. On the countertop 1, you see a apple 2.'],
)
const library = new LibraryTokenizer(file, {})
const tokenizer = new Tokenizer(file, 'test')
const encode = (text: string) => library.encode(text, { add_special_tokens: false })

describe('the tiny models’ tokenizer', () => {
  it('takes phrases and words whole, and a phrase never bites into a longer word', () => {
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

  it('knows the end-of-response token inside text', () => {
    expect(encode(`apple${END_OF_RESPONSE}`).ids.at(-1)).toBe(file.model.vocab[END_OF_RESPONSE])
  })

  it('gives any text back, letter for letter, through bytes', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), (text) => {
        fc.pre(!text.includes('<|'))
        expect(tokenizer.decode(tokenizer.encode(text))).toBe(text)
      }),
    )
  })
})
