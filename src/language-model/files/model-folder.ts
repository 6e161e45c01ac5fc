/**
 * A model as a folder, the way Hugging Face lays it out: config.json, tokenizer.json, and the weights in model.safetensors or in
 * shards. Where the folder is (a URL, a disk, files of the page) is the reader's business.
 */
import { type ModelConfig, parseModelConfig } from './config.ts'
import { ModelFileError, type ModelReader } from './model-reader.ts'
import { Tokenizer } from '../tokens/tokenizer.ts'

export { urlReader } from './http-reader.ts'
export {
  blobReader,
  directoryReader,
  filesReader,
  memoryReader,
  ModelFileError,
  type ModelReader,
} from './model-reader.ts'
export { readWeightBytes, weightsFor } from '../weights/weights.ts'

/** All of a folder but its weights. */
export interface ModelFolder {
  config: ModelConfig
  /** As read, for writing the folder again. */
  configJson: unknown
  tokenizerJson: unknown
  tokenizer: Tokenizer
}

/** Reads config.json alone, to know a model's size before anything large is loaded. Throws ModelFileError or ModelConfigError. */
export async function readModelConfig(reader: ModelReader): Promise<ModelConfig> {
  return parseModelConfig(await readJson(reader, 'config.json'), reader.name)
}

/** Reads the small files: a model that we cannot run is refused before its weights are loaded. Throws ModelFileError, ModelConfigError or TokenizerError. */
export async function readModelFolder(reader: ModelReader): Promise<ModelFolder> {
  const configJson = await readJson(reader, 'config.json')
  const config = parseModelConfig(configJson, reader.name)
  const tokenizerJson = await readJson(reader, 'tokenizer.json')
  const tokenizer = new Tokenizer(tokenizerJson, reader.name)
  return { config, configJson, tokenizerJson, tokenizer }
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
