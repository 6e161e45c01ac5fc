/**
 * Our loss (language-model/training/loss.ts) in terms of Tinker's API. A token's only weight is its advantage, and a server sums
 *
 *     Σ_t -min(ρ_t a_t, clip(ρ_t) a_t)       "ppo", ρ_t = π / π_old
 *     Σ_t -ρ_t a_t                           "importance_sampling"
 *
 * or takes means. So a_t contains the weight w of the aggregation, a factor that undoes the server's means, and the importance
 * weight ι ≥ 0: constants that pass through min. The API has no KL term; to add one, the loss is linearised around the current
 * weights, whose log-probabilities are requested first:
 *
 *     a_t = -∂loss/∂(log π_t) = w (ι ρ A [not clipped] - β kl'(d)),     d = log π_t - log π_old
 *     kl' = 1 (k1),   d (k2),   1 - e^-d (k3)
 *
 * and passed to "importance_sampling" with ρ = 1. The gradient equals that of our loss, up to the server's precision.
 */
import { aggregationWeights } from '../../language-model/training/loss.ts'
import type { TrainingExample, UpdateOptions } from '../../method/ports.ts'
import type { LossReduction } from './tinker-client.ts'
import { floats, integers, modelInput } from './wire.ts'

/** Ratios beyond this have no gradient, as in our own loss. */
const LOG_RATIO_LIMIT = 10

export interface TokenTerms {
  /** w ι pg and w kl, as in UpdateMetrics. */
  policyGradient: number
  divergence: number
  isClipped: boolean
  /** a_t of the linearised loss. */
  coefficient: number
}

export function tokenTerms(
  logProb: number,
  { oldLogProb, advantage, weight, importance }: { oldLogProb: number; advantage: number; weight: number; importance: number }, // prettier-ignore
  { clipRatioLow, clipRatioHigh, klCoefficient, klEstimator }: UpdateOptions,
): TokenTerms {
  const difference = logProb - oldLogProb
  const d = Math.min(LOG_RATIO_LIMIT, Math.max(-LOG_RATIO_LIMIT, difference))
  const ratio = Math.exp(d)
  const plain = ratio * advantage
  const clipped = Math.min(1 + clipRatioHigh, Math.max(1 - clipRatioLow, ratio)) * advantage
  const isClipped = clipped < plain
  const hasGradient = d === difference
  const [kl, slope] =
    klEstimator === 'k1' ? [d, 1] : klEstimator === 'k2' ? [d ** 2 / 2, d] : [Math.expm1(-d) + d, -Math.expm1(-d)]
  return {
    policyGradient: -weight * importance * Math.min(plain, clipped),
    divergence: weight * kl,
    isClipped,
    coefficient: hasGradient ? weight * ((isClipped ? 0 : importance * plain) - klCoefficient * slope) : 0,
  }
}

/** Factors that undo the server's means and apply the aggregation's weight, for each example of one optimiser step. */
export function exampleWeights(
  examples: readonly TrainingExample[],
  { lossAggregation }: Pick<UpdateOptions, 'lossAggregation'>,
): number[] {
  return aggregationWeights(
    examples.map(({ response }) => response.length),
    lossAggregation,
  )
}

export function undoReduction(
  { prompt, response }: TrainingExample,
  examplesInStep: number,
  reduction: LossReduction,
): number {
  return reduction === 'sum' ? 1 : examplesInStep * targets(prompt.length, response.length)
}

/**
 * An example as a datum. The model reads all but the last token and predicts the next one at each position, so values of the
 * response begin one position before it; positions of the prompt are 0. Both values have shape [response.length].
 */
export function datum(
  { prompt, response }: Pick<TrainingExample, 'prompt' | 'response'>,
  logProbs: ArrayLike<number>,
  advantages: ArrayLike<number>,
): object {
  const tokens = [...prompt, ...response]
  const zeros = new Array<number>(prompt.length - 1).fill(0)
  return {
    model_input: modelInput(tokens.slice(0, -1)),
    loss_fn_inputs: {
      target_tokens: integers(tokens.slice(1)),
      logprobs: floats([...zeros, ...Array.from(logProbs)]),
      advantages: floats([...zeros, ...Array.from(advantages)]),
    },
  }
}

/** The values at the positions of the response. */
export function ofResponse(values: readonly number[], { prompt, response }: TrainingExample): Float32Array | null {
  return values.length === targets(prompt.length, response.length)
    ? Float32Array.from(values.slice(prompt.length - 1))
    : null
}

function targets(promptTokens: number, responseTokens: number): number {
  return promptTokens + responseTokens - 1
}
