/**
 * Corrects for a sampler that is another program than the trainer. Its kernels and number types give the same weights slightly
 * different probabilities, so samples are off-policy before the first step (Yao et al., 2025, "Your efficient RL framework
 * secretly brings you off-policy RL training"):
 *
 *     d = log π_trainer - log π_sampler      for each token, both with the weights at sampling time
 *     w = min(e^d, C)                        truncated importance sampling, token by token (verl: rollout_is token, threshold C)
 *     mismatch_kl = mean (e^d - 1 - d)       k3 estimate of KL(π_sampler ‖ π_trainer), as the tokens are the sampler's
 *
 * PPO's ratio uses the trainer's own log-probabilities, as in the released code (alfworld_train.py:362-420). w, which the release
 * does not have, multiplies the surrogate. Neither carries a gradient.
 */
import type { TrainingExample } from '../../method/ports.ts'

/** An example with the log-probabilities that ratios compare with. */
export interface ComparedExample extends TrainingExample {
  /** w of each token; [response.length]. */
  importance?: Float32Array
}

/** Examples with the trainer's own log-probabilities ([example][response.length]), and weights if there is a cap C above 0. */
export function comparedWithSampler(
  examples: readonly TrainingExample[],
  own: readonly Float32Array[],
  cap = 0,
): { examples: ComparedExample[]; mismatch: number } {
  let sum = 0
  let tokens = 0
  const compared = examples.map((example, i): ComparedExample => {
    sum += mismatchSum(own[i]!, example.oldLogProbs)
    tokens += example.response.length
    return {
      ...example,
      oldLogProbs: own[i]!,
      ...(cap > 0 && { importance: importanceWeights(own[i]!, example.oldLogProbs, cap) }),
    }
  })
  return { examples: compared, mismatch: sum / tokens }
}

/** verl's bound: beyond it, a log-ratio only says that the models have nothing in common. */
const LOG_RATIO_LIMIT = 20

/** w of each token. `cap` is C, above 0. Both [tokens]. */
export function importanceWeights(
  trainerLogProbs: Float32Array,
  samplerLogProbs: Float32Array,
  cap: number,
): Float32Array {
  return trainerLogProbs.map((logProb, i) => Math.min(Math.exp(logRatio(logProb, samplerLogProbs[i]!)), cap))
}

/** Sum of mismatch_kl's terms over the tokens. Both [tokens]. */
export function mismatchSum(trainerLogProbs: Float32Array, samplerLogProbs: Float32Array): number {
  return trainerLogProbs.reduce((sum, logProb, i) => {
    const d = logRatio(logProb, samplerLogProbs[i]!)
    // expm1, because e^d - 1 loses all its digits when the two nearly agree, the usual case.
    return sum + Math.expm1(d) - d
  }, 0)
}

function logRatio(trainer: number, sampler: number): number {
  return Math.min(LOG_RATIO_LIMIT, Math.max(-LOG_RATIO_LIMIT, trainer - sampler))
}
