/**
 * Messages put between the pieces of a chat template, in the order in which a transcript appends them. Every message begins and ends with
 * words of ours: templates may trim a message, and what others wrote stands next to no token.
 */
import type { ChatPieces } from '../../method/chat-pieces.ts'

/** Up to the first message of the user, for a message that comes in parts. */
export function begun(pieces: ChatPieces, instructions: string): string {
  return pieces.start + instructions + pieces.systemEnd
}

/** A whole prompt of instructions and one message. */
export function opened(pieces: ChatPieces, instructions: string, message: string): string {
  return begun(pieces, instructions) + message + pieces.responseCue
}

/** What follows a response and its stop token. */
export function continued(pieces: ChatPieces, message: string): string {
  return pieces.nextUser + message + pieces.responseCue
}
