/** A completion being sampled: its tokens so far. */
import type { Completion, GenerateRequest, Tokens } from '../../method/ports.ts'
import { randomStream, type RandomStream } from './random-stream.ts'
import type { DrawnToken } from '../ops/draw-tokens.ts'
import { LogitsError, type TokenDistribution } from './sampler.ts'

export interface DraftStart {
  request: GenerateRequest
  requestIndex: number
  /** Index among the completions of the request; together with the request's seed, the key of its random stream. */
  index: number
  maxTokens: number
}

export class Draft {
  readonly requestIndex: number
  readonly index: number
  readonly #maxTokens: number
  readonly #stream: RandomStream
  readonly #tokens: number[] = []
  readonly #logProbs: number[] = []
  readonly #entropies: number[] = []

  constructor({ request, requestIndex, index, maxTokens }: DraftStart) {
    this.requestIndex = requestIndex
    this.index = index
    this.#maxTokens = maxTokens
    this.#stream = randomStream(request.seed, index)
  }

  get lastToken(): number {
    return this.#tokens[this.#tokens.length - 1]!
  }

  /** The most tokens that are still to be run: not the very last one, which nothing follows. */
  get mostToRun(): number {
    return this.#maxTokens - this.#tokens.length
  }

  draw(distribution: TokenDistribution, topP: number): void {
    const token = distribution.draw(topP, this.#stream)
    this.take({ token, logProb: distribution.logProb(token), entropy: distribution.entropy })
  }

  /** The next number of its random stream, for `drawTokens`. */
  nextNumber(): number {
    return this.#stream()
  }

  take({ token, logProb, entropy }: DrawnToken): void {
    if (!Number.isFinite(logProb)) throw new LogitsError()
    this.#tokens.push(token)
    this.#logProbs.push(logProb)
    this.#entropies.push(entropy)
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
}
