import type * as tf from '@tensorflow/tfjs-core'
import { AngleTables } from '../rotation-angles.ts'
import type { GpuBackend } from './gpu-backend.ts'

interface AngleTable {
  /** [2, positions, headDim / 2]: cosines, then sines. The device's own functions are too coarse for angles as large as positions. */
  angles: tf.TensorInfo
  positions: number
}

export const angleTables = new AngleTables<GpuBackend, AngleTable>(
  (backend, { positions, cosines, sines }) => {
    const values = new Float32Array(cosines.length + sines.length)
    values.set(cosines)
    values.set(sines, cosines.length)
    const shape = [2, positions, cosines.length / positions]
    return { angles: backend.makeTensorInfo(shape, 'float32', values), positions }
  },
  (backend, { angles }) => void backend.disposeData(angles.dataId),
)
