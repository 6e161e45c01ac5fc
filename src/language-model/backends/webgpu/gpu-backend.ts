import { WebGPUBackend } from '@tensorflow/tfjs-backend-webgpu'
import * as tf from '@tensorflow/tfjs-core'
import { ModelTooLargeError } from '../backend.ts'
import { type FourBitBlocks, floatsOfBlocks } from '../../weights/weight-storage.ts'
import { packHalf, unpackFourBits, unpackHalf } from './elementwise-code.ts'
import { type Program, shaderOf } from './program.ts'
import type { Part, Precision } from './rows-code.ts'
import { UniformArena } from './uniform-arena.ts'

/** What we need of TensorFlow.js's backend and it keeps to itself. */
interface Internals {
  commandEncoder: GPUCommandEncoder | null
  computePassEncoder: GPUComputePassEncoder | null
  commandQueueOwnedIds: WeakSet<object>
  dispatchCountInPass: number
}

interface Pipeline {
  pipeline: GPUComputePipeline
  layout: GPUBindGroupLayout
}

/** Numbers of a matrix from which on it is worth being kept in fewer bits; TensorFlow.js computes with less on the CPU now and then. */
const LEAST_TO_SHRINK = 4096

/** What a program is to read in the place of a weight. */
export interface StoredWeight {
  tensor: tf.TensorInfo
  precision: Precision
}

/** Tensors and numbers that a program is run with, by the names that its code has for them. */
export interface Call<Reads extends string, Writes extends string, Uniforms extends string> {
  reads: Readonly<Record<Reads, tf.TensorInfo>>
  writes: Readonly<Record<Writes, tf.TensorInfo>>
  uniforms: Readonly<Record<Uniforms, number>>
  /** Workgroups. */
  groups: number
}

/**
 * The WebGPU backend of TensorFlow.js with a second way to run programs beside its own: they may write several tensors, change
 * tensors in place and use subgroups, and a call costs one bind group and nothing else. Both ways record into the same commands.
 */
export class GpuBackend extends WebGPUBackend {
  /** Whether programs may use subgroups: where the device has them. */
  usesSubgroups: boolean
  /**
   * Whether weights are read in half precision by matrix products, whose sums stay single: half the memory traffic of decoding, and
   * an error of 2^-11 of each weight. Optimisers work on the weights themselves.
   */
  halfWeights = false
  /**
   * Commands are recorded until somebody reads a result, so that a decode step is one submission. Tensors disposed meanwhile keep their
   * memory until then; beyond these limits, which training reaches and decoding does not, what there is goes to the device.
   */
  mostWaitingBytes = 256e6
  mostDispatches = 1024
  /** Numbers of the output layer that are kept at a time, at most: 64 MB of them. */
  mostLogits = 1 << 24
  readonly #arena: UniformArena
  readonly #pipelines = new Map<string, Pipeline>()
  /** Uploads for the commands being recorded, by what they were made of. */
  readonly #uploads = new Map<object, tf.TensorInfo>()
  /** Weights in half precision, by the data of the weight. */
  readonly #halves = new WeakMap<object, tf.TensorInfo>()
  /** Of those, the ones that there is nothing else of: sizes of the weights. */
  readonly #halvesAlone = new WeakMap<object, number>()
  /** Blocks of weights in four bits, by the data of the weight: they stay also while there are floats of it. */
  readonly #fourBits = new WeakMap<object, { blocks: tf.TensorInfo; size: number }>()
  #waitingBytes = 0
  #waitingDispatches = 0

  constructor(device: GPUDevice, adapterInfo?: GPUAdapterInfo) {
    super(device, adapterInfo)
    this.usesSubgroups = device.features.has('subgroups')
    this.#arena = new UniformArena(device)
  }

  allocate(shape: number[]): tf.TensorInfo {
    return this.makeTensorInfo(shape, 'float32', tf.util.sizeFromShape(shape) === 0 ? new Float32Array(0) : undefined)
  }

