/** Gives a few plans the distributions of thousands of games. */
import { totalOf, type RowCounts } from './scene-counts.ts'

/** Repeats each answer in proportion to its share of the places, by largest remainders, in the order of the answers. */
export function shareOut(answers: RowCounts, places: number): string[] {
  const total = totalOf(answers)
  const quotas = [...answers].map(([answer, count]) => {
    const exact = (places * count) / total
    return { answer, times: Math.floor(exact), remainder: exact - Math.floor(exact) }
  })
  let left = places - quotas.reduce((sum, { times }) => sum + times, 0)
  for (const quota of [...quotas].sort((a, b) => b.remainder - a.remainder)) if (left-- > 0) quota.times++
  return quotas.flatMap(({ answer, times }) => Array.from({ length: times }, () => answer))
}

/** A question about every plan: the official shares of its answers, and each plan's answer. */
export interface Question {
  shares: readonly number[]
  /** [plan] the index of its answer. */
  answers: readonly number[]
}

const evenness = 0.3

/**
 * Weights of the plans that bring the shares of the answers closest to the official ones: the minimum of
 *
 *     Σ_questions Σ_answers (Σ_plans w − share)² / share  +  evenness · n · Σ_plans (w − 1/n)²
 *
 * by coordinate descent. This corrects the rounding of shares to 28 equal plans, without playing any plan much more often than
 * another (official plans differ far more).
 *
 * @param fixed given weights, or null for weights to find
 */
export function evenWeights(questions: readonly Question[], fixed: readonly (number | null)[]): number[] {
  const n = fixed.length
  const weights = fixed.map((weight) => weight ?? 1 / n)
  const sums = questions.map(({ shares, answers }) => {
    const sum = shares.map(() => 0)
    answers.forEach((answer, plan) => (sum[answer]! += weights[plan]!))
    return sum
  })
  for (let sweep = 0; sweep < 200; sweep++) {
    for (let plan = 0; plan < n; plan++) {
      if (fixed[plan] !== null) continue
      let slope = evenness * n * (weights[plan]! - 1 / n)
      let curvature = evenness * n
      questions.forEach(({ shares, answers }, question) => {
        const answer = answers[plan]!
        slope += (sums[question]![answer]! - shares[answer]!) / shares[answer]!
        curvature += 1 / shares[answer]!
      })
      const change = Math.max(-0.8 * weights[plan]!, -slope / curvature)
      weights[plan]! += change
      questions.forEach(({ answers }, question) => (sums[question]![answers[plan]!]! += change))
    }
  }
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  return weights.map((weight) => weight / total)
}
