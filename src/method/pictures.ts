/**
 * Pictures in prompts. Token ids are all that a prompt is made of, and a log holds no images; so a world writes a description between
 * two lines of their own, and an engine whose model sees pictures draws it when it builds a request:
 *
 *     ⟨screen⟩
 *     what is on it
 *     ⟨/screen⟩
 *
 * Only user messages are looked at, and an agent's own words stand in them as quotations, whose lines begin with "> ". A world keeps the
 * brackets out of its descriptions.
 */
const START = '⟨screen⟩'
const END = '⟨/screen⟩'
const BLOCK = new RegExp(`^${START}\n([^⟨⟩]*)\n${END}$`, 'gm')

/** `description` may have several lines. Brackets in it become plain ones. */
export function describedPicture(description: string): string {
  return `${START}\n${description.replaceAll('⟨', '<').replaceAll('⟩', '>')}\n${END}`
}

export type MessagePart = { text: string } | { picture: string }

/** The texts and descriptions of a message, in order; texts that are empty are left out. */
export function messageParts(message: string): MessagePart[] {
  const parts: MessagePart[] = []
  let from = 0
  const addText = (text: string) => {
    if (text.trim() !== '') parts.push({ text })
  }
  for (const match of message.matchAll(BLOCK)) {
    addText(message.slice(from, match.index))
    parts.push({ picture: match[1]! })
    from = match.index + match[0].length
  }
  addText(message.slice(from))
  return parts
}
