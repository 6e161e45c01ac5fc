/**
 * The linear layers of a decoder, by the names that Hugging Face and PEFT have for them. What changes one without changing its
 * weight, such as a low-rank adapter, is hung onto it by name.
 */
import type * as tf from '@tensorflow/tfjs-core'
import { linear } from '../ops/index.ts'

export const PROJECTIONS = ['q_proj', 'k_proj', 'v_proj', 'o_proj', 'gate_proj', 'up_proj', 'down_proj'] as const
export type ProjectionName = (typeof PROJECTIONS)[number]

/** Something that is added to what a projection computes. */
export interface Adapter {
  /** By their names in a checkpoint. */
  readonly parameters: ReadonlyMap<string, tf.Variable>
  /** The weight with what the adapter adds, as a new tensor [out, in]. */
  mergedWeight(): tf.Tensor2D
  /**
   * y + what the adapter adds for x: x[N, in], y[N, out] → [N, out]. `dropoutSeed` is null outside training; where activations are
   * recomputed it is called a second time with the same seed and must compute the same.
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

/** What training changes of it. */
export function trainableOf({ weight, bias, adapter }: Projection): tf.Variable[] {
  return [weight, ...(bias ? [bias] : []), ...(adapter?.parameters.values() ?? [])].filter(({ trainable }) => trainable)
}
