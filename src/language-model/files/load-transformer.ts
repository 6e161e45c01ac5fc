/** A transformer from the weights of a folder, each moved to the backend as it comes, so that a model is in memory once. */
import type * as tf from '@tensorflow/tfjs-core'
import { keepFourBit, keepHalf, moveToBackend } from '../backends/stored-weights.ts'
import type { ModelConfig } from './config.ts'
import type { ModelReader } from './model-reader.ts'
import { parameterShapes } from '../weights/parameters.ts'
import { Transformer, variableOf } from '../transformer.ts'
import { fourBitBlocks, floatsOfBlocks, isFourBitShape, type WeightStorage } from '../weights/weight-storage.ts'
import { streamWeights } from '../weights/weights.ts'

/**
 * Matrices are stored as told, where the backend can: in fewer bits for a model that is not trained, or by its adapters. In four bits
 * it is the same model everywhere: one of rounded weights, which a backend that does not store them so has as floats. It is frozen.
 *
 * Throws ModelFileError, ModelConfigError, SafetensorsError or ModelTooLargeError, and then leaves nothing in memory.
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
