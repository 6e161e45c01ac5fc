/** Linear layers of a decoder. A low-rank adapter attaches to one by name and changes its output, not its weight. */
import type * as tf from '@tensorflow/tfjs-core'
import { linear, type LowRankChange } from '../ops/index.ts'
import type { ProjectionName } from './projection-names.ts'

/** Adds something to a projection's output. */
export interface Adapter {
  /** Parameters by their names in a checkpoint. */
  readonly parameters: ReadonlyMap<string, tf.Variable>
  /** What it adds outside training. */
  readonly lowRank: LowRankChange
  /** The weight with the adapter merged in, as a new tensor [out, in]. */
  mergedWeight(): tf.Tensor2D
  /**
   * y plus the adapter's output for x: x[N, in], y[N, out] → [N, out]. `dropoutSeed` is null outside training. If activations are
   * recomputed, a second call with the same seed must compute the same.
   */
  apply(x: tf.Tensor2D, y: tf.Tensor2D, dropoutSeed: number | null): tf.Tensor2D
}

export interface Projection {
  /** Such as `model.layers.0.self_attn.q_proj`; its parameters are `<path>.weight` and `<path>.bias`. */
  readonly path: string
  readonly name: ProjectionName
  /** [out, in] */
  readonly weight: tf.Variable
  /** [out] */
  readonly bias: tf.Variable | undefined
  adapter: Adapter | null
}

/** x[N, in] → [N, out] */
export function project(x: tf.Tensor2D, projection: Projection, dropoutSeed: number | null): tf.Tensor2D {
  const { weight, bias, adapter } = projection
  const y = linear(x, weight as tf.Tensor as tf.Tensor2D, bias as tf.Tensor as tf.Tensor1D | undefined)
  return adapter ? adapter.apply(x, y, dropoutSeed) : y
}

/** The variables that training changes. */
export function trainableOf({ weight, bias, adapter }: Projection): tf.Variable[] {
  return [weight, ...(bias ? [bias] : []), ...(adapter?.parameters.values() ?? [])].filter(({ trainable }) => trainable)
}
