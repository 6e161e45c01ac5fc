import * as tf from '@tensorflow/tfjs-core'
import { hasKernel, runKernel } from './backend-kernels.ts'

/** Smaller vocabularies are drawn from by sampler.ts as fast, and then all backends sample alike. */
const LEAST_WORDS = 8192
/** Numbers of a drawn token: the token, its log-probability, and the entropy. */
const NUMBERS = 3

export interface DrawnToken {
  token: number
  /** In nats, like the entropy; both of p itself. Not a number if the logits are not finite. */
  logProb: number
  entropy: number
}

/** Whether the current backend draws tokens where the logits are. Reading them takes longer than a step of a model with many words. */
export const canDrawTokens = (vocabularySize: number): boolean =>
  vocabularySize >= LEAST_WORDS && hasKernel('DrawTokens')

/**
 * Draws a token from p = softmax(z / T) for each number in [0, 1): `rows[i]` is the row of logits[N, V] from which `numbers[i]` draws,
 * by the cumulated probabilities in the order of the tokens. At temperature 0, the likeliest, with its log-probability at temperature 1.
 */
export async function drawTokens(
  logits: tf.Tensor2D,
  rows: Int32Array,
  numbers: Float32Array,
  temperature: number,
): Promise<DrawnToken[]> {
  const drawn = runKernel<tf.Tensor2D>('DrawTokens', { logits }, { rows, numbers, temperature })
  try {
    const values = await drawn.data<'float32'>()
    return Array.from(rows, (_, i) => {
      const [token, logProb, entropy] = values.subarray(NUMBERS * i) as unknown as [number, number, number]
      return { token, logProb, entropy: Math.max(0, entropy) }
    })
  } finally {
    drawn.dispose()
  }
}
