/**
 * Converts a server's choice into a completion. Log-probabilities are 0 if the server does not return them; entropies are always
 * 0, because no server returns them. Both are only logged: samples of these servers do not train.
 */
import type * as v from 'valibot'
import type { Completion } from '../../method/ports.ts'
import { encodeMarked, END_TOKEN, spreadLogProbs } from './marked-text.ts'
import type { ChatAnswer, TextAnswer } from './wire.ts'

export type ChatChoice = v.InferOutput<typeof ChatAnswer>['choices'][number]
export type TextChoice = v.InferOutput<typeof TextAnswer>['choices'][number]

/** Everything except the token limit is a chosen end: stop, eos_token, content_filter, tool_calls. */
export function finishReason(reason: string | null | undefined): 'stop' | 'length' {
  return reason === 'length' || reason === 'max_tokens' ? 'length' : 'stop'
}

export function chatCompletion(choice: ChatChoice): Completion {
  const given = choice.logprobs?.content ?? []
  const pieces = given.map(({ token, logprob, bytes }) => ({
    bytes: bytes?.length ?? bytesOf(token),
    logProb: logprob,
  }))
  return spelled(choice.message.content, finishReason(choice.finish_reason), pieces)
}

export function textCompletion(choice: TextChoice): Completion {
  const { tokens, token_logprobs: logProbs } = choice.logprobs ?? {}
  const pieces = (tokens ?? []).map((token, index) => ({ bytes: bytesOf(token), logProb: logProbs?.[index] ?? 0 }))
  return spelled(choice.text, finishReason(choice.finish_reason), pieces)
}

/** For a server that returns token ids; its `text` is without the stop token. */
export function tokenCompletion(choice: TextChoice, tokens: readonly number[]): Completion {
  const given = choice.logprobs?.token_logprobs ?? []
  return {
    tokens: Int32Array.from(tokens),
    logProbs: Float32Array.from(tokens, (_, index) => finite(given[index] ?? 0)),
    entropies: new Float32Array(tokens.length),
    text: choice.text,
    finishReason: finishReason(choice.finish_reason),
  }
}

function spelled(
  text: string,
  reason: 'stop' | 'length',
  pieces: readonly { bytes: number; logProb: number }[],
): Completion {
  const bytes = encodeMarked(withoutMarks(text))
  const tokens = reason === 'stop' ? Int32Array.of(...bytes, END_TOKEN) : bytes
  const known = pieces.map(({ bytes: length, logProb }) => ({ bytes: length, logProb: finite(logProb) }))
  return {
    tokens,
    logProbs: spreadLogProbs(tokens, known),
    entropies: new Float32Array(tokens.length),
    text,
    finishReason: reason,
  }
}

/** Removes marks from a model's text. */
function withoutMarks(text: string): string {
  return text.replace(/[\uE0C0\uE0C1]/g, '\uFFFD')
}

/** Servers report impossible tokens as -9999 or -Infinity, which is null in JSON. */
function finite(logProb: number): number {
  return Number.isFinite(logProb) ? logProb : -9999
}

function bytesOf(text: string): number {
  return new TextEncoder().encode(text).length
}
