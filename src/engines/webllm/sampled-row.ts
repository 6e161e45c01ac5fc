/** One completion while it is sampled, with the grammar that it has to follow, and what both samplers do with logits. */
import { Draft, type DraftStart } from '../../language-model/sampling/draft.ts'
import type { TokenDistribution } from '../../language-model/sampling/sampler.ts'
import type { SamplingOptions } from '../../method/ports.ts'
import type { TokenMatcher } from './webllm-internals.ts'

/** Far below any logit but finite, so that 0 · log 0 stays 0. */
const RULED_OUT = -1e30

export class SampledRow {
  readonly draft: Draft
  readonly #matcher: TokenMatcher | null

  /** `matcher` is null if every token is allowed. The row disposes it. */
  constructor(start: DraftStart, matcher: TokenMatcher | null) {
    this.draft = new Draft(start)
    this.#matcher = matcher
  }

  /** Draws the next token from logits [V]; a grammar excludes tokens in place. */
  async draw(logits: Float32Array, distribution: TokenDistribution, sampling: SamplingOptions): Promise<void> {
    if (this.#matcher !== null) ruleOut(logits, await this.#matcher.allowed())
    drawFrom(logits, distribution, this.draft, sampling)
    this.#matcher?.accept(this.draft.lastToken)
  }

  dispose(): void {
    this.#matcher?.dispose()
  }
}

export function drawFrom(
  logits: Float32Array,
  distribution: TokenDistribution,
  draft: Draft,
  { temperature, topP }: SamplingOptions,
): void {
  distribution.read(logits, 0, temperature)
  draft.draw(distribution, topP)
}

/** Excludes tokens beyond the mask too: logits are padded with tokens that do not exist. */
function ruleOut(logits: Float32Array, allowed: Int32Array): void {
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
