import * as tf from '@tensorflow/tfjs-core'
import { hasKernel, runKernel } from './backend-kernels.ts'

/**
 * Rotary position embedding (Su et al., 2021) in the "rotate half" convention of Hugging Face: within a head the pair
 * (i, i + headDim/2) turns by the angle position · inverseFrequencies[i].
 *
 * x[N, heads · headDim], positions[N], inverseFrequencies[headDim / 2] → [N, heads · headDim]. The gradient is the rotation back.
 */
export function rope(
  x: tf.Tensor2D,
  positions: Int32Array,
  headDim: number,
  inverseFrequencies: Float32Array,
): tf.Tensor2D {
  if (!hasKernel('RotaryEmbedding')) return composedRope(x, positions, headDim, inverseFrequencies)
  const rotate = (input: tf.Tensor, direction: 1 | -1) =>
    runKernel<tf.Tensor2D>('RotaryEmbedding', { x: input }, { positions, headDim, inverseFrequencies, direction })
  const fused = tf.customGrad((input) => ({ value: rotate(input as tf.Tensor, 1), gradFunc: (dy) => rotate(dy, -1) }))
  return fused(x) as tf.Tensor2D
}

function composedRope(
  x: tf.Tensor2D,
  positions: Int32Array,
  headDim: number,
  inverseFrequencies: Float32Array,
): tf.Tensor2D {
  const [rows, width] = x.shape
  const half = headDim / 2
  return tf.tidy(() => {
    const { cosine, sine } = angleTables(positions, inverseFrequencies)
    const cos = tf.tensor3d(cosine, [rows, 1, half])
    const sin = tf.tensor3d(sine, [rows, 1, half])
    const [first, second] = tf.split(tf.reshape(x, [rows, width / headDim, headDim]), 2, 2) as [
      tf.Tensor3D,
      tf.Tensor3D,
    ]
    const turnedFirst = tf.sub(tf.mul(first, cos), tf.mul(second, sin))
    const turnedSecond = tf.add(tf.mul(second, cos), tf.mul(first, sin))
    return tf.reshape(tf.concat([turnedFirst, turnedSecond], 2), [rows, width])
  })
}

interface AngleTables {
  inverseFrequencies: Float32Array
  cosine: Float32Array
  sine: Float32Array
}

/** All layers of a batch use the same angles, so they are cached as long as its positions array lives. */
const tablesOfBatch = new WeakMap<Int32Array, AngleTables>()

function angleTables(positions: Int32Array, inverseFrequencies: Float32Array): AngleTables {
  const known = tablesOfBatch.get(positions)
  if (known?.inverseFrequencies === inverseFrequencies) return known
  const half = inverseFrequencies.length
  const cosine = new Float32Array(positions.length * half)
  const sine = new Float32Array(positions.length * half)
  for (let row = 0; row < positions.length; row++) {
    for (let i = 0; i < half; i++) {
      const angle = positions[row]! * inverseFrequencies[i]!
      cosine[row * half + i] = Math.cos(angle)
      sine[row * half + i] = Math.sin(angle)
    }
  }
  const tables = { inverseFrequencies, cosine, sine }
  tablesOfBatch.set(positions, tables)
  return tables
}
