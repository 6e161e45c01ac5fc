/** Giving a few plans the distributions of thousands of games. */
import { totalOf, type RowCounts } from './scene-counts.ts'

/** Each answer as often as its share of the places asks for, by largest remainders; in the order of the answers. */
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

/** A question that every plan answers: the official shares of the answers, and the plans that give each of them. */
export interface Question {
  shares: readonly number[]
  /** [plan] the number of its answer. */
  answers: readonly number[]
}

const evenness = 0.3

/**
 * How often each plan is to be played, so that the shares of the answers come nearest to the official ones: the minimum of
 *
 *     Σ_questions Σ_answers (Σ_plans w − share)² / share  +  evenness · n · Σ_plans (w − 1/n)²
 *
 * by coordinate descent. Shares that 28 equal plans miss by a rounding are thus met, with no plan played much more often
 * than another (official plans differ by far more).
 *
 * @param fixed weights that are given, or null where one is looked for
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
