/**
 * Checks that a model sees pictures, before the first ones are sent. Servers treat a model that does not see differently: vLLM and
 * llama.cpp refuse the request, and `transformers serve` leaves the pictures out and answers, so that a run would be played blind.
 * The same question is asked without pictures and with as many as a request may have; the prompts' tokens show the difference.
 */
import * as v from 'valibot'
import { saysContextIsFull, type HttpClient } from '../remote/http-client.ts'
import { isRemoteError, RemoteError } from '../remote/remote-error.ts'
import { PROBE_PATIENCE_MS } from './capabilities.ts'
import type { WireMessage, WirePart } from './pictures.ts'
import { ChatAnswer, sampleBody } from './wire.ts'

/** Models have 64 tokens or more for a picture. A server that leaves it out may write a few in its place, as "[image]". */
const FEWEST_TOKENS = 16
const QUESTION: WirePart = { type: 'text', text: 'What do you see?' }
const REMEDY =
  'Choose a model that sees pictures, or set the screen to marks or text. If the model does see, start its server so that'

const CountedAnswer = v.object({
  ...ChatAnswer.entries,
  usage: v.fallback(v.nullable(v.object({ prompt_tokens: v.number() })), null),
})

/** Tokens of one picture; null if the server does not count tokens. Throws RemoteError if the model cannot see `pictures`. */
export async function checkSight(
  client: HttpClient,
  model: string,
  pictures: readonly WirePart[],
  signal?: AbortSignal,
): Promise<number | null> {
  const tokensOf = (content: WirePart[]) => promptTokens(client, model, { role: 'user', content }, signal)
  const without = await tokensOf([QUESTION])
  let seen: number | null
  try {
    seen = await tokensOf([QUESTION, ...pictures])
  } catch (error) {
    if (!isRemoteError(error, 'refused', 'failed')) throw error
    const isFull = saysContextIsFull(error)
    throw new RemoteError(
      'unsupported',
      {
        what: isFull
          ? `${pictures.length} pictures do not fit the context of “${model}”.`
          : `“${model}” was not shown ${pictures.length} pictures.`,
        why: error.why,
        remedy: isFull
          ? 'Start the server with a longer context, or so that it makes pictures smaller; or set the screen to marks or text.'
          : `${REMEDY} it accepts ${pictures.length} in a request.`,
      },
      { cause: error, status: error.status, detail: error.detail },
    )
  }
  if (without === null || seen === null) return null
  const each = (seen - without) / pictures.length
  if (each >= FEWEST_TOKENS) return Math.round(each)
  throw new RemoteError('unsupported', {
    what: `“${model}” does not see pictures.`,
    why: `Its server counts ${seen} tokens for a question with ${pictures.length} pictures, and ${without} for the question alone, so it leaves the pictures out.`,
    remedy: `${REMEDY} it passes them on.`,
  })
}

async function promptTokens(
  client: HttpClient,
  model: string,
  message: WireMessage,
  signal?: AbortSignal,
): Promise<number | null> {
  const call = { model, prompt: { messages: [message] }, count: 1, seed: 1, temperature: 1, topP: 1, maxTokens: 1 }
  const { usage } = await client.json({
    path: '/chat/completions',
    body: sampleBody(call, new Set()),
    schema: CountedAnswer,
    patienceMs: PROBE_PATIENCE_MS,
    signal,
  })
  return usage?.prompt_tokens ?? null
}
