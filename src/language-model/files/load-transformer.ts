/** Loads a transformer from a folder's weights. Each weight moves to the backend as it arrives, so a model is in memory once. */
import type * as tf from '@tensorflow/tfjs-core'
import { keepFourBit, keepHalf, moveToBackend } from '../backends/stored-weights.ts'
import type { ModelConfig } from './config.ts'
import type { ModelReader } from './model-reader.ts'
import { parameterShapes } from '../weights/parameters.ts'
import { Transformer, variableOf } from '../transformer.ts'
import { fourBitBlocks, floatsOfBlocks, isFourBitShape, type WeightStorage } from '../weights/weight-storage.ts'
import { streamWeights } from '../weights/weights.ts'

/**
 * Stores matrices as `storage` says where the backend supports it, for a model that is frozen or trained through adapters. Four
 * bits give the same, rounded model on every backend: one that cannot store four bits keeps the rounded weights as floats.
 *
 * Throws ModelFileError, ModelConfigError, SafetensorsError or ModelTooLargeError, and then frees what it has loaded.
 */
export async function loadTransformer(
  reader: ModelReader,
  config: ModelConfig,
  storage: WeightStorage = 'float32',
): Promise<Transformer> {
  const shapes = new Map(parameterShapes(config).map(({ name, shape }) => [name, shape]))
  const variables = new Map<string, tf.Variable>()
  try {
    for await (const [name, values] of streamWeights(reader, config)) {
      const shape = shapes.get(name)!
      const fullName = `${name} of "${reader.name}"`
      const blocks =
        storage === 'four-bit' && isFourBitShape(shape) ? fourBitBlocks(values, shape as [number, number]) : null
      const variable = variableOf(blocks === null ? values : floatsOfBlocks(blocks), shape)
      variables.set(name, variable)
      variable.trainable = storage !== 'four-bit'
      if (blocks !== null && keepFourBit(variable, blocks, fullName)) continue
      moveToBackend(variable, fullName)
      if (storage === 'float16') keepHalf(variable)
    }
  } catch (error) {
    for (const variable of variables.values()) variable.dispose()
    throw error
  }
  return new Transformer(config, variables, storage)
}
