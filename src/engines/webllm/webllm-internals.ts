/**
 * The only file that uses internals of @mlc-ai/web-llm, whose version is pinned for this reason (0.2.86).
 *
 * WebLLM decodes one sequence at a time and cannot change weights. Its library, TVM's virtual machine with MLC's compiled
 * functions, can do both: it has batched functions, a key/value cache that forks, and parameters that are ordinary buffers. Every
 * internal used here is checked when a model is loaded. If any is missing, the engine reports it and uses the slower public
 * interface (sequential-sampler.ts, reloaded-weights.ts).
 */
import { bytesPerElement } from '../../weight-formats/mlc-encoding.ts'
import { elementCount } from '../../weight-formats/mlc-parameters.ts'
import type { PublicEngine, ResponseFormat } from './surface.ts'
import type { Tokens } from '../../method/ports.ts'

export const PINNED_VERSION = '0.2.86'

/** Versions that were tried, by the interface of their libraries (`modelVersion`). */
const WORKING_VERSIONS: Readonly<Record<string, string>> = { 'v0_2_86/base': PINNED_VERSION }

/** This version of WebLLM was never tried. */
export class UnknownVersionError extends Error {
  override readonly name = 'UnknownVersionError'
}

/** Throws UnknownVersionError. */
export function checkVersion({ modelVersion }: { modelVersion: string }): void {
  if (Object.hasOwn(WORKING_VERSIONS, modelVersion)) return
  throw new UnknownVersionError(
    `This page was built with a version of WebLLM whose libraries are ${modelVersion}, which was not tried. Versions that work: ${Object.values(WORKING_VERSIONS).join(', ')}. Install one of them with npm install @mlc-ai/web-llm@${PINNED_VERSION}, or compile the libraries again and add the version to src/engines/webllm/webllm-internals.ts.`,
  )
}

// ------------------------------------------------------------------------------------------------ WebLLM's own names

