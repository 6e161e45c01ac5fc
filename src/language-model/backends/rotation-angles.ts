/** Rotary position embeddings: the angle of position p and frequency i is p · inverseFrequencies[i]. */

export interface RotationAngles {
  /** Positions covered, from 0. */
  positions: number
  /** [positions, headDim / 2] */
  cosines: Float32Array
  sines: Float32Array
}

/** Equal frequencies of several models share a table. The text is written once for each array. */
const keys = new WeakMap<Float32Array, string>()

function keyOf(inverseFrequencies: Float32Array): string {
  const key = keys.get(inverseFrequencies) ?? inverseFrequencies.join()
  keys.set(inverseFrequencies, key)
  return key
}

/**
 * Angle tables on a device, one for each backend and set of frequencies. A table is kept forever, or replaced by a longer one when a
 * position exceeds it.
 */
export class AngleTables<Backend extends object, Table> {
  readonly #tables = new WeakMap<Backend, Map<string, { positions: number; table: Table }>>()

  constructor(
    private readonly write: (backend: Backend, angles: RotationAngles) => Table,
    private readonly free: (backend: Backend, table: Table) => void,
  ) {}

  /** Throws RangeError for a negative position. */
  get(backend: Backend, inverseFrequencies: Float32Array, positions: Int32Array): Table {
    let last = 0
    for (const position of positions) {
      if (position < 0) throw new RangeError(`Position ${position} is negative; positions count from 0.`)
      last = Math.max(last, position)
    }
    const tables = this.#tables.get(backend) ?? new Map<string, { positions: number; table: Table }>()
    this.#tables.set(backend, tables)
    const key = keyOf(inverseFrequencies)
    const known = tables.get(key)
    if (known && known.positions > last) return known.table

    if (known) this.free(backend, known.table)
    const angles = rotationAngles(inverseFrequencies, Math.max(512, 2 ** Math.ceil(Math.log2(last + 1))))
    const table = this.write(backend, angles)
    tables.set(key, { positions: angles.positions, table })
    return table
  }
}

function rotationAngles(inverseFrequencies: Float32Array, positions: number): RotationAngles {
  const half = inverseFrequencies.length
  const cosines = new Float32Array(positions * half)
  const sines = new Float32Array(positions * half)
  for (let i = 0; i < positions * half; i++) {
    const angle = Math.floor(i / half) * inverseFrequencies[i % half]!
    cosines[i] = Math.cos(angle)
    sines[i] = Math.sin(angle)
  }
  return { positions, cosines, sines }
}
