/** One completion while it is being sampled, whichever way its logits come. */
import { randomStream, type RandomStream } from '../../language-model/sampling/random-stream.ts'
import type { TokenDistribution } from '../../language-model/sampling/sampler.ts'
import type { Completion, GenerateRequest, SamplingOptions, Tokens } from '../../method/ports.ts'
import type { TokenMatcher } from './webllm-internals.ts'

/** Far below any logit and finite, so that 0 · log 0 stays 0. */
const RULED_OUT = -1e30

export interface RowStart {
  request: GenerateRequest
  requestIndex: number
  /** Of the completion in its request; with the request's seed it is the key of the random stream. */
  index: number
  maxTokens: number
  /** Null where every token is allowed. The row disposes of it. */
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

  /** Draws the next token. Logits [V]; a grammar rules tokens out in place. */
  async draw(logits: Float32Array, distribution: TokenDistribution, sampling: SamplingOptions): Promise<void> {
    if (this.#matcher !== null) ruleOut(logits, await this.#matcher.allowed())
    this.drawFrom(logits, distribution, sampling)
    this.#matcher?.accept(this.lastToken)
  }

  /** The same without the row's grammar. */
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

/** Tokens beyond the mask are ruled out too: logits are padded to a round number of tokens that do not exist. */
export function ruleOut(logits: Float32Array, allowed: Int32Array): void {
  for (let token = 0; token < logits.length; token++)
    if ((((allowed[token >> 5] ?? 0) >>> (token & 31)) & 1) === 0) logits[token] = RULED_OUT
}

/** Minus infinities, as a mask on the GPU leaves them, made finite in place. */
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
