/**
 * Weights and optimiser state of a model in one safetensors file, so that training goes on where it was:
 *
 *     <parameter>                          the weights, named as in a model folder
 *     optimizer.exp_avg.<parameter>        AdamW's first moment
 *     optimizer.exp_avg_sq.<parameter>     and second
 *     metadata: format "pt", optimizer_step
 *
 * The weights alone can be loaded from any safetensors file of the same model; the optimiser then starts afresh.
 */
import * as tf from '@tensorflow/tfjs-core'
import { parameterShapes } from './parameters.ts'
import { type FloatType, type NamedTensor, readSafetensors, writeSafetensors } from './safetensors.ts'
import type { Trainer } from './trainer.ts'
import type { Transformer } from './transformer.ts'
import { weightsFor } from './weights.ts'

const FIRST = 'optimizer.exp_avg.'
const SECOND = 'optimizer.exp_avg_sq.'

export async function writeCheckpoint(model: Transformer, trainer: Trainer): Promise<Uint8Array<ArrayBuffer>> {
  const tensors = await weightTensors(model)
  for (const [name, { first, second }] of trainer.moments) {
    tensors.set(FIRST + name, await namedTensor(first))
    tensors.set(SECOND + name, await namedTensor(second))
  }
  return writeSafetensors({ metadata: { format: 'pt', optimizer_step: String(trainer.step) }, tensors })
}

/** The weights as the model.safetensors of a model folder. */
export async function writeWeights(model: Transformer, dtype: FloatType): Promise<Uint8Array<ArrayBuffer>> {
  return writeSafetensors({ metadata: { format: 'pt' }, tensors: await weightTensors(model) }, dtype)
}

/** Throws SafetensorsError or ModelConfigError and leaves the model as it was. */
export function readCheckpoint(bytes: Uint8Array, model: Transformer, trainer: Trainer): void {
  const { metadata, tensors } = readSafetensors(bytes, 'checkpoint')
  const weights = weightsFor(model.config, tensors, 'checkpoint')
  for (const [name, values] of weights) assign(model.parameters.get(name)!, values)
  trainer.dispose()
  trainer.step = Number(metadata.optimizer_step ?? 0)
  for (const { name } of parameterShapes(model.config)) {
    const first = tensors.get(FIRST + name)
    const second = tensors.get(SECOND + name)
    if (!first || !second) continue
    const moments = trainer.momentsOf(name)
    assign(moments.first, first.values)
    assign(moments.second, second.values)
  }
}

async function weightTensors(model: Transformer): Promise<Map<string, NamedTensor>> {
  const tensors = new Map<string, NamedTensor>()
  for (const [name, variable] of model.parameters) tensors.set(name, await namedTensor(variable))
  return tensors
}

async function namedTensor(tensor: tf.Tensor): Promise<NamedTensor> {
  // A copy: what a backend hands out may be the memory that the next update changes in place.
  return { shape: tensor.shape, values: (await tensor.data<'float32'>()).slice() }
}

function assign(variable: tf.Variable, values: Float32Array): void {
  tf.tidy(() => variable.assign(tf.tensor(values, variable.shape)))
}
