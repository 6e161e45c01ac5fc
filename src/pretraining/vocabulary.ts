/**
 * The tiny models' tokenizer: whole words and whole set phrases of their environment, with bytes for all the rest.
 *
 * A text world says the same few sentences over and over, so that "You arrive at" as one token makes an episode half
 * as long as usual sub-words would, and half as long is twice as fast to sample and to train. The file is an ordinary
 * Hugging Face tokenizer.json: byte-level BPE with `ignore_merges` (as Llama 3 has it), no merges, and a Split
 * pre-tokenizer whose pattern lists the phrases before the words. Any other text falls apart into bytes, never into
 * an unknown token.
 */

export const END_OF_RESPONSE = '<|end|>'

export interface TokenizerFile {
  version: string
  model: { vocab: Record<string, number>; [key: string]: unknown }
  [key: string]: unknown
}

/** GPT-2's printable stand-ins for the 256 bytes, which tokenizer.json files store tokens in. */
function byteCharacters(): string[] {
  const printable = (byte: number) => (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || byte >= 174
  let next = 256
  return Array.from({ length: 256 }, (_, byte) => String.fromCodePoint(printable(byte) ? byte : next++))
}

const BYTE_CHARACTERS = byteCharacters()

function toByteLevel(text: string): string {
  return Array.from(new TextEncoder().encode(text), (byte) => BYTE_CHARACTERS[byte]).join('')
}

const escapeRegExp = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

/** How a text is cut, as parts of a regular expression. */
export interface Cut {
  /** Before a phrase that begins with a letter. */
  before: string
  /** Between phrases: alternatives, the first that fits. */
  between: readonly string[]
}

/** Words and numbers with the blank before them. */
export const WORDS: Cut = { before: '', between: [' ?[A-Za-z]+', ' ?-?[0-9]+', '\\s', '[^\\sA-Za-z0-9]'] }

/**
 * Where text is programs and values: a number from -99 to 99 is a piece, a longer one falls into pairs of digits from the
 * right, and all else into characters, so that the letters of a string can be told apart, also where they spell a phrase.
 */
export const VALUES: Cut = {
  before: '(?<![A-Za-z"])',
  between: ['-?[0-9]{1,2}(?=(?:[0-9]{2})*(?![0-9]))', '[\\s\\S]'],
}

/** Pieces that texts are cut into: a phrase if one starts here, the longest first, else what is between. */
function piecePattern(phrases: readonly string[], { before, between }: Cut): string {
  const longestFirst = [...phrases].sort((a, b) => b.length - a.length || (a < b ? -1 : 1))
  const whole = (phrase: string) =>
    (/^[A-Za-z]/.test(phrase) ? before : '') + escapeRegExp(phrase) + (/[A-Za-z]$/.test(phrase) ? '(?![A-Za-z])' : '')
  return [...longestFirst.map(whole), ...between].join('|')
}

/** How often each piece is said. */
export function pieceCounts(phrases: readonly string[], corpus: Iterable<string>, cut: Cut): Map<string, number> {
  const counts = new Map<string, number>()
  const regExp = new RegExp(piecePattern(phrases, cut), 'g')
  for (const text of corpus) {
    for (const [piece] of text.matchAll(regExp)) counts.set(piece, (counts.get(piece) ?? 0) + 1)
  }
  return counts
}

/**
 * Builds a tokenizer whose vocabulary is the 256 bytes, the end-of-response token, `phrases`, and every piece of
 * `corpus`. Deterministic in its inputs: words are ordered by frequency, then by code point.
 */
export function buildTokenizer(phrases: readonly string[], corpus: Iterable<string>, cut: Cut = WORDS): TokenizerFile {
  const pattern = piecePattern(phrases, cut)
  const counts = pieceCounts(phrases, corpus, cut)
  const words = [...counts].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1)).map(([word]) => word)

  const vocab: Record<string, number> = {}
  const add = (token: string) => {
    vocab[token] ??= Object.keys(vocab).length
  }
  BYTE_CHARACTERS.forEach(add)
  add(END_OF_RESPONSE)
  for (const piece of [...phrases, ...words]) add(toByteLevel(piece))

  return {
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: [
      {
        id: vocab[END_OF_RESPONSE],
        content: END_OF_RESPONSE,
        single_word: false,
        lstrip: false,
        rstrip: false,
        normalized: false,
        special: true,
      },
    ],
    normalizer: null,
    pre_tokenizer: {
      type: 'Sequence',
      pretokenizers: [
        { type: 'Split', pattern: { Regex: pattern }, behavior: 'Isolated', invert: false },
        { type: 'ByteLevel', add_prefix_space: false, trim_offsets: false, use_regex: false },
      ],
    },
    post_processor: null,
    decoder: { type: 'ByteLevel', add_prefix_space: false, trim_offsets: false, use_regex: false },
    model: {
      type: 'BPE',
      dropout: null,
      unk_token: null,
      continuing_subword_prefix: null,
      end_of_word_suffix: null,
      fuse_unk: false,
      byte_fallback: false,
      ignore_merges: true,
      vocab,
      merges: [],
    },
  }
}
