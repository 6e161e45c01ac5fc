/**
 * A model for the stand-in of WebLLM: its logits depend on every token, on their order, and on a fused matrix.
 *
 *     x_i = E[t_i] + (C_q + 2 C_k + 3 C_v) E[t_i],   h = Σ_i 0.8^(n−1−i) x_i,   z = 2 E h
 *
 * E is model.embed_tokens.weight [V, H], C is c_attn [3 H, H]. In 64 bits, from numbers of the library's type.
 */
import { randomStream } from '../../../src/language-model/sampling/random-stream.ts'
import { modelFolder, type CacheScope, type ModelFiles } from '../../../src/engines/webllm/model-files.ts'
import type { ModelRecord } from '../../../src/roles/source.ts'
import { encodeParameter, type MlcQuantization } from '../../../src/weight-formats/mlc-encoding.ts'
import { writeTensorCache } from '../../../src/weight-formats/tensor-cache.ts'
import { ModelFileError } from '../../../src/language-model/files/model-folder.ts'
import { tinyTokenizerJson } from '../../language-model/tiny-model.ts'
import { decodeFloats } from '../../weight-formats/decode.ts'

export const VOCABULARY = 270
export const HIDDEN = 8
export const STOP = 1
const DECAY = 0.8

export const EMBEDDING = 'model.embed_tokens.weight'
export const ATTENTION = 'model.layers.0.self_attn.c_attn.weight'
export const PARAMETERS = [
  { name: EMBEDDING, shape: [VOCABULARY, HIDDEN], parts: [] },
  { name: ATTENTION, shape: [3 * HIDDEN, HIDDEN], parts: [] },
]

/** By Hugging Face name; the same for the same seed. */
export function smallWeights(seed: number): Map<string, Float32Array> {
  const uniform = randomStream(seed)
  const matrix = (size: number, scale: number) => Float32Array.from({ length: size }, () => scale * (2 * uniform() - 1))
  const weights = new Map([[EMBEDDING, matrix(VOCABULARY * HIDDEN, 1)]])
  for (const part of ['q', 'k', 'v'])
    weights.set(`model.layers.0.self_attn.${part}_proj.weight`, matrix(HIDDEN * HIDDEN, 0.15))
  return weights
}

export function fusedWeights(weights: ReadonlyMap<string, Float32Array>): Map<string, Float32Array> {
  const parts = ['q', 'k', 'v'].map((part) => weights.get(`model.layers.0.self_attn.${part}_proj.weight`)!)
  return new Map([
    [EMBEDDING, weights.get(EMBEDDING)!],
    [ATTENTION, Float32Array.from(parts.flatMap((part) => [...part]))],
  ])
}

/** The compiled functions, over parameters with MLC's names. */
export function embedToken(parameters: ReadonlyMap<string, Float32Array>, token: number): number[] {
  const embedding = parameters.get(EMBEDDING)!
  const attention = parameters.get(ATTENTION)!
  const row = embedding.subarray(token * HIDDEN, (token + 1) * HIDDEN)
  return Array.from(row, (value, out) => {
    let sum = value
    for (let part = 0; part < 3; part++)
      for (let k = 0; k < HIDDEN; k++) sum += (part + 1) * attention[(part * HIDDEN + out) * HIDDEN + k]! * row[k]!
    return sum
  })
}

/** Logits [V] after the embedded tokens of a sequence. */
export function logitsAfter(
  parameters: ReadonlyMap<string, Float32Array>,
  embedded: readonly (readonly number[])[],
): Float32Array {
  const embedding = parameters.get(EMBEDDING)!
  const hidden = Array.from({ length: HIDDEN }, (_, k) =>
    embedded.reduce((sum, token, i) => sum + DECAY ** (embedded.length - 1 - i) * token[k]!, 0),
  )
  return Float32Array.from({ length: VOCABULARY }, (_, token) => {
    let sum = 0
    for (let k = 0; k < HIDDEN; k++) sum += embedding[token * HIDDEN + k]! * hidden[k]!
    return 2 * sum
  })
}

