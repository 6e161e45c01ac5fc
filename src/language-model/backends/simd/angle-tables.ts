import type { SimdBackend } from './simd-backend.ts'

export interface AngleTables {
  positions: number
  cosine: number
  sine: number
}
const tablesOfBackend = new WeakMap<SimdBackend, Map<string, AngleTables>>()

/** Tables [position][headDim/2] of cosines and sines that cover all positions asked for, kept for good: one set of frequencies a model. */
export function angleTables(
  backend: SimdBackend,
  inverseFrequencies: Float32Array,
  positions: Int32Array,
): AngleTables {
  let last = 0
  for (const position of positions) {
    if (position < 0) throw new RangeError(`Position ${position} is negative; positions count from 0.`)
    last = Math.max(last, position)
  }
  const tables = tablesOfBackend.get(backend) ?? new Map<string, AngleTables>()
  tablesOfBackend.set(backend, tables)
  const key = inverseFrequencies.join()
  const known = tables.get(key)
  if (known && known.positions > last) return known

  const half = inverseFrequencies.length
  const count = Math.max(512, 2 ** Math.ceil(Math.log2(last + 1)))
  if (known) for (const address of [known.cosine, known.sine]) backend.allocator.free(address)
  const cosine = backend.allocator.allocate(count * half * 4)
  const sine = backend.allocator.allocate(count * half * 4)
  const cosines = new Float32Array(backend.allocator.memory.buffer, cosine, count * half)
  const sines = new Float32Array(backend.allocator.memory.buffer, sine, count * half)
  for (let i = 0; i < count * half; i++) {
    const angle = Math.floor(i / half) * inverseFrequencies[i % half]!
    cosines[i] = Math.cos(angle)
    sines[i] = Math.sin(angle)
  }
  const made = { positions: count, cosine, sine }
  tables.set(key, made)
  return made
}
