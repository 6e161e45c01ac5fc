/**
 * What a model has learned and its optimiser's state in one safetensors file, so that training goes on where it was:
 *
 *     <parameter>                          what is trained: the weights, named as in a model folder, or those of adapters alone
 *     optimizer.exp_avg.<parameter>        AdamW's first moment
 *     optimizer.exp_avg_sq.<parameter>     and second
 *     metadata: format "pt", optimizer_step
 *
 * Of a model that is frozen as a whole, such as one in four bits, it holds nothing.
 *
 * The weights alone can be loaded from any safetensors file of the same model; the optimiser then starts afresh.
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

/** The weights as the model.safetensors of a model folder, what adapters add in them. Each is stored as it was again once it is read. */
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
      `The checkpoint holds weights, and this model's are stored in four bits, which take none. Load it into a model in float32.`,
    )
  if (learned === model.parameters) weightsFor(model.config, tensors, 'checkpoint')
  for (const [name, { shape }] of learned) {
    if (tensors.get(name)?.shape.join() !== shape.join())
      throw new ModelConfigError(
        `The checkpoint has no ${name} of shape [${shape.join(', ')}]: it is of a model without adapters, or with others. Go on with the settings that it was made with.`,
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

/** The parameters of adapters if the model has any, since the others are frozen then; else all, or none in four bits. */
function learnedParameters(model: Transformer): ReadonlyMap<string, tf.Variable> {
  const adapted = [...model.projections.values()].flatMap(({ adapter }) => [...(adapter?.parameters ?? [])])
  return adapted.length > 0 || model.storage === 'four-bit' ? new Map(adapted) : model.parameters
}

async function namedTensor(tensor: tf.Tensor): Promise<NamedTensor> {
  // A copy: what a backend hands out may be the memory that the next update changes in place.
  return { shape: tensor.shape, values: (await tensor.data<'float32'>()).slice() }
}

function assign(variable: tf.Variable, values: Float32Array): void {
  tf.tidy(() => variable.assign(tf.tensor(values, variable.shape)))
}
