import { registerFor } from '../own-kernels.ts'
import type { SimdBackend } from './simd-backend.ts'

export const register = registerFor<SimdBackend>('simd')
