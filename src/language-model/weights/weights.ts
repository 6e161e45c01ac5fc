/**
 * Reads a config's parameters one by one from a model folder's safetensors files: `model.safetensors`, or the shards that
 * `model.safetensors.index.json` names. Errors name parameters that are missing, unknown or of another shape.
 */
import * as v from 'valibot'
import { type ModelConfig, ModelConfigError } from '../files/config.ts'
import { mayBeMissing, ModelFileError, type ModelReader } from '../files/model-reader.ts'
import { parameterShapes } from './parameters.ts'
import type { NamedTensor } from '../files/safetensors.ts'
import { SafetensorsStream } from '../files/safetensors-stream.ts'

const WHOLE = 'model.safetensors'
const INDEX = 'model.safetensors.index.json'
const NAMED_AT_MOST = 5

const indexSchema = v.looseObject({ weight_map: v.record(v.string(), v.string()) })

/** Yields every parameter of the config once, in the order of the files. Throws ModelFileError, SafetensorsError or ModelConfigError. */
export async function* streamWeights(
  reader: ModelReader,
  config: ModelConfig,
): AsyncGenerator<readonly [string, Float32Array]> {
  const wanted = new Set(parameterShapes(config).map(({ name }) => name))
  for await (const stream of checkedFiles(reader, config))
    for await (const [name, { values }] of stream.tensors((name) => wanted.has(name))) yield [name, values]
}

/**
 * Bytes of the weights' files, from their headers: reads no weight. Throws the same errors as streamWeights for files that do not
 * match the config.
 */
export async function readWeightBytes(reader: ModelReader, config: ModelConfig): Promise<number> {
  let bytes = 0
  for await (const stream of checkedFiles(reader, config)) bytes += stream.header.dataBytes
  return bytes
}

/** The config's tensors from a checkpoint in memory, with their shapes checked. Ignores others, such as an optimiser's. Throws ModelConfigError. */
export function weightsFor(
  config: ModelConfig,
  tensors: ReadonlyMap<string, NamedTensor>,
  source: string,
): Map<string, Float32Array> {
  const shapes = parameterShapes(config)
  const missing = shapes.filter(({ name }) => !tensors.has(name))
  if (missing.length > 0)
    throw lackingParameters(
      missing.map(({ name }) => name),
      source,
    )
  return new Map(
    shapes.map(({ name, shape }) => {
      const tensor = tensors.get(name)!
      checkShape(name, tensor.shape, shape, source)
      return [name, tensor.values] as const
    }),
  )
}

/**
 * Opens the files in order, each once its header matches the config; each closes when the caller asks for the next. Throws
 * ModelConfigError for parameters that are missing, unknown, repeated or of another shape.
 */
async function* checkedFiles(reader: ModelReader, config: ModelConfig): AsyncGenerator<SafetensorsStream> {
  const wanted = new Map(parameterShapes(config).map(({ name, shape }) => [name, shape]))
  const missing = new Set(wanted.keys())
  for await (const { file, stream } of openFiles(reader, config)) {
    const extra = stream.header.entries.filter(({ name }) => !wanted.has(name) && !isPassedOver(name, config))
    for (const { name, shape } of stream.header.entries) {
      if (!wanted.has(name)) continue
      checkShape(name, shape, wanted.get(name)!, reader.name)
      if (!missing.delete(name))
        throw new ModelConfigError(
          `${file} of "${reader.name}" contains ${name}, which an earlier file also contains. Take all files from one repository.`,
        )
    }
    if (extra.length > 0)
      throw unknownParameters(
        extra.map(({ name }) => name),
        reader.name,
      )
    if (file === WHOLE && missing.size > 0) throw lackingParameters([...missing], reader.name)
    yield stream
  }
  if (missing.size > 0) throw lackingParameters([...missing], reader.name)
}

/** Opens the files in order; each closes when the caller asks for the next. */
async function* openFiles(
  reader: ModelReader,
  config: ModelConfig,
): AsyncGenerator<{ file: string; stream: SafetensorsStream }> {
  const open = async (file: string) => ({
    file,
    stream: await SafetensorsStream.open(reader.stream(file), `${reader.name}/${file}`),
  })
  let whole: { file: string; stream: SafetensorsStream }
  try {
    whole = await open(WHOLE)
  } catch (error) {
    if (!mayBeMissing(error)) throw error
    for (const file of await shards(reader, config, error)) yield* closing(await open(file))
    return
  }
  yield* closing(whole)
}

/** Ends a file's download even if the caller stops before reading its tensors. */
async function* closing<F extends { stream: SafetensorsStream }>(file: F): AsyncGenerator<F> {
  try {
    yield file
  } finally {
    await file.stream.close()
  }
}

/** The files that the index names, each once; `whole` is the error for the missing model.safetensors. */
async function shards(reader: ModelReader, config: ModelConfig, whole: ModelFileError): Promise<string[]> {
  let bytes: Uint8Array
  try {
    bytes = await reader.read(INDEX)
  } catch (error) {
    if (!mayBeMissing(error)) throw error
    throw new ModelFileError(
      `Model "${reader.name}" has neither ${WHOLE} nor ${INDEX}. ${whole.message} ` +
        'Use a repository with safetensors files and load all of them; if they are on your server, check that it serves files of this type.',
      { cause: whole, isMissing: true },
    )
  }
  let json: unknown
  try {
    json = JSON.parse(new TextDecoder().decode(bytes))
  } catch {
    json = null
  }
  const parsed = v.safeParse(indexSchema, json)
  if (!parsed.success)
    throw new ModelFileError(
      `${INDEX} of "${reader.name}" does not say which file holds which tensor. Replace the file with the one from the model's own repository.`,
    )
  const { weight_map: fileOf } = parsed.output
  const lacking = parameterShapes(config).filter(({ name }) => fileOf[name] === undefined)
  if (lacking.length > 0)
    throw lackingParameters(
      lacking.map(({ name }) => name),
      reader.name,
    )
  const files = [...new Set(Object.values(fileOf))].sort()
  const stray = files.find((file) => file.includes('/') || file.includes('\\'))
  if (stray !== undefined)
    throw new ModelFileError(
      `${INDEX} of "${reader.name}" names "${stray}", which is not in the model's own folder. Replace the file with the one from the model's own repository.`,
    )
  return files
}

/** True for an output layer that repeats the embedding, and for the angle tables of old files: both follow from the rest. */
function isPassedOver(name: string, config: ModelConfig): boolean {
  return (config.tiedEmbeddings && name === 'lm_head.weight') || name.endsWith('.rotary_emb.inv_freq')
}

function checkShape(name: string, shape: readonly number[], wanted: readonly number[], source: string): void {
  if (shape.join() !== wanted.join())
    throw new ModelConfigError(
      `In the weights of "${source}", ${name} has shape [${shape.join(', ')}] where config.json requires [${wanted.join(', ')}]. Take both files from one repository.`,
    )
}

function lackingParameters(names: readonly string[], source: string): ModelConfigError {
  return new ModelConfigError(
    `The weights of "${source}" lack ${inWords(names)}, which its config.json requires. Take both files from one repository.`,
  )
}

function unknownParameters(names: readonly string[], source: string): ModelConfigError {
  return new ModelConfigError(
    `The weights of "${source}" contain ${inWords(names)}, which a model with its config.json does not use: the results would be wrong without. Take both files from one repository of a supported architecture.`,
  )
}

function inWords(names: readonly string[]): string {
  const named = names.slice(0, NAMED_AT_MOST).join(', ')
  return names.length > NAMED_AT_MOST ? `${named} and ${names.length - NAMED_AT_MOST} more` : named
}
