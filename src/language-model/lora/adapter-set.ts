/**
 * The low-rank adapters of a model. While they are attached, training changes nothing else. They use PEFT's files
 * (`adapter_config.json`, `adapter_model.safetensors`), which other programs read and write.
 */
import * as tf from '@tensorflow/tfjs-core'
import type { ModelReader } from '../files/model-reader.ts'
import { type NamedTensor, readSafetensors, writeSafetensors } from '../files/safetensors.ts'
import type { Transformer } from '../transformer.ts'
import { LowRankAdapter } from './low-rank-adapter.ts'
import { adapterConfigJson, checkLoraOptions, LoraError, type LoraOptions, parseAdapterConfig } from './options.ts'

export const ADAPTER_CONFIG = 'adapter_config.json'
export const ADAPTER_WEIGHTS = 'adapter_model.safetensors'

export class AdapterSet {
  readonly options: LoraOptions
  readonly #model: Transformer
  readonly #adapters: readonly LowRankAdapter[]
  /** Variables that were trainable before. */
  readonly #unfrozen: readonly tf.Variable[]

  /** Freezes the model and attaches fresh adapters, which change nothing until trained. Throws LoraError. */
  constructor(model: Transformer, options: LoraOptions, seed: number) {
    checkLoraOptions(options)
    if ([...model.projections.values()].some(({ adapter }) => adapter !== null))
      throw new LoraError('The model already has adapters. Merge or detach them first.')
    this.#model = model
    this.options = options
    this.#unfrozen = [...model.parameters.values()].filter(({ trainable }) => trainable)
    for (const parameter of this.#unfrozen) parameter.trainable = false
    const targets = [...model.projections.values()].filter(({ name }) => options.targets.includes(name))
    this.#adapters = targets.map((projection, key) => {
      const adapter = new LowRankAdapter(projection, options, seed, key)
      projection.adapter = adapter
      return adapter
    })
  }

  /** Loads adapters that PEFT saved. Throws LoraError, SafetensorsError or ModelFileError without changing the model. */
  static async load(model: Transformer, reader: ModelReader): Promise<AdapterSet> {
    const config = new TextDecoder().decode(await reader.read(ADAPTER_CONFIG))
    let json: unknown
    try {
      json = JSON.parse(config)
    } catch (cause) {
      throw new LoraError(
        `${ADAPTER_CONFIG} of "${reader.name}" is not JSON. Use the file that PEFT wrote beside the adapter.`,
        { cause },
      )
    }
    const options = parseAdapterConfig(json, reader.name)
    const { tensors } = readSafetensors(await reader.read(ADAPTER_WEIGHTS), `${reader.name}/${ADAPTER_WEIGHTS}`)
    const set = new AdapterSet(model, options, 0)
    try {
      set.assign(tensors, reader.name)
    } catch (error) {
      set.detach()
      throw error
    }
    return set
  }

  /** Parameters by PEFT's names. */
  get parameters(): Map<string, tf.Variable> {
    return new Map(this.#adapters.flatMap(({ parameters }) => [...parameters]))
  }

  get isMerged(): boolean {
    return this.#adapters.some(({ isMerged }) => isMerged)
  }

  /** Sets every parameter from `tensors`. Throws LoraError without changing anything if one is missing, unknown or of another shape. */
  assign(tensors: ReadonlyMap<string, NamedTensor>, source: string): void {
    const parameters = this.parameters
    for (const name of tensors.keys()) {
      if (!parameters.has(name))
        throw new LoraError(
          `Adapter "${source}" contains ${name}, for which this model has no adapter. Load it with the model that it was trained on.`,
        )
    }
    for (const [name, { shape }] of parameters) {
      const given = tensors.get(name)
      if (!given)
        throw new LoraError(`Adapter "${source}" lacks ${name}. Load it with the model that it was trained on.`)
      if (given.shape.join() !== shape.join())
        throw new LoraError(
          `In adapter "${source}", ${name} has shape [${given.shape.join(', ')}] where the model requires [${shape.join(', ')}]. Load it with the model and the rank that it was trained with.`,
        )
    }
    const wasMerged = this.isMerged
    this.unmerge()
    for (const [name, variable] of parameters)
      tf.tidy(() => variable.assign(tf.tensor(tensors.get(name)!.values, variable.shape)))
    if (wasMerged) this.merge()
  }

  /** Adds the changes to the base weights, for faster sampling. Unmerge before training. Throws LoraError for weights in four bits. */
  merge(): void {
    if (this.#model.storage === 'four-bit')
      throw new LoraError(
        'Adapters cannot be merged into four-bit weights: the rounding would lose their changes. Save the model as a folder instead, which contains float weights with the adapters merged in.',
      )
    for (const adapter of this.#adapters) adapter.merge()
  }

  unmerge(): void {
    for (const adapter of this.#adapters) adapter.unmerge()
  }

  /** Detaches the adapters and unfreezes the model. Merged changes stay in its weights. */
  detach(): void {
    for (const projection of this.#model.projections.values()) projection.adapter = null
    for (const adapter of this.#adapters) adapter.dispose()
    for (const parameter of this.#unfrozen) parameter.trainable = true
  }
}

/** The adapters' files, by name, as PEFT reads them. */
export async function writeAdapters(
  adapters: AdapterSet,
): Promise<Record<typeof ADAPTER_CONFIG | typeof ADAPTER_WEIGHTS, Uint8Array>> {
  const tensors = new Map<string, NamedTensor>()
  for (const [name, variable] of adapters.parameters)
    tensors.set(name, { shape: variable.shape, values: (await variable.data<'float32'>()).slice() })
  return {
    [ADAPTER_CONFIG]: new TextEncoder().encode(JSON.stringify(adapterConfigJson(adapters.options), null, 2)),
    [ADAPTER_WEIGHTS]: writeSafetensors({ metadata: { format: 'pt' }, tensors }),
  }
}
