/**
 * A model as a folder, the way Hugging Face lays it out: model.safetensors, config.json and tokenizer.json. Where the folder is (a URL,
 * a disk, a cache) is the reader's business.
 */
import { type ModelConfig, ModelConfigError, parseModelConfig } from './config.ts'
import { parameterShapes } from './parameters.ts'
import { type NamedTensor, readSafetensors } from './safetensors.ts'
import { Tokenizer } from './tokenizer.ts'

export interface ModelReader {
  /** Of the model, for errors. */
  name: string
  /** Throws a ModelFileError if the file is not there. */
  read(file: string): Promise<Uint8Array>
}

export class ModelFileError extends Error {
  override name = 'ModelFileError'
}

export interface ModelFolder {
  config: ModelConfig
  /** As read, for writing the folder again. */
  configJson: unknown
  tokenizerJson: unknown
  tokenizer: Tokenizer
  weights: Map<string, Float32Array>
}

export async function readModelFolder(reader: ModelReader): Promise<ModelFolder> {
  // The small files first: a model that we cannot run is refused before its weights are loaded.
  const configJson = await readJson(reader, 'config.json')
  const config = parseModelConfig(configJson, reader.name)
  const tokenizerJson = await readJson(reader, 'tokenizer.json')
  const tokenizer = new Tokenizer(tokenizerJson, reader.name)
  const { tensors } = readSafetensors(await reader.read('model.safetensors'), `${reader.name}/model.safetensors`)
  return { config, configJson, tokenizerJson, tokenizer, weights: weightsFor(config, tensors, reader.name) }
}

/** The tensors that the config asks for, with their shapes checked. Others are passed over, an output layer equal to the embedding among them. */
export function weightsFor(
  config: ModelConfig,
  tensors: ReadonlyMap<string, NamedTensor>,
  source: string,
): Map<string, Float32Array> {
  return new Map(
    parameterShapes(config).map(({ name, shape }) => {
      const tensor = tensors.get(name)
      if (!tensor)
        throw new ModelConfigError(
          `The weights of "${source}" lack ${name}, which its config.json asks for. Take both files from one repository.`,
        )
      if (tensor.shape.join() !== shape.join()) {
        throw new ModelConfigError(
          `In the weights of "${source}", ${name} has shape [${tensor.shape.join(', ')}] where config.json asks for [${shape.join(', ')}]. Take both files from one repository.`,
        )
      }
      return [name, tensor.values] as const
    }),
  )
}

/** Reads a model below a URL. */
export function urlReader(url: string, fetchFile: typeof fetch = fetch): ModelReader {
  const base = url.endsWith('/') ? url : url + '/'
  return {
    name: base.split('/').at(-2) ?? url,
    async read(file) {
      let response: Response
      try {
        response = await fetchFile(base + file)
      } catch (cause) {
        throw new ModelFileError(
          `${base + file} could not be reached. Check the connection and load the model again.`,
          { cause },
        )
      }
      if (!response.ok)
        throw new ModelFileError(`${base + file} answered ${response.status}. Check the address of the model.`)
      return new Uint8Array(await response.arrayBuffer())
    },
  }
}

/** A model whose files are in memory. */
export function memoryReader(name: string, files: Readonly<Record<string, Uint8Array>>): ModelReader {
  return {
    name,
    async read(file) {
      const bytes = files[file]
      if (!bytes) throw new ModelFileError(`Model "${name}" has no ${file}. Add the file to the model's folder.`)
      return bytes
    },
  }
}

async function readJson(reader: ModelReader, file: string): Promise<unknown> {
  const bytes = await reader.read(file)
  try {
    return JSON.parse(new TextDecoder().decode(bytes))
  } catch (cause) {
    throw new ModelFileError(
      `${file} of "${reader.name}" is not JSON. Load the model again; if that does not help, replace the file with the one from the model's own repository.`,
      { cause },
    )
  }
}
