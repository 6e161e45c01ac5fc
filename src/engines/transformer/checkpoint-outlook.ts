/**
 * What is known of a checkpoint before a weight of it is read: its configuration, the size of its files, and whether it would fit
 * where it is to compute. The run refuses by the same rules (role-memory.ts).
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
  /** Of its safetensors files. */
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
  /** Graphics memory that may be used; the CPU has an end of its own. */
  budgetBytes: number
  /** Of the graphics adapter: the largest buffer that a kernel reads. */
  maxStorageBufferBindingSize: number
}

export interface PlacedVerdict extends CheckpointVerdict {
  /** Bytes that there are. */
  limitBytes: number
  /** Bytes of a tensor that the graphics device does not take as one; null where it takes all. */
  tooLarge: number | null
}

/** Whether a checkpoint fits, and else the change that costs least. */
export function judgeCheckpoint(
  config: ModelConfig,
  use: CheckpointUse,
  { backend, budgetBytes, maxStorageBufferBindingSize }: CheckpointLimits,
): PlacedVerdict {
  const limitBytes = backend === 'cpu' ? CPU_MEMORY_BYTES : budgetBytes
  const verdict = checkCheckpoint(config, use, limitBytes, backend)
  const largest = largestTensor(config, use)
  if (backend === 'cpu' || largest <= maxStorageBufferBindingSize) return { ...verdict, limitBytes, tooLarge: null }
  // Weights in half precision come to the device in full: four bits alone are less at once.
  const smaller: CheckpointUse = { ...use, storage: 'four-bit' }
  const canBeSmaller = !use.isTrained || use.adapters !== null
  const isEnough = canBeSmaller && largestTensor(config, smaller) <= maxStorageBufferBindingSize
  const then = checkCheckpoint(config, smaller, limitBytes, backend)
  const change = !isEnough ? null : then.fits ? smaller : then.change
  return { ...verdict, fits: false, change, limitBytes, tooLarge: largest }
}

/** Bytes of the largest weight as it is given to the device. */
function largestTensor(config: ModelConfig, { storage }: CheckpointUse): number {
  const bytes = parameterShapes(config).map(({ shape }) => {
    const size = shape.reduce((product, side) => product * side, 1)
    return storage === 'four-bit' && isFourBitShape(shape) ? size * (5 / 8) : 4 * size
  })
  return Math.max(...bytes)
}
