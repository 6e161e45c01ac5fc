import { AngleTables } from '../rotation-angles.ts'
import type { SimdBackend } from './simd-backend.ts'

/** Addresses of [positions, headDim / 2] values each. */
interface AngleTable {
  cosine: number
  sine: number
}

export const angleTables = new AngleTables<SimdBackend, AngleTable>(
  ({ allocator }, { cosines, sines }) => {
    const written = (values: Float32Array) => {
      const address = allocator.allocate(values.byteLength)
      new Float32Array(allocator.memory.buffer, address, values.length).set(values)
      return address
    }
    return { cosine: written(cosines), sine: written(sines) }
  },
  ({ allocator }, table) => [table.cosine, table.sine].forEach((address) => allocator.free(address)),
)
