/**
 * A token language for servers that do not expose their tokenizer: tokens are UTF-8 bytes, and marks around messages, so that an
 * appended transcript can be split into the messages of a conversation again:
 *
 *     ⟨system⟩ instructions ⟨user⟩ message ⟨assistant⟩ response ⟨end⟩ ⟨user⟩ message ⟨assistant⟩
 *
 * Marks contain private-use code points and are reserved: formats remove them from untrusted text, so no text of a model or an
 * environment can end a message.
 */
import type { ChatPieces } from '../../method/chat-pieces.ts'
import type { ChatMessage } from '../../language-model/tokens/chat-template.ts'
import type { Tokens } from '../../method/ports.ts'

const BYTES = 256
const OPEN = '\uE0C0'
const CLOSE = '\uE0C1'
const MARKS = ['system', 'user', 'assistant', 'end'] as const
type Mark = (typeof MARKS)[number]

const spelling = (mark: Mark) => `${OPEN}${mark}${CLOSE}`
const tokenOf = (mark: Mark) => BYTES + MARKS.indexOf(mark)
const ANY_MARK = new RegExp(`${OPEN}(${MARKS.join('|')})${CLOSE}`, 'g')

/** Ends a response. */
export const END_TOKEN = tokenOf('end')

export const MARKED_PIECES: ChatPieces = {
  start: spelling('system'),
  systemEnd: spelling('user'),
  responseCue: spelling('assistant'),
  responseEnd: spelling('end'),
  nextUser: spelling('user'),
  reserved: MARKS.map(spelling),
  seesPictures: true,
}

/** Encodes each byte and each mark as one token. */
export function encodeMarked(text: string): Tokens {
  const tokens: number[] = []
  let from = 0
  for (const match of text.matchAll(ANY_MARK)) {
    pushBytes(tokens, text.slice(from, match.index))
    tokens.push(tokenOf(match[1] as Mark))
    from = match.index + match[0].length
  }
  pushBytes(tokens, text.slice(from))
  return Int32Array.from(tokens)
}

/** The inverse of encoding. */
export function decodeMarked(tokens: Tokens): string {
  return parts(tokens)
    .map(({ mark, text }) => (mark === null ? '' : spelling(mark)) + text)
    .join('')
}

/** The messages to send. Throws for a prompt that ends with an unfinished response. */
export function messagesOf(prompt: Tokens): ChatMessage[] {
  const messages: ChatMessage[] = []
  for (const { mark, text } of parts(prompt)) {
    if (mark === 'system' || mark === 'user' || mark === 'assistant') messages.push({ role: mark, content: text })
    else if (text !== '') throw notAConversation('It has text outside of messages')
  }
  const cue = messages.pop()
  if (cue?.role !== 'assistant' || cue.content !== '')
    throw notAConversation('It does not end with the cue for a response')
  if (messages.length === 0) throw notAConversation('It is empty')
  return messages.filter(({ role, content }) => role !== 'system' || content !== '')
}

/** A token's first byte gets its log-probability; by the chain rule, its other bytes get 0. */
export function spreadLogProbs(response: Tokens, pieces: readonly { bytes: number; logProb: number }[]): Float32Array {
  const logProbs = new Float32Array(response.length)
  let at = 0
  for (const { bytes, logProb } of pieces) {
    if (at >= response.length) break
    logProbs[at] = Math.fround(logProbs[at]! + logProb)
    at += bytes
  }
  return logProbs
}

interface Part {
  /** Null before the first mark. */
  mark: Mark | null
  text: string
}

function parts(tokens: Tokens): Part[] {
  const found: { mark: Mark | null; bytes: number[] }[] = [{ mark: null, bytes: [] }]
  for (const token of tokens) {
    const mark = MARKS[token - BYTES]
    if (mark !== undefined) found.push({ mark, bytes: [] })
    else if (token >= 0 && token < BYTES) found.at(-1)!.bytes.push(token)
    else throw new RangeError(`${token} is no token of this model: its tokens are bytes and ${MARKS.length} marks.`)
  }
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  return found.map(({ mark, bytes }) => ({ mark, text: decoder.decode(Uint8Array.from(bytes)) }))
}

function pushBytes(tokens: number[], text: string): void {
  for (const byte of new TextEncoder().encode(text)) tokens.push(byte)
}

function notAConversation(why: string): Error {
  return new Error(
    `The prompt is not a conversation that a chat server accepts. ${why}. Write prompts with this model's chatPieces().`,
  )
}
