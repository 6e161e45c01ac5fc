/**
 * What is known about a checkpoint before its weights are read: configuration, file sizes, and whether it fits into memory. On the
 * CPU a run refuses by the same rules (memory.ts); on WebGPU it refuses nothing, because the memory of a device is unknown.
 */
import type { ModelConfig } from '../../language-model/files/config.ts'
import { readModelConfig, readWeightBytes } from '../../language-model/files/model-folder.ts'
import { parameterShapes } from '../../language-model/weights/parameters.ts'
import { isFourBitShape, weightBytes } from '../../language-model/weights/weight-storage.ts'
import { modelFiles } from './model-files.ts'
import { checkCheckpoint, CPU_MEMORY_BYTES, type CheckpointUse, type CheckpointVerdict } from './memory.ts'

export interface CheckpointOutlook {
  name: string
  config: ModelConfig
  parameters: number
  /** Size of its safetensors files. */
  fileBytes: number
}

/** Reads config.json and the headers of the weights' files. Throws ModelFileError, ModelConfigError or SafetensorsError. */
export async function lookAtCheckpoint(location: string): Promise<CheckpointOutlook> {
  const reader = await modelFiles(location)
  const config = await readModelConfig(reader)
  const fileBytes = await readWeightBytes(reader, config)
  return { name: reader.name, config, parameters: weightBytes(config, 'float32') / 4, fileBytes }
}

export interface CheckpointLimits {
  backend: 'cpu' | 'webgpu'
  /** Graphics memory that may be used; the CPU has its own limit. */
  budgetBytes: number
  /** The adapter's largest buffer for a kernel. */
  maxStorageBufferBindingSize: number
}

export interface PlacedVerdict extends CheckpointVerdict {
  /** Available bytes. */
  limitBytes: number
  /** Bytes of a tensor that exceeds the graphics device's largest buffer; null if none does. */
  tooLarge: number | null
}

/** Whether a checkpoint fits, and if not, the cheapest change with which it would. */
export function judgeCheckpoint(
  config: ModelConfig,
  use: CheckpointUse,
  { backend, budgetBytes, maxStorageBufferBindingSize }: CheckpointLimits,
): PlacedVerdict {
  const limitBytes = backend === 'cpu' ? CPU_MEMORY_BYTES : budgetBytes
  const verdict = checkCheckpoint(config, use, limitBytes, backend)
  const largest = largestTensor(config, use)
  if (backend === 'cpu' || largest <= maxStorageBufferBindingSize) return { ...verdict, limitBytes, tooLarge: null }
  // Weights in half precision are uploaded as float32, so only four bits make a single tensor smaller.
  const smaller: CheckpointUse = { ...use, storage: 'four-bit' }
  const canBeSmaller = !use.isTrained || use.adapters !== null
  const isEnough = canBeSmaller && largestTensor(config, smaller) <= maxStorageBufferBindingSize
  const then = checkCheckpoint(config, smaller, limitBytes, backend)
  const change = !isEnough ? null : then.fits ? smaller : then.change
  return { ...verdict, fits: false, change, limitBytes, tooLarge: largest }
}

/** Bytes of the largest weight when uploaded to the device. */
function largestTensor(config: ModelConfig, { storage }: CheckpointUse): number {
  const bytes = parameterShapes(config).map(({ shape }) => {
    const size = shape.reduce((product, side) => product * side, 1)
    return storage === 'four-bit' && isFourBitShape(shape) ? size * (5 / 8) : 4 * size
  })
  return Math.max(...bytes)
}
