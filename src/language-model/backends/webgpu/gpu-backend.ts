import { WebGPUBackend } from '@tensorflow/tfjs-backend-webgpu'
import * as tf from '@tensorflow/tfjs-core'
import { ModelTooLargeError } from '../backend.ts'
import { type FourBitBlocks, floatsOfBlocks } from '../../weights/weight-storage.ts'
import { BindGroups } from './bind-groups.ts'
import { PRODUCT_SETTINGS, type ProductSettings } from './matmul-code.ts'
import { packHalf, unpackFourBits, unpackHalf } from './elementwise-code.ts'
import { type Program, shaderOf } from './program.ts'
import type { Part, Precision } from './rows-code.ts'
import { UniformArena } from './uniform-arena.ts'

/** Private members of TensorFlow.js's backend that we use. */
interface Internals {
  commandEncoder: GPUCommandEncoder | null
  computePassEncoder: GPUComputePassEncoder | null
  commandQueueOwnedIds: WeakSet<object>
  dispatchCountInPass: number
  bufferManager: { freeBuffers: ReadonlyMap<string, GPUBuffer[]> }
}

interface Pipeline {
  pipeline: GPUComputePipeline
  layout: GPUBindGroupLayout
  /** Numbers, with that of the workgroups. */
  numberOfUniforms: number
}

/** Smallest matrix worth storing in fewer bits; TensorFlow.js sometimes computes with smaller ones on the CPU. */
const LEAST_TO_SHRINK = 4096

/** The tensor that a program reads for a weight. */
export interface StoredWeight {
  tensor: tf.TensorInfo
  precision: Precision
}

/** Tensors and numbers for a program, by their names in its code. */
export interface Call<Reads extends string, Writes extends string, Uniforms extends string> {
  reads: Readonly<Record<Reads, tf.TensorInfo>>
  writes: Readonly<Record<Writes, tf.TensorInfo>>
  uniforms: Readonly<Record<Uniforms, number>>
  /** Workgroups. */
  groups: number
}

/**
 * TensorFlow.js's WebGPU backend with a second way to run programs: ours may write several tensors, change tensors in place and use
 * subgroups, and a call with the buffers of an earlier one makes no objects. Both ways record into the same commands.
 */
export class GpuBackend extends WebGPUBackend {
  /** Whether programs may use subgroups, because the device supports them. */
  usesSubgroups: boolean
  /**
   * Whether matrix products read weights in half precision, with single-precision sums: half the memory traffic in decoding, and an
   * error of 2^-11 of each weight. Optimisers use the weights themselves.
   */
  halfWeights = false
  /**
   * Commands are recorded until a result is read, so that a decode step is one submission. Tensors disposed meanwhile keep their memory
   * until then. Beyond these limits, which training reaches and decoding does not, recorded commands are submitted early.
   */
  mostWaitingBytes = 256e6
  mostDispatches = 1024
  products: ProductSettings = PRODUCT_SETTINGS
  /** Most logits in memory at a time: 64 MB. */
  mostLogits = 1 << 24
  readonly #arena: UniformArena
  readonly #bindGroups: BindGroups
  readonly #offset = new Uint32Array(1)
  readonly #pipelines = new Map<string, Pipeline>()
  /** Uploads for the commands being recorded, by their source. */
  readonly #uploads = new Map<object, tf.TensorInfo>()
  /** Half-precision copies of weights, by the weight's data. */
  readonly #halves = new WeakMap<object, tf.TensorInfo>()
  /** Sizes of weights that exist only in half precision. */
  readonly #halvesAlone = new WeakMap<object, number>()
  /** Four-bit blocks of weights, by the weight's data; kept even while the weight also has floats. */
  readonly #fourBits = new WeakMap<object, { blocks: tf.TensorInfo; size: number }>()
  /** Keys of the lists of free buffers that the next submission adds to, as the buffer manager writes them. */
  readonly #freedKinds = new Set<string>()
  #waitingBytes = 0
  #waitingDispatches = 0

  constructor(device: GPUDevice, adapterInfo?: GPUAdapterInfo) {
    super(device, adapterInfo)
    this.usesSubgroups = device.features.has('subgroups')
    this.#arena = new UniformArena(device)
    this.#bindGroups = new BindGroups(device)
  }

