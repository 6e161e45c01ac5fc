import * as tf from '@tensorflow/tfjs-core'
import { hasKernel, runKernel } from './backend-kernels.ts'
import { gatherRows } from './gather-rows.ts'

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
 * hidden[E, d], head[V, d], targets[E]. Rows go through in chunks and the backward pass recomputes each chunk's logits. The
 * composition on tfjs `cpu` is the plain one, logits and all, as the reference that the others are tested against.
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
      : tf.getBackend() === 'cpu'
        ? plainSelectedLogProbs(hidden, head, targets, temperature)
        : chunkedSelectedLogProbs(hidden, head, targets, temperature)
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
    const [h, w, save] = args as unknown as [tf.Tensor2D, tf.Tensor2D, tf.GradSaveFunc]
    const [both, logSumExp] = runKernel<tf.Tensor[]>(
      'SelectedLogProbs',
      { hidden: h, head: w },
      { targets, temperature },
    )
    save([h, w, logSumExp!])
    return {
      value: both!,
      gradFunc: (dy, saved) =>
        runKernel<tf.Tensor[]>(
          'SelectedLogProbsGradient',
          { dy, hidden: saved[0]!, head: saved[1]!, logSumExp: saved[2]! },
          { targets, temperature, needsHeadGradient },
        ),
    }
  })
  return fused(hidden, head) as tf.Tensor2D
}

/** A variable marked as not trainable is frozen; its gradient, a third of the work here, is then answered with zeros. */
function isTrained(weight: tf.Tensor): boolean {
  return !(weight instanceof tf.Variable) || weight.trainable
}

/** Logits alive at once, in elements: 64 MB. */
const CHUNK_ELEMENTS = 1 << 24

function chunkedSelectedLogProbs(
  hidden: tf.Tensor2D,
  head: tf.Tensor2D,
  targets: Int32Array,
  temperature: number,
): tf.Tensor2D {
  const [rows, width] = hidden.shape
  const chunk = Math.max(1, Math.floor(CHUNK_ELEMENTS / head.shape[0]))
  const needsHeadGradient = isTrained(head)
  const chunks = Array.from({ length: Math.ceil(rows / chunk) }, (_, i) => ({
    start: i * chunk,
    size: Math.min(chunk, rows - i * chunk),
  }))
  const targetsOf = (start: number, size: number) => targets.subarray(start, start + size)

  const chunked = tf.customGrad((...args) => {
    const [h, w, save] = args as unknown as [tf.Tensor2D, tf.Tensor2D, tf.GradSaveFunc]
    const parts = chunks.map(({ start, size }) =>
      tf.tidy(() => {
        const slice = tf.slice(h, [start, 0], [size, width])
        const logits = tf.div(tf.matMul(slice, w, false, true), temperature)
        const logSumExp = tf.logSumExp(logits, 1)
        const target = tf.div(tf.sum(tf.mul(slice, gatherRows(w, targetsOf(start, size))), 1), temperature)
        const probabilities = tf.exp(tf.sub(logits, tf.expandDims(logSumExp, 1)))
        return tf.stack([
          tf.sub(target, logSumExp),
          tf.sub(logSumExp, tf.sum(tf.mul(probabilities, logits), 1)),
          logSumExp,
        ]) as tf.Tensor2D
      }),
    )
    const all = tf.concat(parts, 1)
    save([h, w, tf.slice(all, [2, 0], [1, rows])])
    return {
      value: tf.slice(all, [0, 0], [2, rows]),
      gradFunc: (dy, saved) =>
        tf.tidy(() => {
          const [sh, sw, lse] = saved as [tf.Tensor2D, tf.Tensor2D, tf.Tensor2D]
          let headGradient: tf.Tensor2D = tf.zerosLike(sw)
          const hiddenGradients = chunks.map(({ start, size }) =>
            tf.tidy(() => {
              const slice = tf.slice(sh, [start, 0], [size, width])
              const upstream = tf.div(
                tf.reshape(tf.slice(dy as tf.Tensor2D, [0, start], [1, size]), [size, 1]),
                temperature,
              )
              const logits = tf.div(tf.matMul(slice, sw, false, true), temperature)
              const pull = tf.mul<tf.Tensor2D>(
                tf.exp(tf.sub(logits, tf.reshape(tf.slice(lse, [0, start], [1, size]), [size, 1]))),
                upstream,
              )
              const ids = targetsOf(start, size)
              if (needsHeadGradient) {
                const previous = headGradient
                const push = tf.unsortedSegmentSum(tf.mul(slice, upstream), tf.tensor1d(ids, 'int32'), sw.shape[0])
                headGradient = tf.keep(tf.add<tf.Tensor2D>(previous, tf.sub(push, tf.matMul(pull, slice, true, false))))
                previous.dispose()
              }
              return tf.sub<tf.Tensor2D>(tf.mul(gatherRows(sw, ids), upstream), tf.matMul(pull, sw))
            }),
          )
          const kept = headGradient
          return [tf.concat(hiddenGradients, 0), releaseToScope(kept)]
        }),
    }
  })
  return chunked(hidden, head) as tf.Tensor2D
}

/** Hands a kept tensor back to the surrounding tidy. */
function releaseToScope(x: tf.Tensor2D): tf.Tensor2D {
  const scoped = tf.clone(x)
  x.dispose()
  return scoped
}
