import * as tf from '@tensorflow/tfjs-core'
import { type AttentionLayout, forEachVisibleRun } from './attention-layout.ts'
import { hasKernel, runKernel } from './backend-kernels.ts'

/**
 * Causal grouped-query attention over a forest of segments with shared prefixes:
 *
 *     o_n = Σ_m softmax_m(q_n · k_m / √D) v_m       m over the slots that the layout lets query n see
 *
 * q[N, H·D], k[M, Hkv·D], v[M, Hkv·D] → [N, H·D]; query head h reads key/value head ⌊h · Hkv / H⌋. The fused kernels keep only
 * the log-sum-exp [N, H] for the backward pass and recompute the scores from it (Dao et al., 2022), so memory is linear in N.
 *
 * Without the kernels (tfjs cpu, head sizes not divisible by four) it builds a dense [N, M] mask from the layout, which is
 * quadratic: only for small batches.
 */
export function attention(
  q: tf.Tensor2D,
  k: tf.Tensor2D,
  v: tf.Tensor2D,
  layout: AttentionLayout,
  headDim: number,
): tf.Tensor2D {
  // The kernel reads vectors of four numbers.
  if (!hasKernel('SegmentAttention') || headDim % 4 !== 0) return denseAttention(q, k, v, layout, headDim)
  const fused = tf.customGrad((...args) => {
    const [queries, keys, values, save] = args as unknown as [tf.Tensor2D, tf.Tensor2D, tf.Tensor2D, tf.GradSaveFunc]
    const [output, logSumExp] = runKernel<tf.Tensor[]>(
      'SegmentAttention',
      { q: queries, k: keys, v: values },
      { layout, headDim },
    )
    save([queries, keys, values, output!, logSumExp!])
    return {
      value: output!,
      gradFunc: (dy, saved) => {
        const [sq, sk, sv, o, l] = saved as [tf.Tensor, tf.Tensor, tf.Tensor, tf.Tensor, tf.Tensor]
        return runKernel<tf.Tensor[]>(
          'SegmentAttentionGradient',
          { dy, q: sq, k: sk, v: sv, output: o, logSumExp: l },
          { layout, headDim },
        )
      },
    }
  })
  return fused(q, k, v) as tf.Tensor2D
}

function denseAttention(
  q: tf.Tensor2D,
  k: tf.Tensor2D,
  v: tf.Tensor2D,
  layout: AttentionLayout,
  headDim: number,
): tf.Tensor2D {
  const [queries, queryWidth] = q.shape
  const [slots, keyWidth] = k.shape
  const heads = queryWidth / headDim
  const keyHeads = keyWidth / headDim
  return tf.tidy(() => {
    const perHead = (x: tf.Tensor2D, count: number) =>
      tf.transpose(tf.reshape(x, [x.shape[0], count, headDim]), [1, 0, 2])
    // [Hkv, groups · N, D]: query heads that share a key head are adjacent, so one batched product computes them.
    const grouped = tf.reshape(perHead(q, heads), [keyHeads, (heads / keyHeads) * queries, headDim])
    const scores = tf.mul(tf.matMul(grouped, perHead(k, keyHeads), false, true), 1 / Math.sqrt(headDim))
    const masked = tf.add(
      tf.reshape(scores, [heads, queries, slots]),
      tf.tensor2d(denseMask(layout, queries, slots), [queries, slots]),
    )
    const weights = tf.reshape(tf.softmax(masked), [keyHeads, (heads / keyHeads) * queries, slots])
    const output = tf.reshape(tf.matMul(weights, perHead(v, keyHeads)), [heads, queries, headDim])
    return tf.reshape(tf.transpose(output, [1, 0, 2]), [queries, queryWidth])
  })
}

/** Added to a masked score: large enough that its exponential is 0, small enough that it never overflows. */
const HIDDEN = -1e9

/** All layers of a batch share a mask, so it is cached as long as the layout lives. */
const maskOfLayout = new WeakMap<AttentionLayout, Float32Array>()

function denseMask(layout: AttentionLayout, queries: number, slots: number): Float32Array {
  const known = maskOfLayout.get(layout)
  if (known?.length === queries * slots) return known
  const mask = new Float32Array(queries * slots).fill(HIDDEN)
  for (let query = 0; query < queries; query++) {
    forEachVisibleRun(layout, query, (start, end) => mask.fill(0, query * slots + start, query * slots + end))
  }
  maskOfLayout.set(layout, mask)
  return mask
}