interface TvmObject {
  dispose(): void
}
type PackedFunction = ((...args: unknown[]) => unknown) & TvmObject
interface Tensor extends TvmObject {
  readonly shape: number[]
  readonly dtype: string
  readonly byteOffset: number
  copyFrom(data: Tensor | Int32Array): Tensor
  copyFromRawBytes(bytes: Uint8Array): Tensor
  toRawBytes(): Uint8Array
  view(shape: number[]): Tensor
  getDataPtr(): number
}
interface TvmArray extends TvmObject {
  get(index: number): Tensor
}
interface Device {
  sync(): Promise<void>
}
interface GpuContext {
  device: GPUDevice
  flushCommands(): void
  gpuBufferFromPtr(pointer: number): GPUBuffer
}
interface Tvm {
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
interface Lock {
  acquire(): Promise<void>
  release(): Promise<void>
}
interface Matcher {
  getNextTokenBitmask(): Promise<Int32Array>
  acceptToken(token: number): boolean
  isTerminated(): boolean
  dispose(): void
}
interface Pipeline {
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

/** All required internals: path below the pipeline, and type. */
const NEEDED: readonly (readonly [path: string, kind: 'function' | 'object' | 'number'])[] = [
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
const COMPILED = ['_metadata', 'batch_prefill', 'batch_decode', 'batch_verify', 'create_tir_paged_kv_cache'] as const
const FORK = 'vm.builtin.kv_state_fork_sequence'
const TENSOR_METHODS = ['copyFrom', 'copyFromRawBytes', 'toRawBytes', 'view', 'getDataPtr'] as const
const GPU_CONTEXT = ['flushCommands', 'gpuBufferFromPtr'] as const

export const PAGE_TOKENS = 16

export interface ParameterInfo {
  index: number
  shape: readonly number[]
  dtype: string
  bytes: number
}

/** The tokens that a grammar allows next, for one sequence. */
export interface TokenMatcher {
  /** One bit for each token, the lowest first; [⌈V / 32⌉]. */
  allowed(): Promise<Int32Array>
  accept(token: number): void
  dispose(): void
}

/** Further tokens of a sequence. */
export interface SequenceRun {
  sequence: number
  tokens: Tokens
}

/** A weight on the GPU in the model's number type, to copy to a parameter or a part of it. All in bytes. */
export interface GpuSource {
  name: string
  buffer: GPUBuffer
  offset: number
  /** Destination in the parameter, and size; by default the whole. */
  part?: { offset: number; bytes: number }
}

export type InternalsFound = { internals: WebLlmInternals; missing: [] } | { internals: null; missing: string[] }

/** Call again after every load. Never throws: `missing` names unavailable internals. */
export function openInternals(engine: PublicEngine, modelId: string): InternalsFound {
  const read = (path: string, from: unknown): unknown =>
    path.split('.').reduce<unknown>((value, key) => (value as Record<string, unknown> | null | undefined)?.[key], from)
  const missing: string[] = []
  const pipelines: unknown = Reflect.get(engine, 'loadedModelIdToPipeline')
  const locks: unknown = Reflect.get(engine, 'loadedModelIdToLock')
  if (!(pipelines instanceof Map)) missing.push('engine.loadedModelIdToPipeline')
  if (!(locks instanceof Map)) missing.push('engine.loadedModelIdToLock')
  if (!(pipelines instanceof Map) || !(locks instanceof Map)) return { internals: null, missing }
  const pipeline = pipelines.get(modelId) as Pipeline | undefined
  const lock = locks.get(modelId) as Lock | undefined
  if (!pipeline) return { internals: null, missing: [`engine.loadedModelIdToPipeline.get("${modelId}")`] }
  for (const name of ['acquire', 'release']) if (typeof read(name, lock) !== 'function') missing.push(`lock.${name}`)
  for (const [path, kind] of NEEDED)
    if (typeof read(path, pipeline) !== kind) missing.push(`pipeline.${path} (${kind})`)
  if (missing.length > 0) return { internals: null, missing }

  const { tvm, vm } = pipeline
  tvm.beginScope()
  try {
    const found = new Map<string, PackedFunction>()
    const look = (name: string, get: (name: string) => PackedFunction) => {
      try {
        const compiled = get(name)
        if (typeof compiled !== 'function') throw new TypeError(name)
        found.set(name, tvm.detachFromCurrentScope(compiled))
      } catch {
        missing.push(`function ${name}`)
      }
    }
    for (const name of COMPILED) look(name, (compiled) => vm.getFunction(compiled))
    look(FORK, (global) => tvm.getGlobalFunc(global))
    const first = pipeline.params.get(0)
    for (const name of TENSOR_METHODS) if (typeof first[name] !== 'function') missing.push(`tensor.${name}`)
    const context: unknown = read('lib.webGPUContext', tvm)
    for (const name of GPU_CONTEXT) if (typeof read(name, context) !== 'function') missing.push(`webGPUContext.${name}`)
    if (missing.length > 0) return { internals: null, missing }
    return { internals: new WebLlmInternals(pipeline, lock!, found), missing: [] }
  } catch (error) {
    return { internals: null, missing: [`${error instanceof Error ? error.message : String(error)} (while looking)`] }
  } finally {
    tvm.endScope()
  }
}

export class WebLlmInternals {
  /** Most tokens that can be read at once. */
  readonly prefillChunk: number
  readonly parameters: ReadonlyMap<string, ParameterInfo>
  readonly #pipeline: Pipeline
  readonly #tvm: Tvm
  readonly #lock: Lock
  readonly #functions: ReadonlyMap<string, PackedFunction>
  #cache: TvmObject | null = null

  constructor(pipeline: Pipeline, lock: Lock, functions: ReadonlyMap<string, PackedFunction>) {
    this.#pipeline = pipeline
    this.#tvm = pipeline.tvm
    this.#lock = lock
    this.#functions = functions
    this.prefillChunk = pipeline.prefillChunkSize
    this.parameters = this.#scoped(() => {
      const metadata = JSON.parse(String(this.#function('_metadata')())) as {
        params: { name: string; shape: number[]; dtype: string }[]
      }
      return new Map(
        metadata.params.map(({ name, dtype }, index) => {
          // The library may leave sizes open (-1 for Llama's vocabulary), so the loaded tensor's are used.
          const { shape } = this.#pipeline.params.get(index)
          const bytes = elementCount(shape) * bytesPerElement(dtype)
          return [name, { index, shape: [...shape], dtype, bytes }] as const
        }),
      )
    })
  }

  /** Runs a job while WebLLM itself does not use the model. */
  async exclusively<T>(job: () => Promise<T>): Promise<T> {
    await this.#lock.acquire()
    try {
      return await job()
    } finally {
      await this.#lock.release()
    }
  }

  // ---------------------------------------------------------------------------------------------- sequences

  /** Opens a key/value cache beside WebLLM's, which holds one sequence. Replaces an earlier one. */
  openCache(sequences: number, tokens: number): void {
    this.#cache?.dispose()
    const shape = (size: number) => this.#tvm.makeShapeTuple([size])
    this.#cache = this.#scoped(() =>
      this.#tvm.detachFromCurrentScope(
        this.#function('create_tir_paged_kv_cache')(
          shape(sequences),
          shape(tokens),
          shape(this.prefillChunk),
          shape(PAGE_TOKENS),
          shape(0),
        ) as TvmObject,
      ),
    )
  }

  /** Removes all sequences. */
  clear(): void {
    this.#scoped(() => this.#pipeline.fclearKVCaches(this.#cache))
  }

  addSequence(sequence: number): void {
    this.#scoped(() => this.#pipeline.fKVCacheAddSequence(this.#cache, this.#tvm.scalar(sequence, 'int64')))
  }

  /** Makes `child` a copy of `parent` with shared pages. */
  fork(parent: number, child: number): void {
    const id = (sequence: number) => this.#tvm.scalar(sequence, 'int64')
    this.#scoped(() => this.#function(FORK)(this.#cache, id(parent), id(child), id(-1)))
  }

  /** Reads at most `prefillChunk` tokens of all runs. Logits [rows.length, V] after the tokens at `rows` of the concatenated runs. */
  async prefill(runs: readonly SequenceRun[], rows: readonly number[]): Promise<Float32Array> {
    const tokens = joined(runs)
    return this.#forward(runs, tokens, [1, tokens.length], 'batch_prefill', (embedded) => [
      embedded,
      this.#onDevice(Int32Array.from(rows)),
    ])
  }

  /** Reads one run. Logits [tokens, V] after each of its tokens. */
  async verify(run: SequenceRun): Promise<Float32Array> {
    return this.#forward([run], run.tokens, [1, run.tokens.length], 'batch_verify', (embedded) => [embedded])
  }

  /** Reads one token of each sequence. Logits [sequences, V]. */
  async decode(sequences: readonly number[], tokens: Tokens): Promise<Float32Array> {
    const runs = sequences.map((sequence, i) => ({ sequence, tokens: tokens.subarray(i, i + 1) }))
    return this.#forward(runs, tokens, [tokens.length, 1], 'batch_decode', (embedded) => [embedded])
  }

  async #forward(
    runs: readonly SequenceRun[],
    tokens: Tokens,
    shape: readonly [number, number],
    name: (typeof COMPILED)[number],
    inputs: (embedded: Tensor) => unknown[],
  ): Promise<Float32Array> {
    const host = this.#scoped(() => {
      const tuple = (values: number[]) => this.#tvm.makeShapeTuple(values)
      this.#pipeline.fKVCacheBeginForward(
        this.#cache,
        tuple(runs.map(({ sequence }) => sequence)),
        tuple(runs.map((run) => run.tokens.length)),
      )
      const embedded = this.#pipeline.embed(this.#onDevice(tokens), this.#pipeline.params) as Tensor
      const result = this.#function(name)(
        ...inputs(embedded.view([...shape, embedded.shape.at(-1)!])),
        this.#cache,
        this.#pipeline.params,
      ) as TvmArray
      this.#pipeline.fKVCacheEndForward(this.#cache)
      return this.#toHost(result.get(0))
    })
    const bytes = await this.#read(host)
    return new Float32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 4)
  }

  // ---------------------------------------------------------------------------------------------- parameters

  /** Queues the upload before the next computation. Bytes in the library's format, whose number is checked. */
  writeParameter(name: string, bytes: Uint8Array): void {
    this.#scoped(() => this.#parameter(name, bytes.length).copyFromRawBytes(bytes))
  }

  async readParameter(name: string): Promise<Uint8Array> {
    const host = this.#scoped(() => this.#toHost(this.#parameter(name)))
    return this.#read(host)
  }

  /** WebLLM's device, which is destroyed when WebLLM unloads or reloads. */
  get device(): GPUDevice {
    return this.#tvm.lib.webGPUContext.device
  }

  /** Copies on the device. Sources must be buffers of `device`. */
  copyParameters(sources: readonly GpuSource[]): void {
    const context = this.#tvm.lib.webGPUContext
    // Commands that WebLLM has encoded but not submitted still read the old weights.
    context.flushCommands()
    const encoder = context.device.createCommandEncoder()
    this.#scoped(() => {
      for (const { name, buffer, offset, part } of sources) {
        const target = this.#parameter(name)
        const whole = this.parameters.get(name)!.bytes
        const to = part ?? { offset: 0, bytes: whole }
        if (to.offset < 0 || to.offset + to.bytes > whole)
          throw new RangeError(
            `"${name}" has ${whole} bytes, but ${to.bytes} were to be written at offset ${to.offset}.`,
          )
        encoder.copyBufferToBuffer(
          buffer,
          offset,
          context.gpuBufferFromPtr(target.getDataPtr()),
          target.byteOffset + to.offset,
          to.bytes,
        )
      }
    })
    context.device.queue.submit([encoder.finish()])
  }

  #parameter(name: string, bytes?: number): Tensor {
    const info = this.parameters.get(name)
    if (info === undefined) throw new RangeError(`The compiled library has no parameter "${name}".`)
    if (bytes !== undefined && bytes !== info.bytes)
      throw new RangeError(
        `"${name}" has ${info.bytes} bytes as ${info.dtype} [${info.shape.join(', ')}], but ${bytes} were passed.`,
      )
    return this.#pipeline.params.get(info.index)
  }

  // ---------------------------------------------------------------------------------------------- grammars

  /** Creates a matcher for one sequence. WebLLM keeps only one, so it is removed from WebLLM to make it create the next. */
  async openMatcher(format: ResponseFormat): Promise<TokenMatcher> {
    const pipeline = this.#pipeline
    const forget = () => {
      pipeline.grammarMatcher = undefined
      pipeline.responseFormatCacheKey = undefined
    }
    pipeline.grammarMatcher?.dispose()
    forget()
    await pipeline.prepareGrammarMatcherForSampling({ response_format: format })
    const matcher = pipeline.grammarMatcher
    if (matcher === undefined) throw new Error('WebLLM created no matcher for the grammar.')
    forget()
    return {
      allowed: () => matcher.getNextTokenBitmask(),
      accept(token) {
        if (!matcher.acceptToken(token)) throw new Error(`The grammar refused token ${token}, which it had allowed.`)
      },
      dispose: () => matcher.dispose(),
    }
  }

  dispose(): void {
    this.#cache?.dispose()
    this.#cache = null
  }

  // ---------------------------------------------------------------------------------------------- TVM

  #function(name: string): PackedFunction {
    return this.#functions.get(name)!
  }

  /** Frees TVM objects created inside, unless detached. Scopes are a stack, so a scope must not be asynchronous. */
  #scoped<T>(job: () => T): T {
    this.#tvm.beginScope()
    try {
      return job()
    } finally {
      this.#tvm.endScope()
    }
  }

  #onDevice(values: Int32Array): Tensor {
    return this.#tvm.empty([values.length], 'int32', this.#pipeline.device).copyFrom(values)
  }

  #toHost(tensor: Tensor): Tensor {
    const host = this.#tvm.empty(tensor.shape, tensor.dtype, this.#tvm.cpu())
    return this.#tvm.detachFromCurrentScope(host.copyFrom(tensor))
  }

  async #read(host: Tensor): Promise<Uint8Array> {
    try {
      await this.#pipeline.device.sync()
      return host.toRawBytes()
    } finally {
      host.dispose()
    }
  }
}

function joined(runs: readonly SequenceRun[]): Tokens {
  return Int32Array.from(runs.flatMap(({ tokens }) => [...tokens]))
}
