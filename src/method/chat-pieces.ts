/**
 * The words that a chat model's template puts around what is said, cut into pieces that only ever grow by appending:
 *
 *     first prompt   start + system + systemEnd + user + responseCue
 *     next prompt    first prompt + response + responseEnd + nextUser + user + responseCue
 *
 * Plain data: made where the model is, read where its prompts are written.
 */
export interface ChatPieces {
  /** Up to the system message. */
  start: string
  /** Between the system message and the first message of the user. */
  systemEnd: string
  /** After a message of the user; a response follows. */
  responseCue: string
  /** The spelling of the stop token that ends a response. */
  responseEnd: string
  /** After that, up to the next message of the user. */
  nextUser: string
  /** What the tokenizer takes for tokens of its own, wherever it stands: not to be let in with other people's text. */
  reserved: readonly string[]
}
