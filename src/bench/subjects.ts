/** What is measured: our engine and peers, with the same calls and the same weights. */
import type { BackendName } from '../language-model/backends/backend.ts'
import type { BenchModel, TokenBatch } from './bench-model.ts'

/** What a subject reports of its own process, if it runs in another than the suite. */
export interface OwnProcess {
  /** Processor time of all its threads so far. */
  processorMs?(): number
  /** Most memory that it has had; null if that is unknown. */
  peakBytes?(): number | null
}

/** The processor clock of a subject's own process; undefined if it runs in the suite's. */
export function processorClockOf(subject: OwnProcess): (() => number) | undefined {
  return subject.processorMs && (() => subject.processorMs!())
}

export interface TrainingSubject extends OwnProcess {
  /** "simd", "jax-js wasm". */
  name: string
  /** What a reader needs to know: version, threads. */
  note: string
  /** Mean negative log-likelihood of the targets and its gradient by parameter, with the shapes of a model folder. */
  gradients(batch: TokenBatch): Promise<{ loss: number; gradients: ReadonlyMap<string, Float32Array> }>
  /** Forward, backward, clipping to a norm of 1, one AdamW update; returns the loss before it. Resolves when all is done. */
  step(batch: TokenBatch): Promise<number>
  dispose(): void
}

export interface GenerationSubject extends OwnProcess {
  name: string
  note: string
  /** [prompts · V] logits of what follows each prompt. */
  logits(prompts: readonly Int32Array[]): Promise<Float32Array>
  /** Greedily decodes `count` tokens after each prompt, with a key/value cache that starts empty. */
  generate(prompts: readonly Int32Array[], count: number): Promise<Int32Array[]>
  dispose(): void
}

export const LEARNING_RATE = 1e-4
export const MAX_GRAD_NORM = 1

/** A peer cannot run here; the message says why. */
export class PeerUnavailableError extends Error {
  override name = 'PeerUnavailableError'
}

/** A TensorFlow.js backend; a thread can have several but uses one at a time. */
export interface StartedBackend {
  /** What a reader needs to know about it. */
  note: string
  /** Selects it, whichever backend is selected now. */
  use(): Promise<void>
}

/** Opens a subject on a model. Throws PeerUnavailableError. */
export type Open<Subject> = (model: BenchModel) => Promise<Subject>

/** Our engine and its peers on one device. */
export interface Field<Subject, Own extends Subject = Subject> {
  device: BackendName
  own: Open<Own>
  peers: readonly Open<Subject>[]
}
