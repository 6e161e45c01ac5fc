/**
 * What an update knows of a sampler that is another program than the trainer. Other kernels and number types give the same
 * weights slightly other probabilities, so that samples are off policy before a step is made (Yao et al., 2025, "Your efficient
 * RL framework secretly brings you off-policy RL training"):
 *
 *     d = log π_trainer - log π_sampler      of each token, both with the weights that it was sampled with
 *     w = min(e^d, C)                        truncated importance sampling, token by token (verl: rollout_is token, threshold C)
 *     mismatch_kl = mean (e^d - 1 - d)       k3 of KL(π_sampler ‖ π_trainer), for the tokens are the sampler's
 *
 * The ratio of PPO is taken against the trainer's own log-probabilities, as released (alfworld_train.py:362-420), and w, which the
 * release does without, multiplies its surrogate; neither carries a gradient.
 */

/** Beyond this a log-ratio says no more than that the models have nothing in common; verl's bound. */
const LOG_RATIO_LIMIT = 20

/** w of each token. `cap` is C, above 0. Both [tokens]. */
export function importanceWeights(
  trainerLogProbs: Float32Array,
  samplerLogProbs: Float32Array,
  cap: number,
): Float32Array {
  return trainerLogProbs.map((logProb, i) => Math.min(Math.exp(logRatio(logProb, samplerLogProbs[i]!)), cap))
}

/** Sum over the tokens, to be divided by their number. Both [tokens]. */
export function mismatchSum(trainerLogProbs: Float32Array, samplerLogProbs: Float32Array): number {
  return trainerLogProbs.reduce((sum, logProb, i) => {
    const d = logRatio(logProb, samplerLogProbs[i]!)
    // e^d - 1 loses all its digits where the two all but agree, which is the usual case.
    return sum + Math.expm1(d) - d
  }, 0)
}

function logRatio(trainer: number, sampler: number): number {
  return Math.min(LOG_RATIO_LIMIT, Math.max(-LOG_RATIO_LIMIT, trainer - sampler))
}
