/**
 * Converts demonstrations to supervised examples. A demonstration is a sequence of pieces of text, some to learn (what a role
 * writes), others mostly context (what it is shown). An aside, such as a judgement of the last step, is learned in its place, but
 * later pieces do not follow it.
 */
import type { SupervisedExample } from '../language-model/training/trainer.ts'

export interface Piece {
  text: string
  /** Weight of the piece's tokens in the loss; 0 for context only. */
  weight: number
  /** Whether the end-of-response token closes the piece. */
  isResponse?: boolean
  /** Makes the piece an aside: the cue before it, which later pieces do not follow either. */
  asideCue?: string
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
