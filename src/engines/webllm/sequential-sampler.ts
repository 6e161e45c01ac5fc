/**
 * Samples with WebLLM's public interface: one completion after the other, reading the prompt again for each. A logit processor
 * gets every row of logits, draws with our own sampler, and leaves WebLLM a single token to choose; so tokens,
 * log-probabilities, entropies and random streams equal those of the batched sampler.
 *
 * Grammars require chats. The model is loaded with an empty template, so that a chat of one message is the message itself. It is
 * passed as text, and a prompt whose text encodes to different tokens is refused.
 */
import { Draft } from '../../language-model/sampling/draft.ts'
import { TokenDistribution } from '../../language-model/sampling/sampler.ts'
import type { Completion, GenerateRequest, SamplingOptions, Tokens } from '../../method/ports.ts'
import { roomFor, type Sampler, type SamplerOptions } from './sampler.ts'
import { drawFrom, logProbOf, makeFinite } from './sampled-row.ts'
import type { LogitProcessor, PublicEngine, ResponseFormat } from './surface.ts'

export interface SequentialOptions {
  modelId: string
  contextWindow: number
  stopTokens: ReadonlySet<number>
  encode: (text: string) => Tokens
  decode: (tokens: Tokens) => string
}

export class PromptTextError extends Error {
  override name = 'PromptTextError'
}

type Choose = (logits: Float32Array) => number

/** WebLLM's hook. Registered before a model is loaded, and inactive until a sampler uses it. */
export class SamplingProcessor implements LogitProcessor {
  choose: Choose | null = null
  chosen = -1
  /** What `choose` threw. Kept, because WebLLM would swallow it or get into an invalid state. */
  failure: Error | null = null

  processLogits(logits: Float32Array): Float32Array {
    if (this.choose === null) return logits
    makeFinite(logits)
    try {
      this.chosen = this.choose(logits)
    } catch (error) {
      this.failure ??= error as Error
      this.chosen = 0
    }
    const forced = new Float32Array(logits.length).fill(-1e9)
    forced[this.chosen] = 0
    return forced
  }

  processSampledToken(): void {}
  resetState(): void {}
}

export class SequentialSampler implements Sampler {
  readonly #engine: PublicEngine
  readonly #processor: SamplingProcessor
  readonly #options: SequentialOptions
  #distribution: TokenDistribution | null = null

  constructor(engine: PublicEngine, processor: SamplingProcessor, options: SequentialOptions) {
    this.#engine = engine
    this.#processor = processor
    this.#options = options
  }

  async generate(
    requests: readonly GenerateRequest[],
    options: SamplerOptions,
    signal?: AbortSignal,
  ): Promise<Completion[][]> {
    const { contextWindow, stopTokens, decode } = this.#options
    const rooms = requests.map(({ prompt }) => roomFor(prompt, options.maxTokens, contextWindow))
    const completions: Completion[][] = requests.map(() => [])
    for (const [requestIndex, request] of requests.entries()) {
      for (let index = 0; index < request.count; index++) {
        signal?.throwIfAborted()
        const maxTokens = rooms[requestIndex]!
        const draft = new Draft({ request, requestIndex, index, maxTokens })
        const draw = this.#drawFor(draft, options)
        if (options.format) await this.#chat(request.prompt, maxTokens, options.format, draw, signal)
        else await this.#forward(request.prompt, () => draft.isFinished(stopTokens), draw, signal)
        completions[requestIndex]!.push(draft.completion(stopTokens, decode))
      }
    }
    return completions
  }

  async score(sequences: readonly Tokens[], temperature: number, signal?: AbortSignal): Promise<Float32Array[]> {
    const scores: Float32Array[] = []
    for (const tokens of sequences) {
      roomFor(tokens, 1, this.#options.contextWindow)
      const scored = new Float32Array(tokens.length - 1)
      let at = 0
      if (scored.length > 0)
        await this.#forward(
          tokens.slice(0, 1),
          () => at === scored.length,
          (logits) => {
            const next = tokens[at + 1]!
            scored[at++] = logProbOf(next, logits, this.#distributionOf(logits), temperature)
            return next
          },
          signal,
        )
      scores.push(scored)
    }
    return scores
  }

  dispose(): void {
    this.#processor.choose = null
  }

  #drawFor(draft: Draft, sampling: SamplingOptions): Choose {
    return (logits) => {
      drawFrom(logits, this.#distributionOf(logits), draft, sampling)
      return draft.lastToken
    }
  }

  /** Tokens in, tokens out. */
  async #forward(prompt: Tokens, isDone: () => boolean, choose: Choose, signal?: AbortSignal): Promise<void> {
    const { modelId } = this.#options
    await this.#choosing(choose, async () => {
      await this.#engine.resetChat(false, modelId)
      let read = Array.from(prompt)
      for (let isPrompt = true; isPrompt || !isDone(); isPrompt = false) {
        signal?.throwIfAborted()
        const token = await this.#engine.forwardTokensAndSample(read, isPrompt, modelId)
        this.#check(token)
        read = [token]
      }
    })
  }

  async #chat(
    prompt: Tokens,
    maxTokens: number,
    format: ResponseFormat,
    choose: Choose,
    signal?: AbortSignal,
  ): Promise<void> {
    const { modelId, encode, decode } = this.#options
    const content = decode(prompt)
    if (encode(content).join() !== prompt.join())
      throw new PromptTextError(
        'A prompt encodes to different tokens after decoding, but a grammar requires a prompt as text if WebLLM’s internals are unavailable. Use the model without a grammar, or the WebLLM version that this project pins.',
      )
    await this.#choosing(choose, async () => {
      // Otherwise a chat that continues the previous one would reuse its cache.
      await this.#engine.resetChat(false, modelId)
      signal?.throwIfAborted()
      const interrupt = () => void this.#engine.interruptGenerate()
      signal?.addEventListener('abort', interrupt, { once: true })
      try {
        await this.#engine.chat.completions.create({
          model: modelId,
          messages: [{ role: 'user', content }],
          response_format: format,
          max_tokens: maxTokens,
          temperature: 1,
          top_p: 1,
          stream: false,
        })
        signal?.throwIfAborted()
      } finally {
        signal?.removeEventListener('abort', interrupt)
      }
    })
  }

  async #choosing(choose: Choose, job: () => Promise<void>): Promise<void> {
    this.#processor.choose = choose
    this.#processor.failure = null
    try {
      await job()
      this.#throwFailure()
    } catch (error) {
      // What WebLLM throws after a failure of ours is a consequence of it.
      this.#throwFailure()
      throw error
    } finally {
      this.#processor.choose = null
    }
  }

  #check(token: number): void {
    this.#throwFailure()
    if (token === this.#processor.chosen) return
    throw new Error(
      `WebLLM sampled token ${token} although only ${this.#processor.chosen} was allowed. This version ignores its logit processor; use the version that this project pins.`,
    )
  }

  #throwFailure(): void {
    const { failure } = this.#processor
    if (failure !== null) throw failure
  }

  #distributionOf(logits: Float32Array): TokenDistribution {
    return (this.#distribution ??= new TokenDistribution(logits.length))
  }
}
