/**
 * Demonstrations as supervised examples. A demonstration is a line of pieces of text, some of which are to be learned
 * (what a role writes) and some mostly read (what it is shown). An aside, such as a judgement of the last step, is
 * learned where it stands, and the line goes on without it.
 */
import type { Tokens } from '../method/ports.ts'

export interface Piece {
  text: string
  /** Weight of the piece's tokens in the loss; 0 for what is only read. */
  weight: number
  /** Close the piece with the end-of-response token. */
  isResponse?: boolean
  /** Makes the piece an aside: the text that calls for it, which the line does not keep either. */
  asideCue?: string
}

export interface SupervisedExample {
  prompt: Tokens
  response: Tokens
  weight: number
}

/** `encode` adds no special tokens; `endOfResponse` is the token that closes a response. */
export function supervisedExamples(
  pieces: readonly Piece[],
  encode: (text: string) => ArrayLike<number>,
  endOfResponse: number,
): SupervisedExample[] {
  const line: number[] = []
  const examples: SupervisedExample[] = []
  for (const { text, weight, isResponse, asideCue } of pieces) {
    const isAside = asideCue !== undefined
    const prompt = isAside ? [...line, ...Array.from(encode(asideCue))] : line
    const response = [...Array.from(encode(text)), ...(isResponse ? [endOfResponse] : [])]
    if (weight > 0 && prompt.length > 0) {
      examples.push({ prompt: Int32Array.from(prompt), response: Int32Array.from(response), weight })
    }
    if (!isAside) line.push(...response)
  }
  return examples
}
