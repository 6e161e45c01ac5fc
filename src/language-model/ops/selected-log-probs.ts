import * as tf from '@tensorflow/tfjs-core'
import { hasKernel, runKernel } from './backend-kernels.ts'

export interface SelectedLogProbs {
  /** [E] log probability of each row's target. */
  logProbs: tf.Tensor1D
  /** [E] entropy in nats of each row's distribution; carries no gradient. */
  entropy: tf.Tensor1D
}

/**
 * What a policy update needs of the output layer, without ever holding its [E, V] logits:
 *
 *     z = hidden · headᵀ / T,   logProbs_e = z_{e, t_e} − logsumexp(z_e),   entropy_e = logsumexp(z_e) − Σ_v p_ev z_ev
 *     dz_ev = g_e (1[v = t_e] − p_ev)
 *
 * hidden[E, d], head[V, d], targets[E]; the head must live until the gradient is taken. In the kernels rows go through in chunks and
 * the backward pass recomputes each chunk's logits. The composition is the plain one, logits and all, as the reference that they are
 * tested against; both backends that a person can choose have the kernels.
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
    // One row of log probabilities and one of entropies, because a custom gradient has a single output.
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
  // A frozen output layer is no input, so that nobody makes room for a gradient of its size.
  return (needsHeadGradient ? fused(hidden, head) : fused(hidden)) as tf.Tensor2D
}

/** A variable marked as not trainable is frozen: its gradient, a third of the work here, is left out. */
function isTrained(weight: tf.Tensor): boolean {
  return !(weight instanceof tf.Variable) || weight.trainable
}
