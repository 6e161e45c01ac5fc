/**
 * A standard Hugging Face model folder: config.json, tokenizer.json, and the weights in model.safetensors or in shards. The
 * reader knows where the folder is (a URL, a disk, files of the page).
 */
import { type ModelConfig, parseModelConfig } from './config.ts'
import { type ModelReader, readJson } from './model-reader.ts'
import { Tokenizer } from '../tokens/tokenizer.ts'

export { urlReader } from './http-reader.ts'
export { directoryReader, memoryReader, ModelFileError, type ModelReader, readOptional } from './model-reader.ts'
export { readWeightBytes, weightsFor } from '../weights/weights.ts'

/** A folder without its weights. */
export interface ModelFolder {
  config: ModelConfig
  /** As read, to write the folder again. */
  configJson: unknown
  tokenizerJson: unknown
  tokenizer: Tokenizer
}

/** Reads only config.json, to know a model's size before loading it. Throws ModelFileError or ModelConfigError. */
export async function readModelConfig(reader: ModelReader): Promise<ModelConfig> {
  return parseModelConfig(await readJson(reader, 'config.json'), reader.name)
}

/** Reads the small files, so that an unsupported model is refused before its weights load. Throws ModelFileError, ModelConfigError or TokenizerError. */
export async function readModelFolder(reader: ModelReader): Promise<ModelFolder> {
  const configJson = await readJson(reader, 'config.json')
  const config = parseModelConfig(configJson, reader.name)
  const tokenizerJson = await readJson(reader, 'tokenizer.json')
  const tokenizer = new Tokenizer(tokenizerJson, reader.name)
  return { config, configJson, tokenizerJson, tokenizer }
}
