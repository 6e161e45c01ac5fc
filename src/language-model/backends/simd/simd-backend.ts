import { type backend_util, type DataType, type TensorInfo, util } from '@tensorflow/tfjs-core'
import { MathBackendCPU } from '@tensorflow/tfjs-backend-cpu'
import { GROUP } from '../../weights/group-quantization.ts'
import { BLOCK_WORDS, type FourBitBlocks, floatsOfBlocks } from '../../weights/weight-storage.ts'
import { Allocator } from './allocator.ts'
import type { KernelModule } from './kernel-module.ts'

/**
 * A tensor's values, in one of two places: in a JavaScript array, where stock kernels of tfjs-backend-cpu write them, or in the
 * WebAssembly memory, where our kernels write and to which they move their inputs at first use. Stock kernels read `values` from
 * either; the view is recreated after the memory grows. A weight in four bits has its blocks in the WebAssembly memory; its values
 * are computed from them at every read and not kept.
 */
class SimdTensorData {
  dtype: DataType
  refCount: number
  address: number | null = null
  /** Address of the blocks of a weight in four bits. */
  blocks: number | null = null
  /** Address of the panels of a weight that products have used several times. */
  panels: number | null = null
  panelBytes = 0
  /** Products with few rows that it has been the transposed right side of. */
  products = 0
  complexTensorInfos?: { real: TensorInfo; imag: TensorInfo }
  #allocator: Allocator
  #values: backend_util.BackendValues | undefined
  #length = 0

  constructor(allocator: Allocator, dtype: DataType, refCount: number, values?: backend_util.BackendValues) {
    this.#allocator = allocator
    this.dtype = dtype
    this.refCount = refCount
    this.#values = values
  }

