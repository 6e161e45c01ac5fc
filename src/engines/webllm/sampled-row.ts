/** One completion while it is sampled, by either sampler. */
import { randomStream, type RandomStream } from '../../language-model/sampling/random-stream.ts'
import type { TokenDistribution } from '../../language-model/sampling/sampler.ts'
import type { Completion, GenerateRequest, SamplingOptions, Tokens } from '../../method/ports.ts'
import type { TokenMatcher } from './webllm-internals.ts'

/** Far below any logit but finite, so that 0 · log 0 stays 0. */
const RULED_OUT = -1e30

export interface RowStart {
  request: GenerateRequest
  requestIndex: number
  /** Index of the completion in its request; together with the request's seed, the key of its random stream. */
  index: number
  maxTokens: number
  /** Null if every token is allowed. The row disposes it. */
  matcher: TokenMatcher | null
}

export class SampledRow {
  readonly requestIndex: number
  readonly index: number
  readonly #maxTokens: number
  readonly #stream: RandomStream
  readonly #matcher: TokenMatcher | null
  readonly #tokens: number[] = []
  readonly #logProbs: number[] = []
  readonly #entropies: number[] = []

  constructor({ request, requestIndex, index, maxTokens, matcher }: RowStart) {
    this.requestIndex = requestIndex
    this.index = index
    this.#maxTokens = maxTokens
    this.#matcher = matcher
    this.#stream = randomStream(request.seed, index)
  }

  get lastToken(): number {
    return this.#tokens.at(-1)!
  }

  /** Draws the next token from logits [V]; a grammar excludes tokens in place. */
  async draw(logits: Float32Array, distribution: TokenDistribution, sampling: SamplingOptions): Promise<void> {
    if (this.#matcher !== null) ruleOut(logits, await this.#matcher.allowed())
    this.drawFrom(logits, distribution, sampling)
    this.#matcher?.accept(this.lastToken)
  }

  /** Likewise without the row's grammar. */
  drawFrom(logits: Float32Array, distribution: TokenDistribution, { temperature, topP }: SamplingOptions): void {
    distribution.read(logits, 0, temperature)
    const token = distribution.draw(topP, this.#stream)
    this.#tokens.push(token)
    this.#logProbs.push(distribution.logProb(token))
    this.#entropies.push(distribution.entropy)
  }

  isFinished(stopTokens: ReadonlySet<number>): boolean {
    return stopTokens.has(this.lastToken) || this.#tokens.length >= this.#maxTokens
  }

  completion(stopTokens: ReadonlySet<number>, decode: (tokens: Tokens) => string): Completion {
    const tokens = Int32Array.from(this.#tokens)
    const isStopped = stopTokens.has(this.lastToken)
    return {
      tokens,
      logProbs: Float32Array.from(this.#logProbs),
      entropies: Float32Array.from(this.#entropies),
      text: decode(isStopped ? tokens.subarray(0, -1) : tokens),
      finishReason: isStopped ? 'stop' : 'length',
    }
  }

  dispose(): void {
    this.#matcher?.dispose()
  }
}

/** Excludes tokens beyond the mask too: logits are padded with tokens that do not exist. */
export function ruleOut(logits: Float32Array, allowed: Int32Array): void {
  for (let token = 0; token < logits.length; token++)
    if ((((allowed[token >> 5] ?? 0) >>> (token & 31)) & 1) === 0) logits[token] = RULED_OUT
}

/** Replaces minus infinities, which a mask on the GPU leaves, in place. */
export function makeFinite(logits: Float32Array): void {
  for (let token = 0; token < logits.length; token++) if (logits[token]! < RULED_OUT) logits[token] = RULED_OUT
}

/** log p(token i | tokens before it) at `temperature`, from the row of logits after token i − 1. */
export function logProbOf(
  token: number,
  logits: Float32Array,
  distribution: TokenDistribution,
  temperature: number,
): number {
  distribution.read(logits, 0, temperature)
  return distribution.logProb(token)
}
