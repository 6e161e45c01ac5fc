import type { UpdateMetrics } from '../../method/ports.ts'

/** The metrics of an update without examples. */
export function noUpdate(): UpdateMetrics {
  return {
    pg_loss: 0,
    kl_loss: 0,
    ppo_kl: 0,
    pg_clipfrac: 0,
    entropy: 0,
    grad_norm: 0,
    lossTokens: 0,
    trainedTokens: 0,
  }
}
