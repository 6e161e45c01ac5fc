/**
 * Whether counts could come from given shares.
 *
 * Pearson's statistic over several rows of answers, each with shares p₀ of its own,
 *
 *     X² = Σ_rows Σ_answers (O − E)² / E,      E = N_row · p₀,
 *
 * is χ²-distributed if all answers are independent. Here they come by the game: one game tells of forty objects, and its
 * floor plan decides for many of them. So X² is corrected for clusters as Rao and Scott (1984, "On chi-squared tests for
 * multiway contingency tables with cell proportions estimated from survey data", second order): with the covariance Σ of
 * the cells (O − E)/√E, estimated from one game to the next, X² has the mean tr Σ and the variance 2 tr Σ², and
 *
 *     X² · tr Σ / tr Σ²  is about χ² with  (tr Σ)² / tr Σ²  degrees of freedom.
 *
 * Where answers are independent, this is Pearson's test. Answers expected fewer than 5 times are taken together, and with
 * them those that the shares do not know: the shares are counts of a few thousand games, in which a rare answer may be
 * missing.
 */

/** The answers to every question of a table, by game: [question, answer]. */
export type Observations = readonly (readonly [question: string, answer: string])[]

/** [question][answer] share. */
export type Shares = ReadonlyMap<string, ReadonlyMap<string, number>>

export interface Fit {
  /** Answers that were counted, and those of them that the shares do not know. */
  answers: number
  unknown: number
  /** Pearson's statistic and its degrees of freedom, as if the answers were independent. */
  chiSquared: number
  degrees: number
  /** The same, corrected for games being clusters. */
  correctedChiSquared: number
  correctedDegrees: number
  p: number
  /** Cramér's V for a goodness of fit: √(X² / (N · degrees per row)); 0 is a perfect fit. */
  cramersV: number
  /** Total variation distance, the mean over questions weighted by their answers: share of answers that would have to move. */
  totalVariation: number
  /** What that distance comes to by chance alone where the shares are right and the answers independent. */
  totalVariationByChance: number
}

const leastExpected = 5

export function goodnessOfFit(games: readonly Observations[], shares: Shares): Fit {
  const cells = new Cells(games, shares)
  const { answers, unknown, chiSquared, degrees } = cells
  const { trace, traceOfSquare } = cells.covariance(games)
  const correctedChiSquared = traceOfSquare > 0 ? (chiSquared * trace) / traceOfSquare : 0
  const correctedDegrees = traceOfSquare > 0 ? trace ** 2 / traceOfSquare : 0
  return {
    answers,
    unknown,
    chiSquared,
    degrees,
    correctedChiSquared,
    correctedDegrees,
    p: chiSquaredTail(correctedChiSquared, correctedDegrees),
    cramersV: degrees > 0 ? Math.sqrt(chiSquared / cells.answerDegrees) : 0,
    totalVariation: cells.totalVariation,
    totalVariationByChance: cells.totalVariationByChance,
  }
}

const rest = ' rest'

/** Questions and answers with a number each; rare answers are the question's rest, its last cell. */
class Cells {
  answers = 0
  unknown = 0
  chiSquared = 0
  degrees = 0
  /** Σ over rows of N · (answers of the row − 1). */
  answerDegrees = 0
  totalVariation = 0
  totalVariationByChance = 0
  private readonly expected: number[] = []
  /** [question] its cells, by answer; what has none of its own counts towards the rarest. */
  private readonly rows = new Map<string, { cells: Map<string, number>; shares: Map<string, number>; rarest: number }>()

  constructor(games: readonly Observations[], shares: Shares) {
    for (const [question, seen] of countAnswers(games)) {
      const total = [...seen.values()].reduce((sum, count) => sum + count, 0)
      const wanted = shares.get(question) ?? new Map<string, number>()
      this.answers += total
      this.addDistances(seen, wanted, total)
      const pooled = pool(wanted, total)
      if (pooled.size < 2) continue
      const counts = new Map<string, number>()
      const rarest = [...pooled.keys()].at(-1)!
      for (const [answer, count] of seen) {
        const cell = pooled.has(answer) ? answer : rarest
        counts.set(cell, (counts.get(cell) ?? 0) + count)
      }
      const cells = new Map<string, number>()
      for (const [answer, share] of pooled) {
        cells.set(answer, this.expected.length)
        this.expected.push(total * share)
        this.chiSquared += ((counts.get(answer) ?? 0) - total * share) ** 2 / (total * share)
      }
      this.rows.set(question, { cells, shares: pooled, rarest: cells.get(rarest)! })
      this.degrees += pooled.size - 1
      this.answerDegrees += total * (pooled.size - 1)
    }
    if (this.answers > 0) {
      this.totalVariation /= this.answers
      this.totalVariationByChance /= this.answers
    }
  }

