/**
 * tokenizer.json, read by @huggingface/tokenizers. Decoding returns the encoded text unchanged: no special tokens are added or
 * removed, and nothing is cleaned up.
 *
 * Our tiny models have whole words and phrases in a BPE vocabulary without merges: a Split pattern cuts the text, ByteLevel spells
 * the pieces in bytes, `ignore_merges` makes each piece in the vocabulary one token, and all others become single bytes.
 */
import { Tokenizer as HuggingFaceTokenizer } from '@huggingface/tokenizers'
import type { Tokens } from '../../method/ports.ts'

export class TokenizerError extends Error {
  override name = 'TokenizerError'
}

/** Texts whose tokens are cached. A loop repeats many texts: cues, observations, scenes. */
const REMEMBERED_TEXTS = 8192
const LONGEST_REMEMBERED = 2000

export class Tokenizer {
  readonly #tokenizer: HuggingFaceTokenizer
  readonly #remembered = new Map<string, Tokens>()

  /** `source` names the model in errors. */
  constructor(tokenizerJson: unknown, source: string) {
    try {
      this.#tokenizer = new HuggingFaceTokenizer(tokenizerJson as object, {})
    } catch (cause) {
      throw new TokenizerError(
        `tokenizer.json of "${source}" cannot be read (${cause instanceof Error ? cause.message : String(cause)}). Take the file from the model's own repository.`,
        { cause },
      )
    }
  }

  encode(text: string): Tokens {
    const known = this.#remembered.get(text)
    if (known) return known.slice()
    const tokens = Int32Array.from(text === '' ? [] : this.#tokenizer.encode(text, { add_special_tokens: false }).ids)
    if (text.length <= LONGEST_REMEMBERED) {
      if (this.#remembered.size >= REMEMBERED_TEXTS) this.#remembered.clear()
      this.#remembered.set(text, tokens.slice())
    }
    return tokens
  }

  decode(tokens: Tokens): string {
    return tokens.length === 0
      ? ''
      : this.#tokenizer.decode(Array.from(tokens), { skip_special_tokens: false, clean_up_tokenization_spaces: false })
  }

  /** A token's id by its spelling in the vocabulary, such as a special token's. */
  tokenId(content: string): number | undefined {
    return this.#tokenizer.token_to_id(content)
  }
}
