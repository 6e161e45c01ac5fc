/**
 * Untrusted text for a chat model's prompt: observations, problems, responses of models. A tokenizer recognises its special tokens
 * wherever they are spelled, so text that contains "<|im_end|>" could end its message and start one in another role's name. A blank
 * after the first character turns the spelling into plain text:
 *
 *     <|im_end|>  →  < |im_end|>
 */

/** Makes a text safe for prompts to a model with these tokens; leaves other texts unchanged. */
export type ForeignText = (text: string) => string

/**
 * Leaves blanks and single letters alone: some tokenizers list them as special tokens, but they do not mark who speaks, and every
 * text needs them.
 */
export function foreignTextFor(reserved: readonly string[]): ForeignText {
  const spellings = reserved.filter((spelling) => Array.from(spelling.replace(/\s/gu, '')).length > 1)
  if (spellings.length === 0) return (text) => text
  // The longest first: of two with the same beginning, the expression takes the first that matches.
  spellings.sort((a, b) => b.length - a.length)
  const pattern = new RegExp(
    spellings.map((spelling) => spelling.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')).join('|'),
    'gu',
  )
  return (text) => {
    let safe = text
    // One pass is enough unless spellings overlap or contain a blank.
    while (pattern.test(safe)) {
      pattern.lastIndex = 0
      safe = safe.replace(pattern, (spelling) => spelling.replace(/\S/u, '$& '))
    }
    pattern.lastIndex = 0
    return safe
  }
}

/** Marks every line as a quotation, whatever it contains: each begins with "> ". */
export function quoted(text: string): string {
  return `> ${text.split(/\r\n|[\n\r\v\f\u0085\u2028\u2029]/).join('\n> ')}`
}

/** Shortens a text to `most` characters by cutting its middle. */
export function withoutMiddle(text: string, most: number): string {
  if (text.length <= most) return text
  const half = Math.floor((most - 1) / 2)
  return `${text.slice(0, half)}…${text.slice(text.length - half)}`
}
