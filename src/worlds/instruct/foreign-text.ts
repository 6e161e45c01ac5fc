/**
 * What others wrote, on its way into a chat model's prompt: observations, problems, what a model said. A tokenizer takes its own tokens
 * wherever they are spelled, so a text with "<|im_end|>" in it could end its message and begin one in another's name. A blank behind
 * its first letter makes a spelling a text like any other:
 *
 *     <|im_end|>  →  < |im_end|>
 */

/** Makes a text safe for prompts to a model with these tokens; a text that spells none of them stays as it is. */
export type ForeignText = (text: string) => string

/**
 * Blanks and single letters, which some tokenizers also have as tokens of their own, say nothing of who speaks: they are left alone, for
 * without them there is no text.
 */
export function foreignTextFor(reserved: readonly string[]): ForeignText {
  const spellings = reserved.filter((spelling) => Array.from(spelling.replace(/\s/gu, '')).length > 1)
  if (spellings.length === 0) return (text) => text
  // The longest first: of two that begin alike, the first that matches is taken.
  spellings.sort((a, b) => b.length - a.length)
  const pattern = new RegExp(
    spellings.map((spelling) => spelling.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')).join('|'),
    'gu',
  )
  return (text) => {
    let safe = text
    // Once is enough but where one spelling overlaps with another, or has a blank itself.
    while (pattern.test(safe)) {
      pattern.lastIndex = 0
      safe = safe.replace(pattern, (spelling) => spelling.replace(/\S/u, '$& '))
    }
    pattern.lastIndex = 0
    return safe
  }
}

/** Lines that nobody can take for any but a quotation, whatever stands in them: each begins with "> ". */
export function quoted(text: string): string {
  return `> ${text.split(/\r\n|[\n\r\v\f\u0085\u2028\u2029]/).join('\n> ')}`
}

/** At most so many characters: without the middle, where a longer text has more. */
export function withoutMiddle(text: string, most: number): string {
  if (text.length <= most) return text
  const half = Math.floor((most - 1) / 2)
  return `${text.slice(0, half)}…${text.slice(text.length - half)}`
}
