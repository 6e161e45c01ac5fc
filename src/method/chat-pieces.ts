/**
 * A chat model's template, cut into pieces so that a prompt only ever grows by appending:
 *
 *     first prompt   start + system + systemEnd + user + responseCue
 *     next prompt    first prompt + response + responseEnd + nextUser + user + responseCue
 *
 * Plain data: created beside the model, used where its prompts are written.
 */
export interface ChatPieces {
  /** Before the system message. */
  start: string
  /** Between the system message and the first user message. */
  systemEnd: string
  /** Between a user message and the response. */
  responseCue: string
  /** The stop token that ends a response, as text. */
  responseEnd: string
  /** Between `responseEnd` and the next user message. */
  nextUser: string
  /** Strings that the tokenizer turns into special tokens. Untrusted text must not contain them. */
  reserved: readonly string[]
  /** Whether the engine draws the pictures that a prompt describes (pictures.ts); no by default. */
  seesPictures?: boolean
}
