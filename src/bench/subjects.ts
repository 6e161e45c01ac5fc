/** Who is measured: our own engine and peers behind the same few calls, each with the same weights. */
import type { BackendName } from '../language-model/backends/backend.ts'
import type { BenchModel, TokenBatch } from './bench-model.ts'

export interface TrainingSubject {
  /** "simd", "jax-js wasm". */
  name: string
  /** What a reader must know: version, threads. */
  note: string
  /** Mean negative log-likelihood of the targets and its gradient by parameter, shaped as in a model folder. */
  gradients(batch: TokenBatch): Promise<{ loss: number; gradients: ReadonlyMap<string, Float32Array> }>
  /** Forward, backward, clipping to a norm of 1, one AdamW update; the loss before it. Resolves when all of it is done. */
  step(batch: TokenBatch): Promise<number>
  dispose(): void
}

export interface GenerationSubject {
  name: string
  note: string
  /** [prompts · V] logits of what follows each prompt. */
  logits(prompts: readonly Int32Array[]): Promise<Float32Array>
  /** `count` likeliest tokens after each prompt, one after the other, with a cache of keys and values that starts empty. */
  generate(prompts: readonly Int32Array[], count: number): Promise<Int32Array[]>
  dispose(): void
}

export const LEARNING_RATE = 1e-4
export const MAX_GRAD_NORM = 1

/** A peer cannot run here; the message says why. */
export class PeerUnavailableError extends Error {
  override name = 'PeerUnavailableError'
}

/** A backend of TensorFlow.js, of which a thread can have several but uses one at a time. */
export interface StartedBackend {
  /** What a reader must know of it. */
  note: string
  /** Selects it; what ran on another one meanwhile does not matter. */
  use(): Promise<void>
}

/** Opens a subject on a model. Throws PeerUnavailableError. */
export type Open<Subject> = (model: BenchModel) => Promise<Subject>

/** Our own engine and its peers on one device. */
export interface Field<Subject, Own extends Subject = Subject> {
  device: BackendName
  own: Open<Own>
  peers: readonly Open<Subject>[]
}
