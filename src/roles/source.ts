/**
 * Who plays a role. Plain data: what a form, a link and a run's log hold; addresses and sizes, never a key.
 *
 *     built-in     our small model for the world, trained whole
 *     checkpoint   a Hugging Face folder in our own transformer, of which adapters are trained; WebLLM may sample for it
 *     webllm       a model that WebLLM runs and nobody trains
 *     openai       a server that samples (vLLM, SGLang, transformers serve); nobody trains it
 *     tinker       a server that samples and trains adapters (Tinker's API)
 */
import type { LoraOptions } from '../language-model/lora/options.ts'
import { forRoles, type Role } from '../method/ports.ts'
import type { WeightStorage } from '../language-model/weights/weight-storage.ts'

export interface BuiltInSource {
  kind: 'built-in'
}

/** How the base weights lie on the device; adapters are float32 always. Half precision is WebGPU's. */
export { WEIGHT_STORAGES, type WeightStorage } from '../language-model/weights/weight-storage.ts'

export interface CheckpointSource {
  kind: 'checkpoint'
  /** Folder: an address, a path in Node, or `local:NAME` for one that a person gave the page. */
  location: string
  /** Null trains all weights, as the built-in models are; only float32 ones can be. */
  adapters: LoraOptions | null
  storage: WeightStorage
  /** Tokens that prompt and response may have together; what memory is kept for. Null is the model's own limit. */
  contextWindow: number | null
  /** Samples in place of our own transformer, with the weights given over after each update. */
  sampler: WebLlmModelSource | null
}

/** A model as WebLLM's list describes it. */
export interface ModelRecord {
  model_id: string
  /** Folder of the weights: an absolute http(s) address. */
  model: string
  /** Address of the compiled library, a WebAssembly file. */
  model_lib: string
  overrides?: { context_window_size?: number }
  required_features?: string[]
}

/** A model of WebLLM: from its list, or at addresses that you enter. */
export interface WebLlmModelSource {
  record: ModelRecord
  contextWindow: number
  /** Sequences that its cache holds at once. */
  sequences: number
}

export interface WebLlmRoleSource extends WebLlmModelSource {
  kind: 'webllm'
}

export interface OpenAiSource {
  kind: 'openai'
  /** With the version: http://127.0.0.1:8000/v1 */
  baseUrl: string
  model: string
  /** Requests in flight at most. */
  concurrency: number
  /** Of one request. */
  timeoutSeconds: number
}

export interface TinkerSource {
  kind: 'tinker'
  baseUrl: string
  /** As the server names it; its tokenizer is read from `tokenizer`. */
  baseModel: string
  /** Folder with tokenizer.json and tokenizer_config.json: an address, a path in Node, or `local:NAME`. */
  tokenizer: string
  rank: number
  timeoutSeconds: number
}

export type RoleSource = BuiltInSource | CheckpointSource | WebLlmRoleSource | OpenAiSource | TinkerSource
export type RoleSourceKind = RoleSource['kind']

/** Keys by base address. They stay in memory: no source, log, link or export has one. */
export type ServerKeys = Readonly<Record<string, string>>

/** A server's address as keys are found by it: without a slash at the end. */
export function serverAddress(baseUrl: string): string {
  return baseUrl.replace(/\/+$/, '')
}

/** Servers that a run's models are on. */
export function serversOf(sources: Iterable<RoleSource>): string[] {
  const addresses = Array.from(sources, (source) => ('baseUrl' in source ? [serverAddress(source.baseUrl)] : [])).flat()
  return [...new Set(addresses)]
}

/** The key of a server; null where there is none, as servers on one's own machine mostly want. */
export function keyFor(keys: ServerKeys, baseUrl: string): string | null {
  const found = Object.entries(keys).find(([address]) => serverAddress(address) === serverAddress(baseUrl))
  return found?.[1] || null
}

/** What a log calls a model: of a folder its name, on Hugging Face that of the repository. Never an address or a path. */
export function sourceName(source: RoleSource, shipped: string): string {
  switch (source.kind) {
    case 'built-in':
      return shipped
    case 'checkpoint':
      return folderName(source.location)
    case 'webllm':
      return source.record.model_id
    case 'openai':
      return source.model
    case 'tinker':
      return source.baseModel
  }
}

function folderName(location: string): string {
  const repository = /^https?:\/\/[^/]+\/[^/]+\/([^/]+)\/resolve\//.exec(location)?.[1]
  return (
    repository ??
    location
      .replace(/^local:/, '')
      .split(/[/\\]/)
      .filter(Boolean)
      .at(-1) ??
    location
  )
}

/** Runs of before keep addresses of folders, all of whose weights were trained. */
export function keptSource(kept: RoleSource | string): RoleSource {
  if (typeof kept !== 'string') return kept
  return { kind: 'checkpoint', location: kept, adapters: null, storage: 'float32', contextWindow: null, sampler: null }
}

/** The source of each role; roles without one get the built-in model. */
export function sourcesOf(given: Partial<Record<Role, RoleSource>> = {}): Record<Role, RoleSource> {
  return forRoles((role) => given[role] ?? { kind: 'built-in' })
}