/** The functions of a library, over parameters with MLC's names. */
export interface CompiledModel {
  vocabulary: number
  /** Length of an embedded token. */
  hidden: number
  embed(parameters: ReadonlyMap<string, Float32Array>, token: number): number[]
  /** Logits [V] after the embedded tokens of a sequence. */
  logits(parameters: ReadonlyMap<string, Float32Array>, embedded: readonly (readonly number[])[]): Float32Array
}

export const SMALL_MODEL: CompiledModel = {
  vocabulary: VOCABULARY,
  hidden: HIDDEN,
  embed: embedToken,
  logits: logitsAfter,
}

/** log p of `tokens` after `prompt` at a temperature, computed from scratch for each. */
export function exactLogProbs(
  weights: ReadonlyMap<string, Float32Array>,
  prompt: readonly number[],
  tokens: readonly number[],
  temperature: number,
): number[] {
  const parameters = fusedWeights(weights)
  return tokens.map((token, i) => {
    const read = [...prompt, ...tokens.slice(0, i)].map((earlier) => embedToken(parameters, earlier))
    const logits = Array.from(logitsAfter(parameters, read), (value) => value / temperature)
    const largest = Math.max(...logits)
    return logits[token]! - largest - Math.log(logits.reduce((sum, value) => sum + Math.exp(value - largest), 0))
  })
}

/** The weights in a quantisation. */
export function roundedWeights(
  weights: ReadonlyMap<string, Float32Array>,
  quantization: 'q0f16' | 'q0f32',
): Map<string, Float32Array> {
  return new Map(
    [...weights].map(([name, values]) => {
      const [tensor] = encodeParameter({ name, shape: [values.length], parts: [] }, values, quantization)
      return [name, decodeFloats(tensor!.bytes, tensor!.dtype)]
    }),
  )
}

export const RECORD: ModelRecord = {
  model_id: 'small-model',
  model: 'https://models.test/small-model',
  model_lib: 'https://models.test/small-model.wasm',
}

/** A whole WebAssembly module without content. */
export const EMPTY_MODULE = Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0)

/** Files in memory, with the small model under the record's address. */
export class MemoryFiles implements ModelFiles {
  readonly stored = new Map<string, Uint8Array<ArrayBuffer>>()

  constructor(weights: ReadonlyMap<string, Float32Array>, quantization: MlcQuantization = 'q0f32') {
    const folder = modelFolder(RECORD.model)
    const json = (value: unknown) => new TextEncoder().encode(JSON.stringify(value))
    this.stored.set(`${folder}mlc-chat-config.json`, json({ conv_template: { stop_token_ids: [STOP] } }))
    this.stored.set(`${folder}tokenizer.json`, json(tinyTokenizerJson()))
    const fused = fusedWeights(weights)
    const tensors = PARAMETERS.flatMap((parameter) =>
      encodeParameter(parameter, fused.get(parameter.name)!, quantization),
    )
    for (const { name, bytes } of writeTensorCache(tensors, 4096)) this.stored.set(folder + name, bytes)
  }

  /** Files of another model under the same address, instead of the small one's. */
  replace(files: Iterable<{ name: string; bytes: Uint8Array<ArrayBuffer> }>): void {
    const folder = modelFolder(RECORD.model)
    this.stored.clear()
    for (const { name, bytes } of files) this.stored.set(folder + name, bytes)
  }

  async read(_scope: CacheScope, address: string): Promise<Uint8Array<ArrayBuffer>> {
    const bytes = this.stored.get(address) ?? (address === RECORD.model_lib ? EMPTY_MODULE : undefined)
    if (!bytes) throw new ModelFileError(`${address} is not there.`, { isMissing: true })
    return bytes
  }

  async write(_scope: CacheScope, address: string, bytes: Uint8Array<ArrayBuffer>): Promise<void> {
    this.stored.set(address, bytes)
  }

  async list(): Promise<{ address: string; bytes: number }[]> {
    return [...this.stored].map(([address, { length }]) => ({ address, bytes: length }))
  }

  async remove(_scope: CacheScope, address: string): Promise<void> {
    this.stored.delete(address)
  }
}
