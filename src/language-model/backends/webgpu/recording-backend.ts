import { WebGPUBackend } from '@tensorflow/tfjs-backend-webgpu'
import * as tf from '@tensorflow/tfjs-core'
import { BindGroups } from './bind-groups.ts'
import { type Program, shaderOf } from './program.ts'
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
export class RecordingBackend extends WebGPUBackend {
  /** Whether programs may use subgroups, because the device supports them. */
  usesSubgroups: boolean
  /**
   * Commands are recorded until a result is read, so that a decode step is one submission. Tensors disposed meanwhile keep their memory
   * until then. Beyond these limits, which training reaches and decoding does not, recorded commands are submitted early.
   */
  mostWaitingBytes = 256e6
  mostDispatches = 1024
  readonly #arena: UniformArena
  readonly #bindGroups: BindGroups
  readonly #offset = new Uint32Array(1)
  readonly #pipelines = new Map<string, Pipeline>()
  /** Uploads for the commands being recorded, by their source. */
  readonly #uploads = new Map<object, tf.TensorInfo>()
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
    this.record(program, call)
    // Copies read earlier are now stale.
    for (const name in program.writes) Object.assign(this.tensorMap.get(call.writes[name].dataId), { values: null })
  }

  /** Keeps what is known about the tensors that the program writes. */
  protected record<Reads extends string, Writes extends string, Uniforms extends string>(
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

  /** Writes through the queue, which is safe for a free buffer, as no recorded command uses it. A copy command would end the pass. */
  override uploadToGPU(dataId: tf.DataId): void {
    const data = this.tensorMap.get(dataId)
    const { values } = data
    if (data.resource !== undefined && data.resource !== null) return
    if (!(values instanceof Float32Array || values instanceof Int32Array) || values.length === 0) {
      super.uploadToGPU(dataId)
      return
    }
    const buffer = this.acquireBuffer(values.byteLength)
    this.queue.writeBuffer(buffer, 0, values.buffer, values.byteOffset, values.byteLength)
    Object.assign(data, { values: null, resource: buffer })
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

  protected acquireBuffer(bytes: number): GPUBuffer {
    const usage = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST
    return this.bufferManager.acquireBuffer(bytes, usage)
  }

  /** Commands that read the buffer are submitted first. */
  protected releaseBuffer(buffer: GPUBuffer): void {
    this.ensureCommandEncoderReady()
    this.#submit()
    this.#bindGroups.clear()
    this.bufferManager.releaseBuffer(buffer, false)
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
