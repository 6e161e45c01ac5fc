/** The tokenizers of the coding models: set phrases, the numbers from -99 to 99, and single characters. */
import { CODING_TOKEN_PHRASES } from './phrases.ts'
import type { Piece } from '../demonstration-corpus.ts'
import { buildTokenizer, pieceCounts, VALUES, type TokenizerFile } from '../vocabulary.ts'

const LARGEST_NUMBER = 99
const SAMPLED = 1000

/** `pieces(index)` is demonstration `index`. Phrases that do not occur in them are omitted: their tokens would learn nothing. */
export function codingTokenizer(pieces: (index: number) => readonly Piece[]): TokenizerFile {
  const texts = Array.from({ length: SAMPLED }, (_, index) => pieces(index)).flatMap((line) =>
    line.map(({ text }) => text),
  )
  const said = pieceCounts(CODING_TOKEN_PHRASES, texts, VALUES)
  const phrases = CODING_TOKEN_PHRASES.filter((phrase) => said.has(phrase))
  const numbers = Array.from({ length: 2 * LARGEST_NUMBER + 1 }, (_, i) => String(i - LARGEST_NUMBER))
  return buildTokenizer(phrases, numbers, VALUES)
}
