import * as tf from '@tensorflow/tfjs-core'
import type { GpuBackend } from './gpu-backend.ts'

export interface AngleTable {
  /** [2, positions, headDim / 2]: cosines, then sines. The device's own are too coarse for angles as large as positions. */
  angles: tf.TensorInfo
  positions: number
}

const tablesOfBackend = new WeakMap<GpuBackend, Map<string, AngleTable>>()

/** A table that covers all positions asked for, kept for good: one set of frequencies a model. */
export function angleTable(backend: GpuBackend, inverseFrequencies: Float32Array, positions: Int32Array): AngleTable {
  let last = 0
  for (const position of positions) {
    if (position < 0) throw new RangeError(`Position ${position} is negative; positions count from 0.`)
    last = Math.max(last, position)
  }
  const tables = tablesOfBackend.get(backend) ?? new Map<string, AngleTable>()
  tablesOfBackend.set(backend, tables)
  const key = inverseFrequencies.join()
  const known = tables.get(key)
  if (known && known.positions > last) return known

  if (known) backend.disposeData(known.angles.dataId)
  const half = inverseFrequencies.length
  const count = Math.max(512, 2 ** Math.ceil(Math.log2(last + 1)))
  const values = new Float32Array(2 * count * half)
  for (let i = 0; i < count * half; i++) {
    const angle = Math.floor(i / half) * inverseFrequencies[i % half]!
    values[i] = Math.cos(angle)
    values[count * half + i] = Math.sin(angle)
  }
  const made = { angles: backend.makeTensorInfo([2, count, half], 'float32', values), positions: count }
  tables.set(key, made)
  return made
}
