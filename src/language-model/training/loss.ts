/**
 * The policy loss of RLAnything's trainers, on the log-probabilities of response tokens (alfworld_train.py:449-495):
 *
 *     d = clamp(log π - log π_old, ±10),   ρ = e^d
 *     pg = -min(ρ A, clip(ρ, 1 - low, 1 + high) A)
 *     kl = d (k1)   or   ½ d² (k2)   or   e^-d - 1 + d (k3)       against the sampling policy
 *     loss = Σ_e w_e (ι_e pg_e + β kl_e)                         w from the aggregation, below; ι from sampler-mismatch.ts, or 1
 *
 * The KL is a loss here, not a reward: k1's expected gradient is then zero, k2's is the right one on policy, k3's is biased but
 * never negative. No dual clip, no entropy bonus, no value function.
 */
import * as tf from '@tensorflow/tfjs-core'
import type { KlEstimator, LossAggregation } from '../../method/settings.ts'

const LOG_RATIO_LIMIT = 10

/** Divisor of 'seq-mean-token-sum-norm' (Dr. GRPO): a constant, so that no token's weight depends on the lengths in the batch. */
export const TOKEN_SUM_NORM = 128

export interface PolicyLossOptions {
  clipRatioLow: number
  clipRatioHigh: number
  klCoefficient: number
  klEstimator: KlEstimator
}

export interface PolicyLossEntries {
  /** [E] each */
  oldLogProbs: Float32Array
  advantages: Float32Array
  weights: Float32Array
  /** Importance weights, if another program sampled. */
  importance?: Float32Array
}

export interface PolicyLoss {
  loss: tf.Scalar
  /** [4]: Σ w ι pg, Σ w kl, Σ (log π_old - log π), number of clipped tokens. */
  sums: tf.Tensor1D
}

/** The gradient flows through logProbs[E]. */
export function policyLoss(logProbs: tf.Tensor1D, entries: PolicyLossEntries, options: PolicyLossOptions): PolicyLoss {
  const { clipRatioLow, clipRatioHigh, klCoefficient } = options
  const advantages = tf.tensor1d(entries.advantages)
  const weights = tf.tensor1d(entries.weights)
  const difference = tf.sub<tf.Tensor1D>(logProbs, tf.tensor1d(entries.oldLogProbs))
  const logRatio = tf.clipByValue<tf.Tensor1D>(difference, -LOG_RATIO_LIMIT, LOG_RATIO_LIMIT)
  const ratio = tf.exp(logRatio)
  const plain = tf.mul(ratio, advantages)
  const clipped = tf.mul(tf.clipByValue(ratio, 1 - clipRatioLow, 1 + clipRatioHigh), advantages)
  const corrected = entries.importance ? tf.mul(weights, tf.tensor1d(entries.importance)) : weights
  const policyGradient = tf.neg<tf.Scalar>(tf.sum(tf.mul(corrected, tf.minimum(plain, clipped))))
  const divergence = tf.sum<tf.Scalar>(tf.mul(weights, klEstimate(logRatio, options.klEstimator)))
  const isClipped = tf.cast(tf.less(clipped, plain), 'float32')
  return {
    loss: tf.add<tf.Scalar>(policyGradient, tf.mul(divergence, klCoefficient)),
    sums: tf.stack([policyGradient, divergence, tf.neg(tf.sum(difference)), tf.sum(isClipped)]) as tf.Tensor1D,
  }
}

function klEstimate(logRatio: tf.Tensor1D, estimator: KlEstimator): tf.Tensor1D {
  switch (estimator) {
    case 'k1':
      return logRatio
    case 'k2':
      return tf.mul(tf.square(logRatio), 0.5)
    case 'k3':
      return tf.add(tf.sub(tf.exp(tf.neg(logRatio)), 1), logRatio)
  }
}

/**
 * Weight of one token of each example, so that Σ_tokens w · l is the aggregate over the examples of an optimiser step:
 *
 *     token-mean               1 / Σ lengths
 *     seq-mean-token-mean      1 / (examples · length)          the released code
 *     seq-mean-token-sum       1 / examples
 *     seq-mean-token-sum-norm  1 / (examples · TOKEN_SUM_NORM)
 *
 * A sequence is one example, that is, one response. Examples without tokens do not count.
 */
export function aggregationWeights(lengths: readonly number[], aggregation: LossAggregation): number[] {
  const examples = lengths.filter((length) => length > 0).length
  const tokens = lengths.reduce((sum, length) => sum + length, 0)
  return lengths.map((length) => {
    if (length === 0) return 0
    switch (aggregation) {
      case 'token-mean':
        return 1 / tokens
      case 'seq-mean-token-mean':
        return 1 / (examples * length)
      case 'seq-mean-token-sum':
        return 1 / examples
      case 'seq-mean-token-sum-norm':
        return 1 / (examples * TOKEN_SUM_NORM)
    }
  })
}