  /** Records a program to run. What it writes need not have values yet; what it changes must. */
  dispatch<Reads extends string, Writes extends string, Uniforms extends string>(
    program: Program<Reads, Writes, Uniforms>,
    { reads, writes, uniforms, groups }: Call<Reads, Writes, Uniforms>,
  ): void {
    if (groups === 0) return
    const internals = this as unknown as Internals
    const { pipeline, layout } = this.#pipelineOf(program)
    const tensors: tf.TensorInfo[] = []
    for (const name in program.writes) tensors.push(writes[name])
    for (const name in program.reads) tensors.push(reads[name])
    const entries = tensors.map(({ dataId }, binding): GPUBindGroupEntry => {
      this.uploadToGPU(dataId)
      internals.commandQueueOwnedIds.add(dataId)
      return { binding, resource: { buffer: this.tensorMap.get(dataId).resource as GPUBuffer } }
    })
    // A copy that was read earlier would be of the old values.
    for (const name in program.writes) {
      Object.assign(this.tensorMap.get(writes[name].dataId), { values: null })
      this.#forgetOther(writes[name].dataId)
    }

    const { binding, values } = this.#arena.take(Object.keys(program.uniforms).length + 1)
    values.setInt32(0, groups, true)
    let at = 4
    for (const name in program.uniforms) {
      if (program.uniforms[name] === 'i32') values.setInt32(at, uniforms[name], true)
      else values.setFloat32(at, uniforms[name], true)
      at += 4
    }
    entries.push({ binding: entries.length, resource: binding })

    const mostInRow = this.device.limits.maxComputeWorkgroupsPerDimension
    const rows = Math.ceil(groups / mostInRow)
    this.ensureCommandEncoderReady()
    const pass = (internals.computePassEncoder ??= internals.commandEncoder!.beginComputePass())
    pass.setPipeline(pipeline)
    pass.setBindGroup(0, this.device.createBindGroup({ layout, entries }))
    pass.dispatchWorkgroups(Math.ceil(groups / rows), rows)
    this.#submitIfFull()
  }

  override runWebGPUProgram(...args: Parameters<WebGPUBackend['runWebGPUProgram']>): tf.TensorInfo {
    // Its own count would have it submit every few dispatches.
    ;(this as unknown as Internals).dispatchCountInPass = 0
    const output = super.runWebGPUProgram(...args)
    this.#submitIfFull()
    return output
  }

  /** Whole numbers on the device: made of `source` once for all commands of a submission. */
  uploadOnce(source: object, values: () => Int32Array): tf.TensorInfo {
    let uploaded = this.#uploads.get(source)
    if (!uploaded) {
      const made = values()
      uploaded = this.makeTensorInfo([made.length], 'int32', made)
      this.#uploads.set(source, uploaded)
    }
    return uploaded
  }

  /** A weight as a matrix product is to read it: in the fewest bits that it is kept in. */
  storedOf(weight: tf.TensorInfo, part: Part): StoredWeight {
    const blocks = this.#fourBits.get(weight.dataId)?.blocks
    if (blocks) return { tensor: blocks, precision: 'four bits' }
    const half = part === 'f32' ? null : this.halfOf(weight)
    return half ? { tensor: half, precision: 'half' } : { tensor: weight, precision: 'single' }
  }

  /** The same, in half precision only where there is nothing else. */
  storedAloneOf(weight: tf.TensorInfo, part: Part): StoredWeight {
    const isHalf = this.#halvesAlone.has(weight.dataId)
    return isHalf || this.#fourBits.has(weight.dataId)
      ? this.storedOf(weight, part)
      : { tensor: weight, precision: 'single' }
  }

