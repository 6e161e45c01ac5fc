/** A Hugging Face model as the folder that WebLLM loads: shards, tensor-cache.json, mlc-chat-config.json, tokenizer.json. */
import { parseModelConfig } from '../language-model/files/config.ts'
import { type ModelReader, readModelFolder } from '../language-model/files/model-folder.ts'
import { streamWeights } from '../language-model/weights/weights.ts'
import { mlcChatConfig, tokenizerKindOf } from './mlc-chat-config.ts'
import { encodeParameter, type MlcQuantization, type MlcTensor } from './mlc-encoding.ts'
import { fuse, isMlcArchitecture, MlcFormatError, mlcParameters, type MlcArchitecture } from './mlc-parameters.ts'
import { type NamedFile, writeTensorCache } from './tensor-cache.ts'

export interface HuggingFaceModel {
  /** For errors. */
  name: string
  configJson: unknown
  tokenizerJson: unknown
  /** By Hugging Face's names. */
  weights: ReadonlyMap<string, Float32Array>
}

export interface MlcExportOptions {
  quantization: MlcQuantization
  /** Tokens; default is all that the model can read, up to 4096. */
  contextWindow?: number
  /** Bytes; 32 MiB unless a test wants less. */
  shardBytes?: number
}

/** Reads a standard folder. Throws the errors of readModelFolder and streamWeights. */
export async function huggingFaceModel(reader: ModelReader): Promise<HuggingFaceModel> {
  const { config, configJson, tokenizerJson } = await readModelFolder(reader)
  const weights = new Map<string, Float32Array>()
  for await (const [name, values] of streamWeights(reader, config)) weights.set(name, values)
  return { name: reader.name, configJson, tokenizerJson, weights }
}

/** One tensor after the other, so that only one is in memory twice. */
export function* mlcTensors(model: HuggingFaceModel, quantization: MlcQuantization): Generator<MlcTensor> {
  const config = parseModelConfig(model.configJson, model.name)
  for (const parameter of mlcParameters(config, architectureOf(model.configJson, model.name)))
    yield* encodeParameter(parameter, fuse(parameter, model.weights, model.name), quantization)
}

/** The files of the folder, one at a time. Throws MlcFormatError or ModelConfigError. */
export function* exportMlc(model: HuggingFaceModel, options: MlcExportOptions): Generator<NamedFile> {
  const { quantization, contextWindow = 4096, shardBytes } = options
  const config = parseModelConfig(model.configJson, model.name)
  const json = (name: string, value: unknown): NamedFile => ({
    name,
    bytes: new TextEncoder().encode(JSON.stringify(value, null, 2)),
  })
  yield json(
    'mlc-chat-config.json',
    mlcChatConfig(config, {
      architecture: architectureOf(model.configJson, model.name),
      quantization,
      contextWindow,
      tokenizerKind: tokenizerKindOf(model.tokenizerJson),
    }),
  )
  yield json('tokenizer.json', model.tokenizerJson)
  yield* writeTensorCache(mlcTensors(model, quantization), shardBytes)
}

export function architectureOf(configJson: unknown, source: string): MlcArchitecture {
  const modelType = (configJson as { model_type?: unknown } | null)?.model_type ?? 'llama'
  if (typeof modelType === 'string' && isMlcArchitecture(modelType)) return modelType
  throw new MlcFormatError(
    `Model "${source}" is of type ${JSON.stringify(modelType)}, and only llama, qwen2 and qwen3 can be written for MLC. Choose a Llama, SmolLM2, Qwen2.5 or Qwen3 model.`,
  )
}
