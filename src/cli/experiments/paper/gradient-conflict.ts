/**
 * Whether outcomes and votes ask the same of the policy. Within a comparison set (task, step index) of n rollouts, each signal
 * alone would give the advantages
 *
 *     a_j = O_j − mean O          b_j = λ (S̄_j − mean S̄)
 *
 * and a policy gradient is the sum of advantage · ∇ log π over the steps. With the same steps on both sides, its two parts
 * conflict where a_j and b_j have opposite signs. This estimates the conflict of gradients without computing any:
 *
 *     conflict      share of steps with a_j b_j < 0, of those with a_j b_j ≠ 0
 *     correlation   Σ a b / √(Σ a² Σ b²)
 *
 * λ scales b and changes neither.
 */
import { groupBy } from '../../../method/advantages.ts'
import { mean } from '../../../results/moments.ts'

export interface ConflictStep {
  task: string
  /** Step index. */
  index: number
  outcome: number
  /** S̄ */
  score: number
}

/** Rounding of means of votes. */
const TINY = 1e-9

export class GradientConflict {
  #conflicting = 0
  #compared = 0
  #ab = 0
  #aa = 0
  #bb = 0

  /** Adds the steps of one iteration. */
  add(steps: readonly ConflictStep[]): void {
    for (const set of groupBy(steps.map((step) => ({ ...step, key: `${step.index} ${step.task}` })))) this.#addSet(set)
  }

  #addSet(set: readonly ConflictStep[]): void {
    const outcome = mean(set.map((step) => step.outcome))
    const score = mean(set.map((step) => step.score))
    for (const step of set) {
      const [a, b] = [step.outcome - outcome, step.score - score]
      this.#ab += a * b
      this.#aa += a * a
      this.#bb += b * b
      if (Math.abs(a) < TINY || Math.abs(b) < TINY) continue
      this.#compared++
      if (a * b < 0) this.#conflicting++
    }
  }

  /** Null if no step has both signals. */
  get conflict(): number | null {
    return this.#compared > 0 ? this.#conflicting / this.#compared : null
  }

  get correlation(): number | null {
    const norm = Math.sqrt(this.#aa * this.#bb)
    return norm > TINY ? this.#ab / norm : null
  }
}
