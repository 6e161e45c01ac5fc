/** What the measurement of a graphics adapter reports, one record a line, so that an interrupted one leaves what it had. */
import type { BackendName } from '../../language-model/backends/backend.ts'
import type { ProgramTime } from '../../language-model/backends/webgpu/time-programs.ts'

export interface AdapterRecord {
  kind: 'adapter'
  /** "NVIDIA H200", as the adapter names itself. */
  name: string
  details: Readonly<Record<string, string>>
}

/** A part of the suite begins. */
export interface PartRecord {
  kind: 'part'
  name: string
}

/** A comparison of the adapter's result with the CPU's. */
export interface CheckRecord {
  kind: 'check'
  name: string
  /** ‖a − b‖ / ‖b‖, largest over the results. */
  difference: number
  tolerance: number
  /** Programs of ours that ran on the adapter. */
  programs: readonly string[]
}

export const CEILINGS = ['copy', 'dispatch', 'multiply-add', 'product'] as const

export const CEILING_UNITS: Record<(typeof CEILINGS)[number], string> = {
  copy: 'GB/s',
  dispatch: 'µs',
  'multiply-add': 'GFLOP/s',
  product: 'GFLOP/s',
}

export interface CeilingRecord {
  kind: 'ceiling'
  name: (typeof CEILINGS)[number]
  /** In CEILING_UNITS. */
  value: number
  note: string
}

/** The product of a candidate's row that adds up all products, and the candidate that the others are compared with. */
export const ALL_PRODUCTS = 'all'
export const DEFAULT = 'default'

/** One candidate for a matrix product. */
export interface TileRecord {
  kind: 'tile'
  /** "512 × 1024 · 1024 × 4096", or "all" for their sum. */
  product: string
  candidate: string
  gflops: number
  isWarm: boolean
}

/** The matrix product's settings that the following measurements use. */
export interface TuningRecord {
  kind: 'tuning'
  settings: Readonly<Record<string, number | string>>
  isDefault: boolean
}

export interface SpeedRecord {
  kind: 'speed'
  /** "135 M, half precision, LoRA of rank 16" */
  model: string
  device: BackendName
  work: 'sampling' | 'training' | 'iteration'
  /** "64 prompts of 64, 32 sampled each" */
  sizes: string
  ms: number
  /** Sampled or trained tokens; both for an iteration. */
  tokens: number
  /** Useful floating-point operations, if counted. */
  operations?: number
  /** Fewest bytes that must be read: the weights once for every step, and the cached keys and values. */
  bytes?: number
  /** False if there was time for one call only, which also compiled the kernels. */
  isWarm: boolean
  /** The backend's own description. */
  note: string
}

/** How long the device runs each program of one call, by its own clock. */
export interface ProgramsRecord {
  kind: 'programs'
  model: string
  work: 'sampling' | 'training'
  sizes: string
  /** Longest first. */
  times: readonly ProgramTime[]
}

export interface LeftOutRecord {
  kind: 'left out'
  what: string
  why: string
}

/** The suite came to its end; without it, it was interrupted. */
export interface EndRecord {
  kind: 'end'
}

export type GpuRecord =
  | AdapterRecord
  | PartRecord
  | CheckRecord
  | CeilingRecord
  | TileRecord
  | TuningRecord
  | SpeedRecord
  | ProgramsRecord
  | LeftOutRecord
  | EndRecord
