/** Options of a set of low-rank adapters. */
import type { ProjectionName } from '../weights/projection-names.ts'

export interface LoraOptions {
  /** r, at least 1. */
  rank: number
  /** An adapter's output is scaled by alpha / rank. */
  alpha: number
  /** Probability of dropping a feature of an adapter's input in training, in [0, 1). */
  dropout: number
  /** The projections that have an adapter, in every layer. */
  targets: readonly ProjectionName[]
}

export class LoraError extends Error {
  override name = 'LoraError'
}

/** Throws LoraError for invalid options. */
export function checkLoraOptions({ rank, alpha, dropout, targets }: LoraOptions): void {
  const refuse = (what: string): never => {
    throw new LoraError(`A low-rank adapter ${what}.`)
  }
  if (!Number.isInteger(rank) || rank < 1) refuse(`cannot have rank ${rank}. Choose a whole number from 1 on`)
  if (!Number.isFinite(alpha)) refuse(`cannot have alpha ${alpha}. Choose a finite number; twice the rank is usual`)
  if (!(dropout >= 0 && dropout < 1)) refuse(`cannot have a dropout of ${dropout}. Choose a number from 0 to below 1`)
  if (targets.length === 0) refuse('needs a projection to change. Choose one or more')
}