  /** A weight in half precision, two numbers in a word, if weights are to be read so; made when first asked for and after each change. */
  halfOf(weight: tf.TensorInfo): tf.TensorInfo | null {
    const known = this.#halves.get(weight.dataId)
    if (known && (this.halfWeights || this.#halvesAlone.has(weight.dataId))) return known
    // A gradient is given a clone of the weight, which has its data.
    if (!this.halfWeights || !(weight instanceof tf.Variable) || weight.size % 4 !== 0) return null
    return this.#makeHalf(weight as tf.Variable)
  }

  /**
   * Keeps a weight in half precision and gives the memory of its single-precision numbers back: for what is not trained. Matrix products
   * and embeddings read it as it is. Whatever else asks for the weight gets single-precision numbers made of it, which stay until this
   * is called again. Says whether it is kept so: small matrices, and those whose sides four does not divide, are left as they are.
   */
  keepHalfAlone(weight: tf.Variable): boolean {
    const { dataId, shape, size } = weight
    if (this.#halvesAlone.has(dataId)) return true
    if (shape.length !== 2 || size < LEAST_TO_SHRINK || shape.some((side: number) => side % 4 !== 0)) return false
    if (!this.#halves.has(dataId)) this.#makeHalf(weight)
    this.#releaseFloats(dataId)
    this.#halvesAlone.set(dataId, size)
    return true
  }

  /**
   * Keeps a weight in four bits, with the same meaning: its floats go, and come back for whom the blocks are not enough until this is
   * called again; then without `blocks`, which it has already. Says whether it is kept so: small matrices are not.
   */
  keepFourBit(weight: tf.TensorInfo, blocks?: FourBitBlocks): boolean {
    const { dataId, shape } = weight
    const size = tf.util.sizeFromShape(shape)
    if (blocks !== undefined) {
      if (size < LEAST_TO_SHRINK) return false
      this.#forgetOther(dataId)
      const kept = this.makeTensorInfo([blocks.length], 'int32', blocks)
      this.uploadToGPU(kept.dataId)
      this.#fourBits.set(dataId, { blocks: kept, size })
    }
    if (!this.#fourBits.has(dataId)) return false
    this.#releaseFloats(dataId)
    return true
  }

  #releaseFloats(dataId: tf.DataId): void {
    const data = this.tensorMap.get(dataId)
    if (data.resource instanceof GPUBuffer) {
      // What reads the numbers must be on its way before they go.
      this.ensureCommandEncoderReady()
      this.#submit()
      this.bufferManager.releaseBuffer(data.resource, false)
    }
    Object.assign(data, { resource: null, values: null })
  }

  #makeHalf(weight: tf.Variable): tf.TensorInfo {
    const half = this.allocate([weight.size / 2])
    this.dispatch(packHalf, {
      reads: { x: weight },
      writes: { y: half },
      uniforms: { parts: weight.size / 4 },
      groups: Math.ceil(weight.size / 256),
    })
    this.#halves.set(weight.dataId, half)
    return half
  }

  /** Straight through the queue, which is safe for a buffer that is free: no recorded command uses it. Copying by command would end the pass. */
  override uploadToGPU(dataId: tf.DataId): void {
    const data = this.tensorMap.get(dataId)
    const { values } = data
    const sizeOfHalf = this.#halvesAlone.get(dataId)
    if (sizeOfHalf !== undefined) {
      this.#halvesAlone.delete(dataId)
      this.#restore(dataId, sizeOfHalf, unpackHalf, this.#halves.get(dataId)!)
      return
    }
    const fourBit = this.#fourBitAlone(dataId)
    if (fourBit) {
      this.#restore(dataId, fourBit.size, unpackFourBits, fourBit.blocks)
      return
    }
    if (data.resource !== undefined && data.resource !== null) return
    if (!(values instanceof Float32Array || values instanceof Int32Array) || values.length === 0) {
      super.uploadToGPU(dataId)
      return
    }
    const usage = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST
    const buffer = this.bufferManager.acquireBuffer(values.byteLength, usage)
    this.queue.writeBuffer(buffer, 0, values.buffer, values.byteOffset, values.byteLength)
    Object.assign(data, { values: null, resource: buffer })
  }

  /** A weight in four bits becomes floats here and not on the device, which may have no room for the largest. */
  override async read(dataId: tf.DataId): Promise<tf.BackendValues> {
    const fourBit = this.#fourBitAlone(dataId)
    if (fourBit) {
      const words = (await super.read(fourBit.blocks.dataId)) as Int32Array
      // It would be kept.
      Object.assign(this.tensorMap.get(fourBit.blocks.dataId), { values: null })
      return floatsOfBlocks(words)
    }
    if (this.#halvesAlone.has(dataId)) this.uploadToGPU(dataId)
    return super.read(dataId)
  }

  override readSync(dataId: tf.DataId): tf.BackendValues {
    if (this.#halvesAlone.has(dataId) || this.#fourBitAlone(dataId)) this.uploadToGPU(dataId)
    return super.readSync(dataId)
  }

  override submitQueue(): void {
    this.#arena.write(this.queue)
    super.submitQueue()
    this.#waitingBytes = 0
    this.#waitingDispatches = 0
    for (const { dataId } of this.#uploads.values()) this.disposeData(dataId)
    this.#uploads.clear()
  }

  override disposeData(dataId: tf.DataId, force = false): boolean {
    const isReleased = super.disposeData(dataId, force)
    if (!isReleased) return false
    this.#forgetOther(dataId)
    if (this.tensorMap.has(dataId)) {
      const { resource } = this.tensorMap.get(dataId)
      this.#waitingBytes += resource instanceof GPUBuffer ? resource.size : 0
      if (this.#waitingBytes > this.mostWaitingBytes) this.#submit()
    }
    return true
  }

  override dispose(): void {
    this.#arena.dispose()
    super.dispose()
  }

  /** Single-precision numbers of a weight of which there are others alone. */
  #restore(dataId: tf.DataId, size: number, program: Program<'x', 'y', 'parts'>, from: tf.TensorInfo): void {
    const most = this.device.limits.maxStorageBufferBindingSize
    if (4 * size > most)
      throw new ModelTooLargeError(
        `A matrix of ${size.toLocaleString('en-GB')} weights was asked for in single precision, and this graphics device takes at most ${(most / 1e6).toFixed(0)} MB as one. Use what works with the weights as they are stored, or the CPU.`,
      )
    const usage = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST
    Object.assign(this.tensorMap.get(dataId), { resource: this.bufferManager.acquireBuffer(4 * size, usage) })
    this.dispatch(program, {
      reads: { x: from },
      writes: { y: { dataId, shape: [size], dtype: 'float32' } },
      uniforms: { parts: size / 4 },
      groups: Math.ceil(size / 256),
    })
  }

  #fourBitAlone(dataId: tf.DataId): { blocks: tf.TensorInfo; size: number } | null {
    const known = this.#fourBits.get(dataId)
    if (!known) return null
    const { resource, values } = this.tensorMap.get(dataId)
    return (resource ?? null) === null && (values ?? null) === null ? known : null
  }

  /** Lets go of what a weight is stored in beside its floats. */
  #forgetOther(dataId: tf.DataId): void {
    this.#halvesAlone.delete(dataId)
    const others = [this.#halves.get(dataId), this.#fourBits.get(dataId)?.blocks]
    this.#halves.delete(dataId)
    this.#fourBits.delete(dataId)
    for (const other of others) if (other) this.disposeData(other.dataId)
  }

  #submitIfFull(): void {
    if (++this.#waitingDispatches >= this.mostDispatches) this.#submit()
  }

  #submit(): void {
    this.endComputePassEncoder()
    this.submitQueue()
  }

  #pipelineOf(program: Program<string, string, string>): Pipeline {
    const known = this.#pipelines.get(program.name)
    if (known) return known
    const types: GPUBufferBindingType[] = [
      ...Object.keys(program.writes).map(() => 'storage' as const),
      ...Object.keys(program.reads).map(() => 'read-only-storage' as const),
      'uniform',
    ]
    const layout = this.device.createBindGroupLayout({
      entries: types.map((type, binding) => ({ binding, visibility: GPUShaderStage.COMPUTE, buffer: { type } })),
    })
    const pipeline = this.device.createComputePipeline({
      label: program.name,
      layout: this.device.createPipelineLayout({ bindGroupLayouts: [layout] }),
      compute: {
        module: this.device.createShaderModule({ label: program.name, code: shaderOf(program) }),
        entryPoint: 'start',
      },
    })
    const made = { pipeline, layout }
    this.#pipelines.set(program.name, made)
    return made
  }
}
