/**
 * A model on an OpenAI-compatible server, for a role that is not trained. Requests each completion separately (or `n` at once if
 * the server supports it) with its own seed, as many at the same time as the source allows.
 */
import { deriveSeed } from '../../method/random.ts'
import type { ChatPieces } from '../../method/chat-pieces.ts'
import type { Completion, GenerateRequest, SamplingOptions, Tokens, UpdateMetrics } from '../../method/ports.ts'
import { allOrNone } from '../remote/all-or-none.ts'
import { HttpClient, saysContextIsFull, type HttpClientOptions } from '../remote/http-client.ts'
import { RemoteError } from '../remote/remote-error.ts'
import type { OpenAiSource } from '../../roles/source.ts'
import { fullContext } from '../../roles/context.ts'
import type { RoleModel, ModelInfo } from '../../roles/role-model.ts'
import { probe, tokenize, type ServerCapabilities } from './capabilities.ts'
import { chatCompletion, textCompletion, tokenCompletion } from './choice.ts'
import { decodeMarked, encodeMarked, MARKED_PIECES, messagesOf } from './marked-text.ts'
import { MOST_PICTURES, PictureWriter, picturesIn, type WireMessage } from './pictures.ts'
import { checkSight } from './sight.ts'
import { ChatAnswer, sampleBody, TextAnswer, type SampleCall } from './wire.ts'

export interface OpenAiModelOptions {
  source: OpenAiSource
  /** Sent as a bearer token; null if the server requires none. */
  key: string | null
  /** For tests: how requests are made, and how long they are retried. */
  http?: Partial<HttpClientOptions>
}

export interface OpenAiModelInfo extends ModelInfo {
  capabilities: ServerCapabilities
}

/** Servers support 31-bit seeds, or read larger ones as negative. */
const LARGEST_SEED = 0x7fffffff
const REMEMBERED_TEXTS = 4096
/** A shorter answer is not worth a further request. */
const FEWEST_TOKENS = 128

