/** A transformer from the weights of a folder, each moved to the backend as it comes, so that a model is in memory once. */
import type * as tf from '@tensorflow/tfjs-core'
import { keepHalf, moveToBackend } from './backends/index.ts'
import type { ModelConfig } from './config.ts'
import type { ModelReader } from './model-reader.ts'
import { parameterShapes } from './parameters.ts'
import { Transformer, variableOf } from './transformer.ts'
import { streamWeights } from './weights.ts'

/**
 * With `keepsHalf`, matrices are kept in half precision where the backend can: for a model that is not trained, or by its adapters.
 *
 * Throws ModelFileError, ModelConfigError, SafetensorsError or ModelTooLargeError, and then leaves nothing in memory.
 */
export async function loadTransformer(
  reader: ModelReader,
  config: ModelConfig,
  keepsHalf = false,
): Promise<Transformer> {
  const shapes = new Map(parameterShapes(config).map(({ name, shape }) => [name, shape]))
  const variables = new Map<string, tf.Variable>()
  try {
    for await (const [name, values] of streamWeights(reader, config)) {
      const variable = variableOf(values, shapes.get(name)!)
      variables.set(name, variable)
      moveToBackend(variable, `${name} of "${reader.name}"`)
      if (keepsHalf) keepHalf(variable)
    }
  } catch (error) {
    for (const variable of variables.values()) variable.dispose()
    throw error
  }
  return new Transformer(config, variables)
}
