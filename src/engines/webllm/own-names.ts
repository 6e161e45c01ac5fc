/** The internals of @mlc-ai/web-llm and of TVM below it, as far as they are used here. */
import type { ResponseFormat } from './surface.ts'

export interface TvmObject {
  dispose(): void
}
export type PackedFunction = ((...args: unknown[]) => unknown) & TvmObject
export interface Tensor extends TvmObject {
  readonly shape: number[]
  readonly dtype: string
  readonly byteOffset: number
  copyFrom(data: Tensor | Int32Array): Tensor
  copyFromRawBytes(bytes: Uint8Array): Tensor
  toRawBytes(): Uint8Array
  view(shape: number[]): Tensor
  getDataPtr(): number
}
export interface TvmArray extends TvmObject {
  get(index: number): Tensor
}
export interface Device {
  sync(): Promise<void>
}
export interface GpuContext {
  device: GPUDevice
  flushCommands(): void
  gpuBufferFromPtr(pointer: number): GPUBuffer
}
export interface Tvm {
  lib: { webGPUContext: GpuContext }
  beginScope(): void
  endScope(): void
  detachFromCurrentScope<T>(object: T): T
  makeShapeTuple(shape: number[]): unknown
  scalar(value: number, dtype: 'int64'): unknown
  empty(shape: number[], dtype: string, device: unknown): Tensor
  cpu(): unknown
  getGlobalFunc(name: string): PackedFunction
}
export interface Lock {
  acquire(): Promise<void>
  release(): Promise<void>
}
export interface Matcher {
  getNextTokenBitmask(): Promise<Int32Array>
  acceptToken(token: number): boolean
  dispose(): void
}
export interface Pipeline {
  tvm: Tvm
  device: Device
  vm: { getFunction(name: string): PackedFunction }
  params: TvmArray
  embed: PackedFunction
  prefillChunkSize: number
  fclearKVCaches: PackedFunction
  fKVCacheAddSequence: PackedFunction
  fKVCacheBeginForward: PackedFunction
  fKVCacheEndForward: PackedFunction
  prepareGrammarMatcherForSampling(config: { response_format: ResponseFormat }): Promise<void> | undefined
  grammarMatcher: Matcher | undefined
  responseFormatCacheKey: string | undefined
}

/** WebLLM's maps from a model's id, in its engine. */
export const PIPELINES = 'loadedModelIdToPipeline'
export const LOCKS = 'loadedModelIdToLock'

/** Compiled functions of a model's library. */
export const COMPILED = [
  '_metadata',
  'batch_prefill',
  'batch_decode',
  'batch_verify',
  'create_tir_paged_kv_cache',
] as const
/** A function of TVM itself. */
export const FORK = 'vm.builtin.kv_state_fork_sequence'

/** `property` can be anything, even undefined, but must be there. */
export type Kind = 'function' | 'object' | 'number' | 'string' | 'Map' | 'property'
/** A name that is added to an interface must be added to its check. */
type Kinds<Owner> = { readonly [Name in keyof Owner]: Kind }

const PIPELINE: Kinds<Pipeline> = {
  tvm: 'object',
  device: 'object',
  vm: 'object',
  params: 'object',
  embed: 'function',
  prefillChunkSize: 'number',
  fclearKVCaches: 'function',
  fKVCacheAddSequence: 'function',
  fKVCacheBeginForward: 'function',
  fKVCacheEndForward: 'function',
  prepareGrammarMatcherForSampling: 'function',
  grammarMatcher: 'property',
  responseFormatCacheKey: 'property',
}
const TVM: Kinds<Tvm> = {
  lib: 'object',
  beginScope: 'function',
  endScope: 'function',
  detachFromCurrentScope: 'function',
  makeShapeTuple: 'function',
  scalar: 'function',
  empty: 'function',
  cpu: 'function',
  getGlobalFunc: 'function',
}
const GPU_CONTEXT: Kinds<GpuContext> = { device: 'object', flushCommands: 'function', gpuBufferFromPtr: 'function' }
const TENSOR: Kinds<Tensor> = {
  shape: 'object',
  dtype: 'string',
  byteOffset: 'number',
  copyFrom: 'function',
  copyFromRawBytes: 'function',
  toRawBytes: 'function',
  view: 'function',
  getDataPtr: 'function',
  dispose: 'function',
}
const MATCHER: Kinds<Matcher> = { getNextTokenBitmask: 'function', acceptToken: 'function', dispose: 'function' }

/** Every name with its kind, by the path of its owner; owners before what they own. */
export const INTERNALS = {
  engine: { [PIPELINES]: 'Map', [LOCKS]: 'Map' },
  lock: { acquire: 'function', release: 'function' } satisfies Kinds<Lock>,
  pipeline: PIPELINE,
  'pipeline.device': { sync: 'function' } satisfies Kinds<Device>,
  'pipeline.vm': { getFunction: 'function' } satisfies Kinds<Pipeline['vm']>,
  'pipeline.params': { get: 'function', dispose: 'function' } satisfies Kinds<TvmArray>,
  'pipeline.tvm': TVM,
  'pipeline.tvm.lib': { webGPUContext: 'object' } satisfies Kinds<Tvm['lib']>,
  'pipeline.tvm.lib.webGPUContext': GPU_CONTEXT,
  /** Any parameter. */
  tensor: TENSOR,
  /** A pipeline has one only after its first grammar, so it is checked when one is created. */
  matcher: MATCHER,
} as const satisfies Record<string, Readonly<Record<string, Kind>>>
export type Owner = keyof typeof INTERNALS
