/**
 * Puts messages between the pieces of a chat template, in the order in which a transcript appends them. Every message begins and ends
 * with our own words, because templates may trim messages and untrusted text must not touch a special token.
 */
import type { ChatPieces } from '../../method/chat-pieces.ts'

/** A prompt up to the first user message, for a message that arrives in parts. */
export function begun(pieces: ChatPieces, instructions: string): string {
  return pieces.start + instructions + pieces.systemEnd
}

/** A whole prompt: instructions and one message. */
export function opened(pieces: ChatPieces, instructions: string, message: string): string {
  return begun(pieces, instructions) + message + pieces.responseCue
}

/** The text that follows a response and its stop token. */
export function continued(pieces: ChatPieces, message: string): string {
  return pieces.nextUser + message + pieces.responseCue
}
