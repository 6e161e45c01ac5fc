/** A model's weights with adapters merged in, for a copy of the model that has no adapters. */
import type * as tf from '@tensorflow/tfjs-core'
import { keepAgain } from '../backends/stored-weights.ts'
import type { Transformer } from '../transformer.ts'

/** Shapes, by Hugging Face's names, of the weights that training changes: those under adapters, and all that are not frozen. */
export function changingWeights(model: Transformer): Map<string, readonly number[]> {
  const adapted = new Set(
    [...model.projections.values()].filter(({ adapter }) => adapter !== null).map(({ path }) => path + '.weight'),
  )
  return new Map(
    [...model.parameters]
      .filter(([name, { trainable }]) => trainable || adapted.has(name))
      .map(([name, { shape }]) => [name, shape] as const),
  )
}

/**
 * Passes weights to `use` one after the other; each tensor is disposed when `use` resolves. The model stores its weights as before.
 * Throws RangeError for an unknown name.
 */
export async function useMergedWeights(
  model: Transformer,
  names: Iterable<string>,
  use: (weight: tf.Tensor, name: string) => Promise<void>,
): Promise<void> {
  for (const name of names) {
    const variable = model.parameters.get(name)
    if (variable === undefined) throw new RangeError(`The model has no weight "${name}".`)
    const merged = model.projections.get(name.replace(/\.weight$/, ''))?.adapter?.mergedWeight()
    try {
      await use(merged ?? variable, name)
    } finally {
      merged?.dispose()
      keepAgain(variable, model.storage)
    }
  }
}
