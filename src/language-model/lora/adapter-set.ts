/** The low-rank adapters of a model. While they are attached, training changes nothing else. */
import type * as tf from '@tensorflow/tfjs-core'
import type { Transformer } from '../transformer.ts'
import { LowRankAdapter } from './low-rank-adapter.ts'
import { checkLoraOptions, LoraError, type LoraOptions } from './options.ts'

export class AdapterSet {
  readonly #model: Transformer
  readonly #adapters: readonly LowRankAdapter[]
  /** Variables that were trainable before. */
  readonly #unfrozen: readonly tf.Variable[]

  /** Freezes the model and attaches fresh adapters, which change nothing until trained. Throws LoraError. */
  constructor(model: Transformer, options: LoraOptions, seed: number) {
    checkLoraOptions(options)
    if ([...model.projections.values()].some(({ adapter }) => adapter !== null))
      throw new LoraError('The model already has adapters. Load it again to attach others.')
    this.#model = model
    this.#unfrozen = [...model.parameters.values()].filter(({ trainable }) => trainable)
    for (const parameter of this.#unfrozen) parameter.trainable = false
    const targets = [...model.projections.values()].filter(({ name }) => options.targets.includes(name))
    this.#adapters = targets.map((projection, key) => {
      const adapter = new LowRankAdapter(projection, options, seed, key)
      projection.adapter = adapter
      return adapter
    })
  }

  /** Parameters by PEFT's names. */
  get parameters(): Map<string, tf.Variable> {
    return new Map(this.#adapters.flatMap(({ parameters }) => [...parameters]))
  }

  /** Detaches the adapters and unfreezes the model. */
  detach(): void {
    for (const projection of this.#model.projections.values()) projection.adapter = null
    for (const adapter of this.#adapters) adapter.dispose()
    for (const parameter of this.#unfrozen) parameter.trainable = true
  }
}
