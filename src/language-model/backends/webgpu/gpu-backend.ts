import * as tf from '@tensorflow/tfjs-core'
import { type FourBitBlocks, floatsOfBlocks } from '../../weights/weight-storage.ts'
import { ModelTooLargeError } from '../backend.ts'
import { packHalf, unpackFourBits, unpackHalf } from './elementwise-code.ts'
import { PRODUCT_SETTINGS, type ProductSettings } from './matmul-code.ts'
import type { Program } from './program.ts'
import { type Call, RecordingBackend } from './recording-backend.ts'
import type { Part, Precision } from './rows-code.ts'

/** Smallest matrix worth storing in fewer bits; TensorFlow.js sometimes computes with smaller ones on the CPU. */
const LEAST_TO_SHRINK = 4096

/** The tensor that a program reads for a weight. */
export interface StoredWeight {
  tensor: tf.TensorInfo
  precision: Precision
}

/** A weight in half precision or in blocks of four bits. */
interface OtherForm extends StoredWeight {
  /** Number of weights. */
  size: number
  /** Makes floats of it. */
  unpack: Program<'x', 'y', 'parts'>
}

/**
 * A backend whose weights may have another form, beside their floats or alone. Where it is alone, a reader that needs floats gets them
 * restored, and they stay until the form is kept alone again.
 */
export class GpuBackend extends RecordingBackend {
  /**
   * Whether matrix products read weights in half precision, with single-precision sums: half the memory traffic in decoding, and an
   * error of 2^-11 of each weight. Optimisers use the weights themselves.
   */
  halfWeights = false
  products: ProductSettings = PRODUCT_SETTINGS
  /** Most logits in memory at a time: 64 MB. */
  mostLogits = 1 << 24
  /** By the weight's data. */
  readonly #forms = new WeakMap<object, OtherForm>()

  /**
   * The form of a weight that matrix products read: the one with the fewest bits. If weights are read in half precision, that copy is
   * made on first use and after each change.
   */
  storedOf(weight: tf.TensorInfo, part: Part): StoredWeight {
    const form = this.#forms.get(weight.dataId)
    if (form?.precision === 'four bits') return form
    const single: StoredWeight = { tensor: weight, precision: 'single' }
    if (part === 'f32') return single
    if (form) return this.halfWeights || this.#formAlone(weight.dataId) ? form : single
    // Gradients get a clone of the weight, which shares its data.
    const isHalved = this.halfWeights && weight instanceof tf.Variable && weight.size % 4 === 0
    return isHalved ? this.#makeHalf(weight as tf.Variable) : single
  }

  /** The same, but in half precision only if the weight has no other form. */
  storedAloneOf(weight: tf.TensorInfo, part: Part): StoredWeight {
    const isFourBit = this.#forms.get(weight.dataId)?.precision === 'four bits'
    return isFourBit || this.#formAlone(weight.dataId)
      ? this.storedOf(weight, part)
      : { tensor: weight, precision: 'single' }
  }

  /**
   * Stores a frozen weight in half precision and frees its single-precision numbers. Matrix products and embeddings read the halves.
   * Other readers get single-precision numbers, which stay until this is called again. Returns whether it did: small matrices, and those
   * with sides not divisible by four, stay as they are.
   */
  keepHalfAlone(weight: tf.Variable): boolean {
    const { dataId, shape, size } = weight
    if (shape.length !== 2 || size < LEAST_TO_SHRINK || shape.some((side: number) => side % 4 !== 0)) return false
    if (!this.#forms.has(dataId)) this.#makeHalf(weight)
    this.#releaseFloats(dataId)
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
      this.#forgetForm(dataId)
      const tensor = this.makeTensorInfo([blocks.length], 'int32', blocks)
      this.uploadToGPU(tensor.dataId)
      this.#forms.set(dataId, { tensor, precision: 'four bits', size, unpack: unpackFourBits })
    }
    if (this.#forms.get(dataId)?.precision !== 'four bits') return false
    this.#releaseFloats(dataId)
    return true
  }

  override dispatch<Reads extends string, Writes extends string, Uniforms extends string>(
    program: Program<Reads, Writes, Uniforms>,
    call: Call<Reads, Writes, Uniforms>,
  ): void {
    super.dispatch(program, call)
    if (call.groups > 0) for (const name in program.writes) this.#forgetForm(call.writes[name].dataId)
  }

  override uploadToGPU(dataId: tf.DataId): void {
    const form = this.#formAlone(dataId)
    if (form) this.#restore(dataId, form)
    else super.uploadToGPU(dataId)
  }

  /** Converts four-bit weights to floats here, as the device may have no room for the largest. */
  override async read(dataId: tf.DataId): Promise<tf.BackendValues> {
    const form = this.#formAlone(dataId)
    if (form?.precision === 'four bits') {
      const words = (await super.read(form.tensor.dataId)) as Int32Array
      // The backend would cache it.
      Object.assign(this.tensorMap.get(form.tensor.dataId), { values: null })
      return floatsOfBlocks(words)
    }
    if (form) this.#restore(dataId, form)
    return super.read(dataId)
  }

  override readSync(dataId: tf.DataId): tf.BackendValues {
    const form = this.#formAlone(dataId)
    if (form) this.#restore(dataId, form)
    return super.readSync(dataId)
  }

  override disposeData(dataId: tf.DataId, force = false): boolean {
    const isReleased = super.disposeData(dataId, force)
    if (isReleased) this.#forgetForm(dataId)
    return isReleased
  }

  #makeHalf(weight: tf.Variable): OtherForm {
    const { dataId, size } = weight
    const tensor = this.allocate([size / 2])
    this.dispatch(packHalf, {
      reads: { x: weight },
      writes: { y: tensor },
      uniforms: { parts: size / 4 },
      groups: Math.ceil(size / 256),
    })
    const form: OtherForm = { tensor, precision: 'half', size, unpack: unpackHalf }
    this.#forms.set(dataId, form)
    return form
  }

  /** The form of a weight that has no floats; null for others. */
  #formAlone(dataId: tf.DataId): OtherForm | null {
    const form = this.#forms.get(dataId)
    if (!form) return null
    const { resource, values } = this.tensorMap.get(dataId)
    return (resource ?? null) === null && (values ?? null) === null ? form : null
  }

  #releaseFloats(dataId: tf.DataId): void {
    const data = this.tensorMap.get(dataId)
    if (data.resource instanceof GPUBuffer) this.releaseBuffer(data.resource)
    Object.assign(data, { resource: null, values: null })
  }

  /** Restores single-precision numbers of a weight that has none, and keeps the form that they come from. */
  #restore(dataId: tf.DataId, { size, unpack, tensor }: OtherForm): void {
    const most = this.device.limits.maxStorageBufferBindingSize
    if (4 * size > most)
      throw new ModelTooLargeError(
        `An operation needs a matrix of ${size.toLocaleString('en-GB')} weights in single precision, but this graphics device allows at most ${(most / 1e6).toFixed(0)} MB for one tensor. Use an operation that reads the weights as stored, or the CPU.`,
      )
    Object.assign(this.tensorMap.get(dataId), { resource: this.acquireBuffer(4 * size) })
    this.record(unpack, {
      reads: { x: tensor },
      writes: { y: { dataId, shape: [size], dtype: 'float32' } },
      uniforms: { parts: size / 4 },
      groups: Math.ceil(size / 256),
    })
  }

  /** Frees a weight's form beside its floats. */
  #forgetForm(dataId: tf.DataId): void {
    const form = this.#forms.get(dataId)
    this.#forms.delete(dataId)
    if (form) this.disposeData(form.tensor.dataId)
  }
}