  private addDistances(seen: ReadonlyMap<string, number>, wanted: ReadonlyMap<string, number>, total: number): void {
    for (const answer of new Set([...seen.keys(), ...wanted.keys()])) {
      const share = wanted.get(answer) ?? 0
      if (share === 0) this.unknown += seen.get(answer) ?? 0
      this.totalVariation += Math.abs((seen.get(answer) ?? 0) - total * share) / 2
      // The mean of |O − E| for a binomial count, from its normal approximation.
      this.totalVariationByChance += Math.sqrt((2 * total * share * (1 - share)) / Math.PI) / 2
    }
  }

  /** Traces of Σ and Σ², Σ being the covariance of (O − E)/√E that the differences between games tell. */
  covariance(games: readonly Observations[]): { trace: number; traceOfSquare: number } {
    const width = this.expected.length
    const contributions = games.map((game) => {
      const contribution = new Float64Array(width)
      for (const [question, answer] of game) {
        const row = this.rows.get(question)
        if (!row) continue
        for (const [name, share] of row.shares) contribution[row.cells.get(name)!]! -= share
        contribution[row.cells.get(answer) ?? row.rarest]! += 1
      }
      for (let cell = 0; cell < width; cell++) contribution[cell]! /= Math.sqrt(this.expected[cell]!)
      return contribution
    })
    const mean = new Float64Array(width)
    for (const contribution of contributions) {
      for (let cell = 0; cell < width; cell++) mean[cell]! += contribution[cell]! / games.length
    }
    const covariance = new Float64Array(width * width)
    for (const contribution of contributions) {
      for (let i = 0; i < width; i++) {
        const a = contribution[i]! - mean[i]!
        if (a === 0) continue
        for (let j = 0; j <= i; j++) covariance[i * width + j]! += a * (contribution[j]! - mean[j]!)
      }
    }
    const scale = games.length > 1 ? games.length / (games.length - 1) : 0
    let trace = 0
    let traceOfSquare = 0
    for (let i = 0; i < width; i++) {
      trace += scale * covariance[i * width + i]!
      for (let j = 0; j <= i; j++) traceOfSquare += (i === j ? 1 : 2) * (scale * covariance[i * width + j]!) ** 2
    }
    return { trace, traceOfSquare }
  }
}

function countAnswers(games: readonly Observations[]): Map<string, Map<string, number>> {
  const counts = new Map<string, Map<string, number>>()
  for (const game of games) {
    for (const [question, answer] of game) {
      let answers = counts.get(question)
      if (!answers) counts.set(question, (answers = new Map<string, number>()))
      answers.set(answer, (answers.get(answer) ?? 0) + 1)
    }
  }
  return counts
}

/** Shares with the rare ones as one; together with the least of the others if they are still too rare. */
function pool(shares: ReadonlyMap<string, number>, total: number): Map<string, number> {
  const sorted = [...shares].filter(([, share]) => share > 0).sort(([, a], [, b]) => b - a)
  const kept = sorted.filter(([, share]) => share * total >= leastExpected)
  let left = sorted.slice(kept.length).reduce((sum, [, share]) => sum + share, 0)
  while (left > 0 && left * total < leastExpected && kept.length > 0) left += kept.pop()![1]
  if (left > 0) kept.push([rest, left])
  return new Map(kept)
}

/** P(χ² with this many degrees of freedom ≥ x): the regularised upper incomplete gamma function Q(degrees/2, x/2). */
export function chiSquaredTail(x: number, degrees: number): number {
  if (!(degrees > 0)) return 1
  return x <= 0 ? 1 : upperGamma(degrees / 2, x / 2)
}

/** Q(a, x), by the series of P = 1 − Q below the mean and by Lentz's continued fraction above it. */
function upperGamma(a: number, x: number): number {
  const front = Math.exp(a * Math.log(x) - x - logGamma(a))
  if (x < a + 1) {
    let term = 1 / a
    let sum = term
    for (let n = 1; n < 10_000 && term > sum * 1e-16; n++) sum += term *= x / (a + n)
    return 1 - front * sum
  }
  let b = x + 1 - a
  let c = 1e300
  let d = 1 / b
  let fraction = d
  for (let n = 1; n < 10_000; n++) {
    const numerator = -n * (n - a)
    b += 2
    d = 1 / (numerator * d + b)
    c = b + numerator / c
    fraction *= d * c
    if (Math.abs(d * c - 1) < 1e-15) break
  }
  return front * fraction
}

/** ln Γ(x) for x > 0, by Stirling's series after moving x above 10. */
function logGamma(x: number): number {
  let shift = 0
  while (x < 10) shift -= Math.log(x++)
  const square = 1 / (x * x)
  const series = (1 / 12 - square * (1 / 360 - square * (1 / 1260 - square * (1 / 1680 - square / 1188)))) / x
  return shift + (x - 0.5) * Math.log(x) - x + Math.log(2 * Math.PI) / 2 + series
}
