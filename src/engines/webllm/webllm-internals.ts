/**
 * The only file that calls internals of @mlc-ai/web-llm, whose version is pinned for this reason (version.ts).
 *
 * WebLLM decodes one sequence at a time and cannot change weights. Its library, TVM's virtual machine with MLC's compiled
 * functions, can do both: it has batched functions, a key/value cache that forks, and parameters that are ordinary buffers. Every
 * internal used here is checked when a model is loaded (open-internals.ts). If any is missing, the engine reports it and uses the
 * slower public interface (sequential-sampler.ts, reloaded-weights.ts). A grammar's matcher is checked when it is created.
 */
import { bytesPerElement } from '../../weight-formats/mlc-encoding.ts'
import { elementCount } from '../../weight-formats/mlc-parameters.ts'
import type { Tokens } from '../../method/ports.ts'
import { MissingInternalsError, missingNames } from './missing-names.ts'
import {
  COMPILED,
  FORK,
  type Lock,
  type PackedFunction,
  type Pipeline,
  type Tensor,
  type Tvm,
  type TvmArray,
  type TvmObject,
} from './own-names.ts'
import type { ResponseFormat } from './surface.ts'

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

  /**
   * Creates a matcher for one sequence. WebLLM keeps only one, so it is removed from WebLLM to make it create the next. Throws
   * MissingInternalsError.
   */
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
    if (matcher === undefined) throw new MissingInternalsError('WebLLM created no matcher for the grammar.')
    const missing = missingNames('matcher', matcher)
    // Left to WebLLM, which can still use and free it.
    if (missing.length > 0) throw new MissingInternalsError(`This version of WebLLM lacks ${missing.join(', ')}.`)
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
