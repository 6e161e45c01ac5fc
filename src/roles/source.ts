/**
 * The source of a role's model, as plain data for forms, links and kept runs: addresses and sizes, never a key.
 *
 *     built-in     our small model for the world; all weights are trained
 *     built-in-webllm   the same, but WebLLM samples for it
 *     checkpoint   a Hugging Face folder in our own transformer, usually trained with adapters; WebLLM may sample for it
 *     webllm       a model that WebLLM runs; not trained
 *     openai       a server that samples (vLLM, SGLang, transformers serve); not trained
 *     tinker       a server that samples and trains adapters (Tinker's API)
 */
import type { LoraOptions } from '../language-model/lora/options.ts'
import { forRoles, ROLES, type Role } from '../method/ports.ts'
import type { WeightStorage } from '../language-model/weights/weight-storage.ts'

export interface BuiltInSource {
  kind: 'built-in'
  /** The household's reward model from the beginning of its lessons in judging; acts in no other world or role. */
  isEarly?: boolean
}

/** Our transformer trains it, and WebLLM gets the weights after each update. */
export interface BuiltInWebLlmSource {
  kind: 'built-in-webllm'
  /** WebLLM samples in float16, which requires an adapter with shader-f16. Float32 if absent. */
  isHalf?: boolean
}

/** How the base weights are stored on the device; adapters are always float32. Half precision requires WebGPU. */
export { WEIGHT_STORAGES, type WeightStorage } from '../language-model/weights/weight-storage.ts'

export interface CheckpointSource {
  kind: 'checkpoint'
  /** Folder: an address, a path in Node, or `local:NAME` for a folder added to the page. */
  location: string
  /** Null trains all weights, which must be float32. */
  adapters: LoraOptions | null
  storage: WeightStorage
  /** Tokens that prompt and response may have together; determines memory use. Null is the model's own limit. */
  contextWindow: number | null
  /** Samples instead of our own transformer, and gets the weights after each update. */
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
  /** Sequences in its cache at once. */
  sequences: number
}

/** A folder whose model trains like a built-in one: all of its weights. */
export function folderSource(location: string): CheckpointSource {
  return { kind: 'checkpoint', location, adapters: null, storage: 'float32', contextWindow: null, sampler: null }
}

export interface WebLlmRoleSource extends WebLlmModelSource {
  kind: 'webllm'
}

export interface OpenAiSource {
  kind: 'openai'
  /** With the version: http://127.0.0.1:8000/v1 */
  baseUrl: string
  model: string
  /** Most requests in flight. */
  concurrency: number
  /** Limit for one request. */
  timeoutSeconds: number
}

export interface TinkerSource {
  kind: 'tinker'
  baseUrl: string
  /** Its name on the server. Its tokenizer is read from `tokenizer`. */
  baseModel: string
  /** Folder with tokenizer.json and tokenizer_config.json: an address, a path in Node, or `local:NAME`. */
  tokenizer: string
  rank: number
  timeoutSeconds: number
}

export type RoleSource =
  | BuiltInSource
  | BuiltInWebLlmSource
  | CheckpointSource
  | WebLlmRoleSource
  | OpenAiSource
  | TinkerSource
export type RoleSourceKind = RoleSource['kind']

/** Keys by base address. They stay in memory, and never enter a source, log, link or export. */
export type ServerKeys = Readonly<Record<string, string>>

/** A server's address without a final slash, by which keys are found. */
export function serverAddress(baseUrl: string): string {
  return baseUrl.replace(/\/+$/, '')
}

/** The servers of a run's models. */
export function serversOf(sources: Iterable<RoleSource>): string[] {
  const addresses = Array.from(sources, (source) => ('baseUrl' in source ? [serverAddress(source.baseUrl)] : [])).flat()
  return [...new Set(addresses)]
}

/** The key of a server; null without one, as for most local servers. */
export function keyFor(keys: ServerKeys, baseUrl: string): string | null {
  const found = Object.entries(keys).find(([address]) => serverAddress(address) === serverAddress(baseUrl))
  return found?.[1] || null
}

/** Ends the name of a shipped model that is sampled in half precision: its log differs from that in float32. */
const HALF = ' (float16)'

/** The shipped model that a name in a log stands for. */
export function shippedOfName(name: string): string {
  return name.endsWith(HALF) ? name.slice(0, -HALF.length) : name
}

/** A model's name in the log: the name of its folder or Hugging Face repository, never an address or a path. */
export function sourceName(source: RoleSource, shipped: string): string {
  switch (source.kind) {
    case 'built-in':
      return shipped
    case 'built-in-webllm':
      return source.isHalf ? shipped + HALF : shipped
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
  if (repository !== undefined) return repository
  const [name = location, parent] = location
    .replace(/^local:/, '')
    .split(/[/\\]/)
    .filter(Boolean)
    .toReversed()
  // A saved run has a folder for each role, so the run's folder tells them apart.
  return ROLES.some((role) => role === name) && parent !== undefined ? `${parent}/${name}` : name
}

/** Older runs keep the addresses of folders, with all weights trained. */
export function keptSource(kept: RoleSource | string): RoleSource {
  if (typeof kept !== 'string') return kept
  return { kind: 'checkpoint', location: kept, adapters: null, storage: 'float32', contextWindow: null, sampler: null }
}

/** The source of each role; roles without one get the built-in model. */
export function sourcesOf(given: Partial<Record<Role, RoleSource>> = {}): Record<Role, RoleSource> {
  return forRoles((role) => given[role] ?? { kind: 'built-in' })
}
