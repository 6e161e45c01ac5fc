import * as tf from '@tensorflow/tfjs-core'
import { hasKernel, runKernel } from './backend-kernels.ts'

export interface SelectedLogProbs {
  /** [E] log probability of each row's target. */
  logProbs: tf.Tensor1D
  /** [E] entropy in nats of each row's distribution; carries no gradient. */
  entropy: tf.Tensor1D
}

/**
 * What a policy update needs from the output layer, without ever holding all [E, V] logits:
 *
 *     z = hidden · headᵀ / T,   logProbs_e = z_{e, t_e} − logsumexp(z_e),   entropy_e = logsumexp(z_e) − Σ_v p_ev z_ev
 *     dz_ev = g_e (1[v = t_e] − p_ev)
 *
 * hidden[E, d], head[V, d], targets[E]; the head must live until the gradient is taken. The kernels process rows in chunks, and the
 * backward pass recomputes each chunk's logits. Both backends that users choose have the kernels; the composition below is their
 * reference in tests.
 */
export function selectedLogProbs(
  hidden: tf.Tensor2D,
  head: tf.Tensor2D,
  targets: Int32Array,
  temperature: number,
): SelectedLogProbs {
  const rows = hidden.shape[0]
  if (rows === 0) return { logProbs: tf.zeros([0]), entropy: tf.zeros([0]) }
  return tf.tidy(() => {
    // Log probabilities and entropies are two rows of one tensor, because a custom gradient has a single output.
    const both = hasKernel('SelectedLogProbs')
      ? fusedSelectedLogProbs(hidden, head, targets, temperature)
      : plainSelectedLogProbs(hidden, head, targets, temperature)
    return {
      logProbs: tf.reshape<tf.Rank.R1>(tf.slice(both, [0, 0], [1, rows]), [rows]),
      entropy: tf.reshape<tf.Rank.R1>(tf.slice(both, [1, 0], [1, rows]), [rows]),
    }
  })
}

function withoutGradient<T extends tf.Tensor>(x: T): T {
  return tf.customGrad((input) => ({ value: tf.clone(input as tf.Tensor), gradFunc: (dy) => tf.zerosLike(dy) }))(x) as T
}

function plainSelectedLogProbs(
  hidden: tf.Tensor2D,
  head: tf.Tensor2D,
  targets: Int32Array,
  temperature: number,
): tf.Tensor2D {
  const logProbabilities = tf.logSoftmax(tf.div<tf.Tensor2D>(tf.matMul(hidden, head, false, true), temperature))
  const chosen = tf.sum(tf.mul(logProbabilities, tf.oneHot(tf.tensor1d(targets, 'int32'), head.shape[0])), 1)
  const entropy = tf.neg(tf.sum(tf.mul(tf.exp(logProbabilities), logProbabilities), 1))
  return tf.stack([chosen, withoutGradient(entropy)]) as tf.Tensor2D
}

function fusedSelectedLogProbs(
  hidden: tf.Tensor2D,
  head: tf.Tensor2D,
  targets: Int32Array,
  temperature: number,
): tf.Tensor2D {
  const needsHeadGradient = isTrained(head)
  const fused = tf.customGrad((...args) => {
    const h = args[0] as tf.Tensor2D
    const save = args.at(-1) as unknown as tf.GradSaveFunc
    const [both, logSumExp] = runKernel<tf.Tensor[]>('SelectedLogProbs', { hidden: h, head }, { targets, temperature })
    save([h, logSumExp!])
    return {
      value: both!,
      gradFunc: (dy, saved) =>
        runKernel<tf.Tensor[]>(
          'SelectedLogProbsGradient',
          { dy, hidden: saved[0]!, head, logSumExp: saved[1]! },
          { targets, temperature, needsHeadGradient },
        ),
    }
  })
  // A frozen output layer is not passed as an input, so that no gradient of its size is allocated.
  return (needsHeadGradient ? fused(hidden, head) : fused(hidden)) as tf.Tensor2D
}

/** False for a frozen variable, whose gradient, a third of the work here, is skipped. */
function isTrained(weight: tf.Tensor): boolean {
  return !(weight instanceof tf.Variable) || weight.trainable
}
