/**
 * Probes what a server can do: OpenAI-compatible servers accept different fields, and some silently ignore the others. Probes
 * first the endpoint, then each field; a field counts as supported if its effect shows.
 *
 *     tokens   token ids in and out: /tokenize, and /completions with return_token_ids (vLLM); for models without a chat template
 *     chat     /chat/completions
 *     text     /completions, for models without a chat template on servers that do not expose their tokenizer
 */
import { isRemoteError, RemoteError } from '../remote/remote-error.ts'
import type { HttpClient } from '../remote/http-client.ts'
import { ChatAnswer, ModelList, OPTIONAL_FIELDS, sampleBody, TextAnswer, TokenizeAnswer, type OptionalField, type SampleCall } from './wire.ts' // prettier-ignore

export type Endpoint = 'tokens' | 'chat' | 'text'

export interface ServerCapabilities {
  endpoint: Endpoint
  fields: ReadonlySet<OptionalField>
  /** Tokens that prompt and response may have together; null if the server does not report it. */
  contextTokens: number | null
}

/** Shorter than during a run, when a lost server is waited for. */
export const PROBE_PATIENCE_MS = 5_000
/** Long, because servers may load the model at the first request. */
const FIRST_ANSWER_MS = 600_000
/** The server does not support this endpoint. */
const NO_CHAT = /chat[ _]template|not a chat|does not support chat|no chat/i

/** Throws RemoteError. */
export async function probe(client: HttpClient, model: string): Promise<ServerCapabilities> {
  const listed = await listModels(client)
  const known = listed?.find(({ id }) => id === model)
  const endpoint = await findEndpoint(client, model, listed?.map(({ id }) => id) ?? [])
  const fields = new Set<OptionalField>()
  for (const field of OPTIONAL_FIELDS) if (await takes(client, model, endpoint, field)) fields.add(field)
  return { endpoint, fields, contextTokens: known?.max_model_len ?? null }
}

/** Null if the server has no list. Fails for wrong keys and dead servers. */
async function listModels(client: HttpClient) {
  try {
    const { data } = await client.json({ path: '/models', schema: ModelList, patienceMs: PROBE_PATIENCE_MS })
    return data
  } catch (error) {
    if (isRemoteError(error, 'not-found', 'refused', 'malformed', 'failed')) return null
    throw error
  }
}

async function findEndpoint(client: HttpClient, model: string, listed: readonly string[]): Promise<Endpoint> {
  try {
    await ask(client, 'chat', probeCall(model, 'chat'), new Set(), FIRST_ANSWER_MS)
    return 'chat'
  } catch (error) {
    // Some servers fail instead of reporting that the model has no template.
    const hasNoChat =
      isRemoteError(error, 'not-found', 'failed') || (error instanceof RemoteError && NO_CHAT.test(error.detail))
    if (!hasNoChat) throw withModels(error, model, listed)
  }
  try {
    const { choices } = await ask(client, 'text', probeCall(model, 'text'), new Set(), FIRST_ANSWER_MS)
    return choices.length > 0 && (await takesTokens(client, model)) ? 'tokens' : 'text'
  } catch (error) {
    throw withModels(error, model, listed)
  }
}

async function takesTokens(client: HttpClient, model: string): Promise<boolean> {
  try {
    const { tokens } = await tokenize(client, model, 'Hi')
    if (tokens.length === 0) return false
    const call: SampleCall = { ...probeCall(model, 'text'), prompt: { tokens } }
    const { choices } = await ask(client, 'text', call, new Set())
    return choices.every((choice) => 'token_ids' in choice && (choice.token_ids?.length ?? 0) > 0)
  } catch (error) {
    if (isRemoteError(error)) return false
    throw error
  }
}

async function takes(client: HttpClient, model: string, endpoint: Endpoint, field: OptionalField): Promise<boolean> {
  const call = { ...probeCall(model, endpoint), ...(field === 'n' && { count: 2 }) }
  try {
    const { choices } = await ask(client, endpoint === 'chat' ? 'chat' : 'text', call, new Set([field]))
    if (field === 'n') return choices.length === 2
    if (field === 'logprobs')
      return choices.every(({ logprobs }) =>
        logprobs && 'content' in logprobs ? (logprobs.content?.length ?? 0) > 0 : Boolean(logprobs),
      )
    return true
  } catch (error) {
    // Some servers report it by failing.
    if (isRemoteError(error, 'refused', 'failed', 'malformed')) return false
    throw error
  }
}

/** vLLM serves it at the address without its version. */
export function tokenize(client: HttpClient, model: string, text: string, signal?: AbortSignal) {
  return client.json({
    path: '/../tokenize',
    body: { model, prompt: text, add_special_tokens: false },
    schema: TokenizeAnswer,
    ...(signal && { signal }),
    ...(!signal && { patienceMs: PROBE_PATIENCE_MS }),
  })
}

function ask(
  client: HttpClient,
  endpoint: 'chat' | 'text',
  call: SampleCall,
  fields: ReadonlySet<OptionalField>,
  timeoutMs?: number,
) {
  const body = sampleBody(call, fields)
  const common = { body, patienceMs: PROBE_PATIENCE_MS, ...(timeoutMs !== undefined && { timeoutMs }) }
  return endpoint === 'chat'
    ? client.json({ path: '/chat/completions', schema: ChatAnswer, ...common })
    : client.json({ path: '/completions', schema: TextAnswer, ...common })
}

function probeCall(model: string, endpoint: Endpoint): SampleCall {
  const prompt = endpoint === 'chat' ? { messages: [{ role: 'user' as const, content: 'Hi' }] } : { text: 'Hi' }
  return { model, prompt, count: 1, seed: 1, temperature: 1, topP: 1, maxTokens: 2 }
}

/** A wrong name is the most common mistake. */
function withModels(error: unknown, model: string, listed: readonly string[]): unknown {
  if (!isRemoteError(error, 'not-found', 'refused') || listed.length === 0 || listed.includes(model)) return error
  const names = listed.slice(0, 8).join(', ') + (listed.length > 8 ? ', …' : '')
  return new RemoteError(
    error.kind,
    {
      what: `The server does not serve the model “${model}”.`,
      why: `It lists ${names}. ${error.why}`,
      remedy: 'Choose one of these, or start the server with this model.',
    },
    { cause: error, status: error.status, detail: error.detail },
  )
}
