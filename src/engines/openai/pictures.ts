/**
 * Messages whose described pictures are drawn (method/pictures.ts), as the parts that OpenAI-compatible servers take. As in the released
 * code (OSWorld-main/rl_rollout_local_qwen3vl.py:64) a request has the last three pictures alone; the earlier ones are said in words.
 */
import type { ChatMessage } from '../../language-model/tokens/chat-template.ts'
import { messageParts } from '../../method/pictures.ts'
import { toBase64 } from '../../storage/base64.ts'

export type WirePart = { type: 'text'; text: string } | { type: 'image_url'; image_url: { url: string } }
export type WireMessage = ChatMessage | { role: 'user'; content: readonly WirePart[] }

export const MOST_PICTURES = 3
/**
 * Rollouts of a task begin with the same screen, and every judge sees those of the policy. Three for each of some hundred episodes at
 * once; 16 kB each.
 */
const REMEMBERED = 2048

/** The pictures of messages, in order. */
export function picturesIn(messages: readonly WireMessage[]): WirePart[] {
  return messages.flatMap(({ content }) =>
    typeof content === 'string' ? [] : content.filter(({ type }) => type === 'image_url'),
  )
}

export class PictureWriter {
  readonly #drawn = new Map<string, Promise<string>>()
  readonly #draw: (description: string) => Promise<Uint8Array>

  /** `draw` gives a PNG. */
  constructor(draw: (description: string) => Promise<Uint8Array>) {
    this.#draw = draw
  }

  /** The messages themselves where they describe no picture. */
  async write(messages: readonly ChatMessage[]): Promise<readonly WireMessage[]> {
    const split = messages.map(({ role, content }) => (role === 'user' ? messageParts(content) : []))
    const pictures = split.flat().filter((part) => 'picture' in part).length
    if (pictures === 0) return messages
    let earlier = pictures - MOST_PICTURES
    const written: WireMessage[] = []
    for (const [index, message] of messages.entries()) {
      const parts = split[index]!
      if (!parts.some((part) => 'picture' in part)) {
        written.push(message)
        continue
      }
      const content: WirePart[] = []
      for (const part of parts) {
        if ('text' in part) content.push({ type: 'text', text: part.text })
        else if (earlier-- > 0) content.push({ type: 'text', text: '(an earlier screen)' })
        else content.push(await this.#picture(part.picture))
      }
      written.push({ role: 'user', content })
    }
    return written
  }

  /** What cannot be drawn is sent as text: some other world may spell a description so. */
  async #picture(description: string): Promise<WirePart> {
    try {
      return { type: 'image_url', image_url: { url: await this.#address(description) } }
    } catch {
      return { type: 'text', text: description }
    }
  }

  #address(description: string): Promise<string> {
    const known = this.#drawn.get(description)
    if (known) return known
    const address = this.#draw(description).then((bytes) => `data:image/png;base64,${toBase64(bytes)}`)
    if (this.#drawn.size >= REMEMBERED) this.#drawn.clear()
    this.#drawn.set(description, address)
    return address
  }
}