export class OpenAiModel implements RoleModel {
  readonly #source: OpenAiSource
  readonly #client: HttpClient
  readonly #remembered = new Map<string, Tokens>()
  /** The desktop is the only world that describes pictures. */
  readonly #pictures = new PictureWriter(async (description) =>
    (await import('../../worlds/desktop/pixels/screen-png.ts')).screenPng(description),
  )
  #capabilities: ServerCapabilities | null = null
  /** The check that the model sees; null before the first picture. */
  #sight: Promise<unknown> | null = null

  /** Throws RemoteError for an address that cannot be reached from here. */
  constructor({ source, key, http }: OpenAiModelOptions) {
    this.#source = source
    this.#client = new HttpClient({
      baseUrl: source.baseUrl,
      headers: key === null ? {} : { Authorization: `Bearer ${key}` },
      concurrency: source.concurrency,
      timeoutMs: source.timeoutSeconds * 1000,
      ...http,
    })
  }

  /** Probes the server. Throws RemoteError. */
  async load(): Promise<OpenAiModelInfo> {
    const capabilities = await probe(this.#client, this.#source.model)
    this.#capabilities = capabilities
    const { endpoint, contextTokens } = capabilities
    return {
      parameters: 0,
      backendDescription: describe(this.#client.address, capabilities),
      // Prompts in bytes cannot be compared with a limit in tokens, so the server reports when it is reached.
      maxPositions: endpoint === 'tokens' && contextTokens !== null ? contextTokens : Infinity,
      capabilities,
    }
  }

  /** Null for models without a chat template. */
  async chatPieces(): Promise<ChatPieces | null> {
    return this.#found.endpoint === 'chat' ? MARKED_PIECES : null
  }

  async encode(texts: readonly string[]): Promise<Tokens[]> {
    if (this.#found.endpoint !== 'tokens') return texts.map(encodeMarked)
    return Promise.all(texts.map((text) => this.#serverTokens(text)))
  }

  /** Throws RemoteError or the signal's reason, after cancelling all requests. */
  generate(
    requests: readonly GenerateRequest[],
    options: SamplingOptions,
    signal?: AbortSignal,
  ): Promise<Completion[][]> {
    return allOrNone(signal, requests, (request, either) => this.#complete(request, options, either))
  }

  async update(): Promise<UpdateMetrics> {
    throw new RemoteError('unsupported', {
      what: `The model “${this.#source.model}” cannot be trained.`,
      why: 'OpenAI-compatible servers sample but cannot train.',
      remedy: 'Switch its training off, or choose a built-in model, a checkpoint or a Tinker server for this role.',
    })
  }

  /** Empty, because the server's model never changes. */
  async saveCheckpoint(): Promise<Uint8Array> {
    return new Uint8Array(0)
  }

  async loadCheckpoint(): Promise<void> {}

  close(): void {
    this.#client.close()
  }

  async #complete(request: GenerateRequest, options: SamplingOptions, signal: AbortSignal): Promise<Completion[]> {
    const { fields } = this.#found
    const prompt = await this.#prompt(request.prompt, signal)
    const call = (count: number, first: number): SampleCall => ({
      model: this.#source.model,
      prompt,
      count,
      seed: deriveSeed(request.seed, first) & LARGEST_SEED,
      temperature: options.temperature,
      topP: options.topP,
      maxTokens: options.maxTokens,
    })
    if (fields.has('n') && !fields.has('seed')) {
      const completions = await this.#ask(call(request.count, 0), signal)
      while (completions.length < request.count)
        completions.push(...(await this.#ask(call(request.count - completions.length, completions.length), signal)))
      return completions.slice(0, request.count)
    }
    // With one seed each, completions do not depend on how many are requested.
    const each = Array.from({ length: request.count }, (_, index) => this.#ask(call(1, index), signal))
    return (await Promise.all(each)).map(([completion]) => completion!)
  }

  /**
   * At least one. Servers refuse a prompt if prompt and `maxTokens` together exceed their context, and only they can count a prompt in
   * words: so half as much is asked for until it fits.
   */
  async #ask(call: SampleCall, signal: AbortSignal): Promise<Completion[]> {
    const { endpoint, fields } = this.#found
    const body = sampleBody(call, fields)
    try {
      if (endpoint === 'chat') {
        const { choices } = await this.#client.json({ path: '/chat/completions', body, schema: ChatAnswer, signal })
        return choices.map(chatCompletion)
      }
      const { choices } = await this.#client.json({ path: '/completions', body, schema: TextAnswer, signal })
      return choices.map((choice) =>
        endpoint === 'tokens' && choice.token_ids ? tokenCompletion(choice, choice.token_ids) : textCompletion(choice),
      )
    } catch (error) {
      if (!saysContextIsFull(error)) throw error
      const maxTokens = Math.floor(call.maxTokens / 2)
      if (maxTokens >= FEWEST_TOKENS) return this.#ask({ ...call, maxTokens }, signal)
      return Array.from({ length: call.count }, fullContext)
    }
  }

  async #prompt(prompt: Tokens, signal: AbortSignal): Promise<SampleCall['prompt']> {
    switch (this.#found.endpoint) {
      case 'tokens':
        return { tokens: Array.from(prompt) }
      case 'chat':
        return { messages: await this.#seen(await this.#pictures.write(messagesOf(prompt)), signal) }
      case 'text':
        // These servers do not return the token that ends a response.
        return { text: decodeMarked(prompt).replaceAll(MARKED_PIECES.responseEnd, '') }
    }
  }

  /** The messages. Throws RemoteError if they have pictures and the model does not see. */
  async #seen(messages: readonly WireMessage[], signal: AbortSignal): Promise<readonly WireMessage[]> {
    const [picture] = picturesIn(messages)
    if (!picture) return messages
    const most = Array.from({ length: MOST_PICTURES }, () => picture)
    this.#sight ??= checkSight(this.#client, this.#source.model, most, signal)
    try {
      await this.#sight
    } catch (error) {
      this.#sight = null
      throw error
    }
    return messages
  }

  async #serverTokens(text: string): Promise<Tokens> {
    const known = this.#remembered.get(text)
    if (known) return known.slice()
    const { tokens } = await tokenize(this.#client, this.#source.model, text, new AbortController().signal)
    const encoded = Int32Array.from(tokens)
    if (this.#remembered.size >= REMEMBERED_TEXTS) this.#remembered.clear()
    this.#remembered.set(text, encoded.slice())
    return encoded
  }

  get #found(): ServerCapabilities {
    if (this.#capabilities === null) throw new Error('The server has not been probed yet; call load first.')
    return this.#capabilities
  }
}

function describe(address: string, { endpoint, fields, contextTokens }: ServerCapabilities): string {
  const ways: Record<ServerCapabilities['endpoint'], string> = {
    tokens: 'token ids in and out',
    chat: 'chat completions',
    text: 'text completions without a chat template',
  }
  const lacks = [
    ...(fields.has('seed') ? [] : ['takes no seed, so samples cannot be repeated']),
    ...(fields.has('logprobs') ? [] : ['gives no log-probabilities, which are 0 in the log']),
  ]
  return [
    `Server at ${new URL(address).host}, ${ways[endpoint]}`,
    ...(contextTokens === null ? [] : [`${contextTokens.toLocaleString('en-GB')} tokens of context`]),
    ...lacks,
  ].join('; ')
}
