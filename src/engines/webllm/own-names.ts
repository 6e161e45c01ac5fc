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
  isTerminated(): boolean
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
  grammarMatcher?: Matcher | undefined
  responseFormatCacheKey?: string | undefined
}

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

/** What `openInternals` requires of a pipeline: path below it, and type. */
export const NEEDED: readonly (readonly [path: string, kind: 'function' | 'object' | 'number'])[] = [
  ...[
    'beginScope',
    'endScope',
    'detachFromCurrentScope',
    'makeShapeTuple',
    'scalar',
    'empty',
    'cpu',
    'getGlobalFunc',
  ].map((name) => [`tvm.${name}`, 'function'] as const),
  ['device.sync', 'function'],
  ['vm.getFunction', 'function'],
  ['params.get', 'function'],
  ['embed', 'function'],
  ['prefillChunkSize', 'number'],
  ['fclearKVCaches', 'function'],
  ['fKVCacheAddSequence', 'function'],
  ['fKVCacheBeginForward', 'function'],
  ['fKVCacheEndForward', 'function'],
  ['prepareGrammarMatcherForSampling', 'function'],
]
/** Likewise of its tensors. */
export const TENSOR_METHODS = ['copyFrom', 'copyFromRawBytes', 'toRawBytes', 'view', 'getDataPtr'] as const
/** And of TVM's context of the graphics adapter. */
export const GPU_CONTEXT = ['flushCommands', 'gpuBufferFromPtr'] as const