  get values(): backend_util.BackendValues | undefined {
    if (this.address !== null) {
      const buffer = this.#allocator.memory.buffer
      const view = this.#values as Float32Array | undefined
      if (view?.buffer !== buffer) this.#values = new Float32Array(buffer, this.address, this.#length)
    } else if (this.blocks !== null) {
      const words = (this.#length / GROUP) * BLOCK_WORDS
      return floatsOfBlocks(new Int32Array(this.#allocator.memory.buffer, this.blocks, words))
    }
    return this.#values
  }

  placeAt(address: number, length: number): void {
    this.address = address
    this.#length = length
    this.#values = undefined
  }

  /** Releases everything but the blocks. */
  keepBlocks(blocks: number, length: number): void {
    this.address = null
    this.blocks = blocks
    this.#length = length
    this.#values = undefined
  }

  get length(): number {
    return this.#length
  }
}

/** Products with more rows spend little of their time on copying the weight into panels. */
const PACKED_ROWS = 512
/** In training, a weight changes after a few products; in sampling, it has hundreds. */
const PRODUCTS_BEFORE_PACKING = 8
const MOST_PANEL_BYTES = 64e6

/** Memory that lives as long as one kernel call. */
export interface Scratch {
  bytes(count: number): number
  int32(values: Int32Array): number
}

/**
 * The TensorFlow.js CPU backend with its float32 tensors in one WebAssembly memory. It has all stock kernels, copied from `cpu`, some
 * of them replaced by our own.
 */
export class SimdBackend extends MathBackendCPU {
  readonly kernels: KernelModule
  readonly allocator: Allocator
  /** The panels of the matrix product: too large to allocate for each of thousands of calls, small enough to keep. */
  readonly matmulScratch: number
  #panelBytes = 0

  constructor(kernels: KernelModule, memory: WebAssembly.Memory) {
    super()
    this.kernels = kernels
    this.allocator = new Allocator(memory)
    this.matmulScratch = this.allocator.allocate(kernels.matmulScratchBytes())
  }

  override write(values: backend_util.BackendValues, _shape: number[], dtype: DataType): object {
    const dataId = {}
    this.data.set(dataId, new SimdTensorData(this.allocator, dtype, 1, values))
    return dataId
  }

  override move(
    dataId: object,
    values: backend_util.BackendValues,
    _shape: number[],
    dtype: DataType,
    refCount: number,
  ): void {
    this.data.set(dataId, new SimdTensorData(this.allocator, dtype, refCount, values))
  }

  /** Copies values out of the WebAssembly memory, since the caller may keep the array longer than the tensor. */
  override readSync(dataId: object): backend_util.BackendValues {
    const data = this.data.get(dataId) as SimdTensorData
    return data.address === null ? super.readSync(dataId) : (data.values as Float32Array).slice()
  }

  override disposeData(dataId: object, force = false): boolean {
    if (!this.data.has(dataId)) return true
    const data = this.data.get(dataId) as SimdTensorData
    const { address, blocks } = data
    const isReleased = super.disposeData(dataId, force)
    if (isReleased && address !== null) this.allocator.free(address)
    if (isReleased && blocks !== null) this.allocator.free(blocks)
    if (isReleased) this.#releasePanels(data)
    return isReleased
  }

  override memory(): { unreliable: boolean; reasons: string[]; bytesInUse: number; bytesReserved: number } {
    return {
      unreliable: false,
      reasons: [],
      bytesInUse: this.allocator.bytesInUse,
      bytesReserved: this.allocator.bytesReserved,
    }
  }

  /** A new float32 tensor with undefined values in the WebAssembly memory. */
  allocate(shape: number[]): { info: TensorInfo; address: number } {
    const length = util.sizeFromShape(shape)
    const address = this.allocator.allocate(length * 4)
    const data = new SimdTensorData(this.allocator, 'float32', 1)
    data.placeAt(address, length)
    const dataId = {}
    this.data.set(dataId, data)
    return { info: { dataId, shape, dtype: 'float32' }, address }
  }

  /** Address of a float32 tensor in the WebAssembly memory, after moving it there if needed. Valid until the tensor is disposed. */
  addressOf(tensor: TensorInfo): number {
    const data = this.data.get(tensor.dataId) as SimdTensorData
    if (data.address !== null) return data.address
    if (tensor.dtype !== 'float32')
      throw new TypeError(`A SIMD kernel got a tensor of type ${tensor.dtype}, but only supports float32.`)
    if (data.blocks !== null) {
      const address = this.allocator.allocate(data.length * 4)
      this.kernels.dequantizeBlocks(data.blocks, address, data.length / GROUP)
      data.placeAt(address, data.length)
      return address
    }
    const values = data.values as Float32Array
    const address = this.allocator.allocate(values.length * 4)
    new Float32Array(this.allocator.memory.buffer, address, values.length).set(values)
    data.placeAt(address, values.length)
    return address
  }

  /** Address of the blocks of a weight in four bits, else null. */
  blocksOf(weight: TensorInfo): number | null {
    return (this.data.get(weight.dataId) as SimdTensorData).blocks
  }

  /**
   * Panels of a weight W[n, k] for a product of `rows` rows with Wᵀ, if it is used often enough to have them. Every token sampled
   * multiplies with the same weights, so they are copied into panels once instead of each time.
   */
  panelsOf(weight: TensorInfo, rows: number): number | null {
    const data = this.data.get(weight.dataId) as SimdTensorData
    if (data.panels !== null) return data.panels
    if (rows > PACKED_ROWS || ++data.products <= PRODUCTS_BEFORE_PACKING) return null
    const [n, k] = weight.shape as [number, number]
    const bytes = this.kernels.weightPanelBytes(n, k)
    if (this.#panelBytes + bytes > MOST_PANEL_BYTES) return null
    const address = this.addressOf(weight)
    data.panels = this.allocator.allocate(bytes)
    data.panelBytes = bytes
    this.#panelBytes += bytes
    this.kernels.packWeight(address, data.panels, n, k)
    return data.panels
  }

  /** Call before a kernel changes a tensor in place. */
  forgetPanels(tensor: TensorInfo): void {
    this.#releasePanels(this.data.get(tensor.dataId) as SimdTensorData)
  }

  #releasePanels(data: SimdTensorData): void {
    data.products = 0
    if (data.panels === null) return
    this.allocator.free(data.panels)
    this.#panelBytes -= data.panelBytes
    data.panels = null
  }

  /**
   * Stores a frozen weight in four bits and releases its floats. Matrix products and embeddings read the blocks. Other readers get
   * floats, which stay in the WebAssembly memory until this is called again, then without `blocks`. Returns whether it did.
   */
  keepFourBit(weight: TensorInfo, blocks?: FourBitBlocks): boolean {
    const data = this.data.get(weight.dataId) as SimdTensorData
    const { address: floats } = data
    let { blocks: address } = data
    if (blocks !== undefined) {
      if (address !== null) this.allocator.free(address)
      address = this.allocator.allocate(blocks.byteLength)
      new Int32Array(this.allocator.memory.buffer, address, blocks.length).set(blocks)
    }
    if (address === null) return false
    this.#releasePanels(data)
    data.keepBlocks(address, util.sizeFromShape(weight.shape))
    if (floats !== null) this.allocator.free(floats)
    return true
  }

  withScratch<T>(work: (scratch: Scratch) => T): T {
    const addresses: number[] = []
    const bytes = (count: number) => {
      const address = this.allocator.allocate(count)
      addresses.push(address)
      return address
    }
    const int32 = (values: Int32Array) => {
      const address = bytes(values.byteLength)
      new Int32Array(this.allocator.memory.buffer, address, values.length).set(values)
      return address
    }
    try {
      return work({ bytes, int32 })
    } finally {
      for (const address of addresses) this.allocator.free(address)
    }
  }
}
