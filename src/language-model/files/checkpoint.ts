/**
 * A model's trained parameters and its optimiser's state in one safetensors file, to continue training:
 *
 *     <parameter>                          the weights, named as in a model folder, or only those of adapters
 *     optimizer.exp_avg.<parameter>        AdamW's first moment
 *     optimizer.exp_avg_sq.<parameter>     and second
 *     metadata: format "pt", optimizer_step
 *
 * It is empty for a frozen model, such as one in four bits. Without optimiser state, as in any safetensors file of the same
 * model, the optimiser starts afresh.
 */
import * as tf from '@tensorflow/tfjs-core'
import { keepAgain } from '../backends/stored-weights.ts'
import { ModelConfigError } from './config.ts'
import { type FloatType, type NamedTensor, readSafetensors, writeSafetensors } from './safetensors.ts'
import type { Trainer } from '../training/trainer.ts'
import type { Transformer } from '../transformer.ts'
import { weightsFor } from '../weights/weights.ts'

const FIRST = 'optimizer.exp_avg.'
const SECOND = 'optimizer.exp_avg_sq.'

export async function writeCheckpoint(model: Transformer, trainer: Trainer): Promise<Uint8Array<ArrayBuffer>> {
  const tensors = new Map<string, NamedTensor>()
  for (const [name, variable] of learnedParameters(model)) tensors.set(name, await namedTensor(variable))
  for (const [name, { first, second }] of trainer.moments) {
    tensors.set(FIRST + name, await namedTensor(first))
    tensors.set(SECOND + name, await namedTensor(second))
  }
  return writeSafetensors({ metadata: { format: 'pt', optimizer_step: String(trainer.step) }, tensors })
}

/** The weights as a folder's model.safetensors, adapters merged in. Reading does not change how the model stores them. */
export async function writeWeights(model: Transformer, dtype: FloatType): Promise<Uint8Array<ArrayBuffer>> {
  const adapterOf = new Map(Array.from(model.projections.values(), ({ path, adapter }) => [path + '.weight', adapter]))
  const tensors = new Map<string, NamedTensor>()
  for (const [name, variable] of model.parameters) {
    const merged = adapterOf.get(name)?.mergedWeight()
    tensors.set(name, await namedTensor(merged ?? variable))
    merged?.dispose()
    keepAgain(variable, model.storage)
  }
  return writeSafetensors({ metadata: { format: 'pt' }, tensors }, dtype)
}

/** Throws SafetensorsError or ModelConfigError and leaves the model as it was. */
export function readCheckpoint(bytes: Uint8Array, model: Transformer, trainer: Trainer): void {
  const { metadata, tensors } = readSafetensors(bytes, 'checkpoint')
  const learned = learnedParameters(model)
  if (learned.size === 0 && tensors.size > 0)
    throw new ModelConfigError(
      `The checkpoint contains weights, but this model stores its weights in four bits and cannot load them. Load the checkpoint into a model in float32.`,
    )
  if (learned === model.parameters) weightsFor(model.config, tensors, 'checkpoint')
  for (const [name, { shape }] of learned) {
    if (tensors.get(name)?.shape.join() !== shape.join())
      throw new ModelConfigError(
        `The checkpoint has no ${name} of shape [${shape.join(', ')}]: its model had no adapters, or different ones. Use the settings that it was saved with.`,
      )
  }
  for (const [name, variable] of learned) assign(variable, tensors.get(name)!.values)
  trainer.reset()
  trainer.step = Number(metadata.optimizer_step ?? 0)
  for (const name of learned.keys()) {
    const first = tensors.get(FIRST + name)
    const second = tensors.get(SECOND + name)
    if (!first || !second) continue
    const moments = trainer.momentsOf(name)
    assign(moments.first, first.values)
    assign(moments.second, second.values)
  }
}

/** The adapters' parameters if the model has adapters, since all else is frozen; otherwise all, or none in four bits. */
function learnedParameters(model: Transformer): ReadonlyMap<string, tf.Variable> {
  const adapted = [...model.projections.values()].flatMap(({ adapter }) => [...(adapter?.parameters ?? [])])
  return adapted.length > 0 || model.storage === 'four-bit' ? new Map(adapted) : model.parameters
}

async function namedTensor(tensor: tf.Tensor): Promise<NamedTensor> {
  // A copy: a backend may return the very memory that the next update changes in place.
  return { shape: tensor.shape, values: (await tensor.data<'float32'>()).slice() }
}

function assign(variable: tf.Variable, values: Float32Array): void {
  tf.tidy(() => variable.assign(tf.tensor(values, variable.shape)))
}
