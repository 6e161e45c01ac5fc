/**
 * The tiny models' tokenizer: whole words and set phrases of their environment, and bytes for everything else.
 *
 * A text world repeats a few sentences, so "You arrive at" as one token makes episodes half as long as with usual sub-words, and twice
 * as fast to sample and to train. The file is a standard Hugging Face tokenizer.json: byte-level BPE with `ignore_merges` (as in Llama
 * 3), no merges, and a Split pre-tokenizer whose pattern lists the phrases before the words. Any other text becomes bytes, never an
 * unknown token.
 */

export const END_OF_RESPONSE = '<|end|>'

export interface TokenizerFile {
  version: string
  model: { vocab: Record<string, number>; [key: string]: unknown }
  [key: string]: unknown
}

/** GPT-2's printable characters for the 256 bytes, in which tokenizer.json files store tokens. */
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

/** How to cut a text, as parts of a regular expression. */
export interface Cut {
  /** Pattern before a phrase that begins with a letter. */
  before: string
  /** Patterns between phrases, in order of preference. */
  between: readonly string[]
}

/** Words and numbers with the space before them. */
export const WORDS: Cut = { before: '', between: [' ?[A-Za-z]+', ' ?-?[0-9]+', '\\s', '[^\\sA-Za-z0-9]'] }

/**
 * For programs and values: a number from -99 to 99 is one piece, a longer one becomes pairs of digits from the right, and all else
 * becomes characters, so that the letters of a string are separate even if they spell a phrase.
 */
export const VALUES: Cut = {
  before: '(?<![A-Za-z"])',
  between: ['-?[0-9]{1,2}(?=(?:[0-9]{2})*(?![0-9]))', '[\\s\\S]'],
}

/** A pattern of pieces: the longest phrase that starts here, else one of the patterns between phrases. */
function piecePattern(phrases: readonly string[], { before, between }: Cut): string {
  const longestFirst = [...phrases].sort((a, b) => b.length - a.length || (a < b ? -1 : 1))
  const whole = (phrase: string) =>
    (/^[A-Za-z]/.test(phrase) ? before : '') + escapeRegExp(phrase) + (/[A-Za-z]$/.test(phrase) ? '(?![A-Za-z])' : '')
  return [...longestFirst.map(whole), ...between].join('|')
}

/** How often each piece occurs. */
export function pieceCounts(phrases: readonly string[], corpus: Iterable<string>, cut: Cut): Map<string, number> {
  const counts = new Map<string, number>()
  const regExp = new RegExp(piecePattern(phrases, cut), 'g')
  for (const text of corpus) {
    for (const [piece] of text.matchAll(regExp)) counts.set(piece, (counts.get(piece) ?? 0) + 1)
  }
  return counts
}

/**
 * Builds a tokenizer whose vocabulary is the 256 bytes, the end-of-response token, `marks` (special tokens that say who speaks),
 * `phrases`, and every piece of `corpus`. Deterministic in its inputs: words are ordered by frequency, then by code point.
 */
export function buildTokenizer(
  phrases: readonly string[],
  corpus: Iterable<string>,
  cut: Cut = WORDS,
  marks: readonly string[] = [],
): TokenizerFile {
  const pattern = piecePattern(phrases, cut)
  const counts = pieceCounts(phrases, corpus, cut)
  const words = [...counts].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1)).map(([word]) => word)

  const vocab: Record<string, number> = {}
  const add = (token: string) => {
    vocab[token] ??= Object.keys(vocab).length
  }
  BYTE_CHARACTERS.forEach(add)
  const specials = [END_OF_RESPONSE, ...marks]
  specials.forEach(add)
  for (const piece of [...phrases, ...words]) add(toByteLevel(piece))

  return {
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: specials.map((content) => ({
      id: vocab[content],
      content,
      single_word: false,
      lstrip: false,
      rstrip: false,
      normalized: false,
      special: true,
    })),
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