  allocate(shape: number[]): tf.TensorInfo {
    return this.makeTensorInfo(shape, 'float32', tf.util.sizeFromShape(shape) === 0 ? new Float32Array(0) : undefined)
  }

  /** Records a program run. Tensors that it only writes need no values yet; those that it changes do. */
  dispatch<Reads extends string, Writes extends string, Uniforms extends string>(
    program: Program<Reads, Writes, Uniforms>,
    call: Call<Reads, Writes, Uniforms>,
  ): void {
    if (call.groups === 0) return
    this.#record(program, call)
    // Copies read earlier are now stale.
    for (const name in program.writes) {
      const { dataId } = call.writes[name]
      Object.assign(this.tensorMap.get(dataId), { values: null })
      this.#forgetOther(dataId)
    }
  }

  /** Keeps what is known about the tensors that the program writes. */
  #record<Reads extends string, Writes extends string, Uniforms extends string>(
    program: Program<Reads, Writes, Uniforms>,
    { reads, writes, uniforms, groups }: Call<Reads, Writes, Uniforms>,
  ): void {
    const internals = this as unknown as Internals
    const { pipeline, layout, numberOfUniforms } = this.#pipelineOf(program)
    const buffers: GPUBuffer[] = []
    for (const name in program.writes) buffers.push(this.#bufferOf(writes[name]))
    for (const name in program.reads) buffers.push(this.#bufferOf(reads[name]))

    const { binding, offset, values } = this.#arena.take(numberOfUniforms)
    values.setInt32(0, groups, true)
    let at = 4
    for (const name in program.uniforms) {
      if (program.uniforms[name] === 'i32') values.setInt32(at, uniforms[name], true)
      else values.setFloat32(at, uniforms[name], true)
      at += 4
    }

    const mostInRow = this.device.limits.maxComputeWorkgroupsPerDimension
    const rows = Math.ceil(groups / mostInRow)
    this.ensureCommandEncoderReady()
    const pass = (internals.computePassEncoder ??= internals.commandEncoder!.beginComputePass())
    pass.setPipeline(pipeline)
    this.#offset[0] = offset
    pass.setBindGroup(0, this.#bindGroups.get(layout, buffers, binding), this.#offset, 0, 1)
    pass.dispatchWorkgroups(Math.ceil(groups / rows), rows)
    this.#submitIfFull()
  }

  /** The buffer of a tensor that a command being recorded uses. */
  #bufferOf({ dataId }: tf.TensorInfo): GPUBuffer {
    this.uploadToGPU(dataId)
    ;(this as unknown as Internals).commandQueueOwnedIds.add(dataId)
    return this.tensorMap.get(dataId).resource as GPUBuffer
  }

  override runWebGPUProgram(...args: Parameters<WebGPUBackend['runWebGPUProgram']>): tf.TensorInfo {
    // Its own count would make it submit every few dispatches.
    ;(this as unknown as Internals).dispatchCountInPass = 0
    const output = super.runWebGPUProgram(...args)
    this.#submitIfFull()
    return output
  }

  /** The value of a scalar that is not only on the device; null for others. */
  numberOf({ dataId, shape }: tf.TensorInfo): number | null {
    const { values } = this.tensorMap.get(dataId)
    return shape.length === 0 && values instanceof Float32Array ? values[0]! : null
  }

  /** Integers on the device, uploaded once per `source` for all commands of a submission. */
  uploadOnce(source: object, values: () => Int32Array): tf.TensorInfo {
    let uploaded = this.#uploads.get(source)
    if (!uploaded) {
      const made = values()
      uploaded = this.makeTensorInfo([made.length], 'int32', made)
      this.#uploads.set(source, uploaded)
    }
    return uploaded
  }

  /** The form of a weight that matrix products read: the one with the fewest bits. */
  storedOf(weight: tf.TensorInfo, part: Part): StoredWeight {
    const blocks = this.#fourBits.get(weight.dataId)?.blocks
    if (blocks) return { tensor: blocks, precision: 'four bits' }
    const half = part === 'f32' ? null : this.halfOf(weight)
    return half ? { tensor: half, precision: 'half' } : { tensor: weight, precision: 'single' }
  }

  /** The same, but in half precision only if the weight has no other form. */
  storedAloneOf(weight: tf.TensorInfo, part: Part): StoredWeight {
    const isHalf = this.#halvesAlone.has(weight.dataId)
    return isHalf || this.#fourBits.has(weight.dataId)
      ? this.storedOf(weight, part)
      : { tensor: weight, precision: 'single' }
  }

  /** A weight's half-precision copy, two numbers in a word, if weights are read so; made on first use and after each change. */
  halfOf(weight: tf.TensorInfo): tf.TensorInfo | null {
    const known = this.#halves.get(weight.dataId)
    if (known && (this.halfWeights || this.#halvesAlone.has(weight.dataId))) return known
    // Gradients get a clone of the weight, which shares its data.
    if (!this.halfWeights || !(weight instanceof tf.Variable) || weight.size % 4 !== 0) return null
    return this.#makeHalf(weight as tf.Variable)
  }

  /**
   * Stores a frozen weight in half precision and frees its single-precision numbers. Matrix products and embeddings read the halves.
   * Other readers get single-precision numbers, which stay until this is called again. Returns whether it did: small matrices, and those
   * with sides not divisible by four, stay as they are.
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
   * Stores a frozen weight in four bits and frees its floats. Readers that cannot use blocks get floats, which stay until this is called
   * again, then without `blocks`. Returns whether it did: small matrices stay as they are.
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
      // Commands that read the numbers must be submitted before the buffer is released.
      this.ensureCommandEncoderReady()
      this.#submit()
      this.#bindGroups.clear()
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

  /** Writes through the queue, which is safe for a free buffer, as no recorded command uses it. A copy command would end the pass. */
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

  /** Converts four-bit weights to floats here, as the device may have no room for the largest. */
  override async read(dataId: tf.DataId): Promise<tf.BackendValues> {
    const fourBit = this.#fourBitAlone(dataId)
    if (fourBit) {
      const words = (await super.read(fourBit.blocks.dataId)) as Int32Array
      // The backend would cache it.
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
    const { freeBuffers } = (this as unknown as Internals).bufferManager
    for (const kind of this.#freedKinds) this.#bindGroups.order(freeBuffers.get(kind) ?? [])
    this.#freedKinds.clear()
  }

  override disposeData(dataId: tf.DataId, force = false): boolean {
    const isReleased = super.disposeData(dataId, force)
    if (!isReleased) return false
    this.#forgetOther(dataId)
    if (this.tensorMap.has(dataId)) {
      const { resource } = this.tensorMap.get(dataId)
      if (resource instanceof GPUBuffer) {
        this.#waitingBytes += resource.size
        this.#freedKinds.add(`${resource.size}_${resource.usage}`)
      }
      if (this.#waitingBytes > this.mostWaitingBytes) this.#submit()
    }
    return true
  }

  override dispose(): void {
    this.#arena.dispose()
    super.dispose()
  }

  /** Restores single-precision numbers of a weight that has none, and keeps the form that they come from. */
  #restore(dataId: tf.DataId, size: number, program: Program<'x', 'y', 'parts'>, from: tf.TensorInfo): void {
    const most = this.device.limits.maxStorageBufferBindingSize
    if (4 * size > most)
      throw new ModelTooLargeError(
        `An operation needs a matrix of ${size.toLocaleString('en-GB')} weights in single precision, but this graphics device allows at most ${(most / 1e6).toFixed(0)} MB for one tensor. Use an operation that reads the weights as stored, or the CPU.`,
      )
    const usage = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST
    Object.assign(this.tensorMap.get(dataId), { resource: this.bufferManager.acquireBuffer(4 * size, usage) })
    this.#record(program, {
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

  /** Frees a weight's other forms beside its floats. */
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
      entries: types.map((type, binding) => ({
        binding,
        visibility: GPUShaderStage.COMPUTE,
        buffer: { type, hasDynamicOffset: type === 'uniform' },
      })),
    })
    const pipeline = this.device.createComputePipeline({
      label: program.name,
      layout: this.device.createPipelineLayout({ bindGroupLayouts: [layout] }),
      compute: {
        module: this.device.createShaderModule({ label: program.name, code: shaderOf(program) }),
        entryPoint: 'start',
      },
    })
    const made = { pipeline, layout, numberOfUniforms: Object.keys(program.uniforms).length + 1 }
    this.#pipelines.set(program.name, made)
    return made
  }
}
