/**
 * The wire format of OpenAI-compatible servers (vLLM, SGLang, `transformers serve`). Schemas name only the fields that are read.
 * Fields that some servers refuse are sent only if the probe found them supported.
 */
import * as v from 'valibot'
import type { WireMessage } from './pictures.ts'

const Count = v.pipe(v.number(), v.integer(), v.minValue(0))

export const ModelList = v.object({
  data: v.array(v.object({ id: v.string(), max_model_len: v.nullish(v.pipe(Count, v.minValue(1))) })),
})

/** `bytes` are those of the token; null if it has no text; optional. */
const TokenLogProb = v.object({ token: v.string(), logprob: v.number(), bytes: v.nullish(v.array(Count)) })

export const ChatAnswer = v.object({
  choices: v.pipe(
    v.array(
      v.object({
        message: v.object({ content: v.nullish(v.string(), '') }),
        finish_reason: v.nullish(v.string()),
        logprobs: v.nullish(v.object({ content: v.nullish(v.array(TokenLogProb)) })),
      }),
    ),
    v.minLength(1),
  ),
})

export const TextAnswer = v.object({
  choices: v.pipe(
    v.array(
      v.object({
        text: v.string(),
        finish_reason: v.nullish(v.string()),
        token_ids: v.nullish(v.array(Count)),
        logprobs: v.nullish(
          v.object({
            tokens: v.nullish(v.array(v.string())),
            token_logprobs: v.nullish(v.array(v.nullable(v.number()))),
          }),
        ),
      }),
    ),
    v.minLength(1),
  ),
})

export const TokenizeAnswer = v.object({ tokens: v.array(Count), max_model_len: v.nullish(Count) })

/** Fields that not every server supports. */
export const OPTIONAL_FIELDS = ['seed', 'logprobs', 'n'] as const
export type OptionalField = (typeof OPTIONAL_FIELDS)[number]

export interface SampleCall {
  model: string
  prompt: { messages: readonly WireMessage[] } | { text: string } | { tokens: readonly number[] }
  count: number
  seed: number
  temperature: number
  topP: number
  maxTokens: number
}

export function sampleBody(call: SampleCall, fields: ReadonlySet<OptionalField>): Record<string, unknown> {
  const { prompt } = call
  const isChat = 'messages' in prompt
  return {
    model: call.model,
    ...(isChat ? { messages: prompt.messages } : { prompt: 'text' in prompt ? prompt.text : prompt.tokens }),
    ...('tokens' in prompt && { return_token_ids: true, add_special_tokens: false }),
    temperature: call.temperature,
    // Greedy completions have no nucleus, and some servers refuse both at once.
    top_p: call.temperature === 0 ? 1 : call.topP,
    max_tokens: call.maxTokens,
    // A switch for chat, and for text the number of alternatives beside the token itself.
    ...(fields.has('logprobs') && { logprobs: isChat ? true : 1 }),
    ...(fields.has('seed') && { seed: call.seed }),
    ...(fields.has('n') && call.count > 1 && { n: call.count }),
  }
}
