/** How a file of kernels registers them, and what several of them need. */
import { registerFor } from '../../own-kernels.ts'
import type { GpuBackend } from '../gpu-backend.ts'

export const register = registerFor<GpuBackend>('webgpu')

/** Workgroups of programs whose threads compute one part of the result each. */
export const groupsFor = (parts: number) => Math.ceil(parts / 64)
