/**
 * A distance of texts from their embeddings, as seen from a collection of them (Mu and Viswanath, "All-but-the-top", 2018):
 *
 *     z = e - μ                             μ, the mean over the collection
 *     z ← z - Σ_k (u_k · z) u_k             u_k, the directions in which the collection spreads most, `directions` of them
 *     distance(a, b) = 1 - z_a · z_b / (|z_a| |z_b|)
 *
 * Embeddings of language models are anisotropic: they lie in a narrow cone around a mean that says how texts of this kind are
 * written, so that without centring all cosines are near 1, and what varies most after it is still how, not what: of a pool of
 * tasks, in which of its set phrasings each is put. 0 is the same direction; two texts that have nothing to do with one another
 * are about 1 apart, and at most 2.
 */

/** The directions of fewer texts than this are those texts, not their language: then the mean alone goes. */
export const FEWEST_TEXTS = 32
const ROUNDS = 300
const CONVERGED = 1e-12

export class EmbeddingSpace {
  readonly #mean: Float64Array
  readonly #directions: readonly Float64Array[]

  private constructor(mean: Float64Array, directions: readonly Float64Array[]) {
    this.#mean = mean
    this.#directions = directions
  }

  /** Of rows [texts][d]. One text has no mean to differ from, so nothing is taken from it. */
  static of(rows: readonly Float32Array[], directions: number): EmbeddingSpace {
    const mean = rows.length > 1 ? meanRow(rows) : new Float64Array(rows[0]?.length ?? 0)
    return new EmbeddingSpace(mean, rows.length < FEWEST_TEXTS ? [] : topDirections(rows, mean, directions))
  }

  /** A row as a unit vector of the space; zeros where nothing is left of it. */
  place(row: Float32Array): Float64Array {
    const z = Float64Array.from(row, (value, i) => value - (this.#mean[i] ?? 0))
    for (const direction of this.#directions) remove(z, direction)
    const length = Math.sqrt(dot(z, z))
    return length > 1e-9 * Math.sqrt(dot(row, row)) ? z.map((value) => value / length) : z.fill(0)
  }
}

/** Cosine distance of two placed rows, in [0, 2]; exactly 0 for equal ones, 1 where one of them is nothing. */
export function placedDistance(a: Float64Array, b: Float64Array): number {
  if (a.every((value, i) => value === b[i])) return 0
  return Math.min(2, Math.max(0, 1 - dot(a, b)))
}

export function meanRow(rows: readonly Float32Array[]): Float64Array {
  const mean = new Float64Array(rows[0]?.length ?? 0)
  for (const row of rows) row.forEach((value, i) => (mean[i]! += value / rows.length))
  return mean
}

/** Eigenvectors of the covariance, the largest first, by power iteration with deflation; fewer where the rows spread in fewer. */
export function topDirections(rows: readonly Float32Array[], mean: Float64Array, count: number): Float64Array[] {
  const d = mean.length
  const centred = rows.map((row) => Float64Array.from(row, (value, i) => value - mean[i]!))
  const covariance = Array.from({ length: d }, () => new Float64Array(d))
  for (const row of centred)
    for (let i = 0; i < d; i++) for (let j = 0; j < d; j++) covariance[i]![j]! += (row[i]! * row[j]!) / rows.length
  const total = covariance.reduce((sum, row, i) => sum + row[i]!, 0)
  const found: Float64Array[] = []
  while (found.length < Math.min(count, d)) {
    // The longest row is not at right angles to what is looked for, unless all are zero.
    let direction = Float64Array.from(longest(covariance))
    for (let round = 0; round < ROUNDS; round++) {
      const next = Float64Array.from(covariance, (row) => dot(row, direction))
      const length = Math.sqrt(dot(next, next))
      if (!(length > CONVERGED * total)) return found
      for (let i = 0; i < d; i++) next[i]! /= length
      const change = 1 - Math.abs(dot(next, direction))
      direction = next
      if (change < CONVERGED) break
    }
    const eigenvalue = dot(
      Float64Array.from(covariance, (row) => dot(row, direction)),
      direction,
    )
    covariance.forEach((row, i) => row.forEach((_, j) => (row[j]! -= eigenvalue * direction[i]! * direction[j]!)))
    found.push(direction)
  }
  return found
}

const longest = (rows: readonly Float64Array[]) =>
  rows.reduce((best, row) => (dot(row, row) > dot(best, best) ? row : best))

function remove(z: Float64Array, direction: Float64Array): void {
  const share = dot(z, direction)
  for (let i = 0; i < z.length; i++) z[i]! -= share * direction[i]!
}

function dot(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let sum = 0
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!
  return sum
}

/** Sum of the distances of all pairs of placed rows, and how many pairs there are; in time for the rows and not for the pairs. */
export function pairDistances(placed: readonly Float64Array[]): { sum: number; pairs: number } {
  const pairsOf = (n: number) => (n * Math.max(0, n - 1)) / 2
  const total = new Float64Array(placed[0]?.length ?? 0)
  let squares = 0
  let nothings = 0
  for (const z of placed) {
    const square = dot(z, z)
    squares += square
    if (square === 0) nothings++
    z.forEach((value, i) => (total[i]! += value))
  }
  // Σ_{i<j} z_i · z_j = (|Σ z|² - Σ |z|²) / 2; two that are nothing are the same.
  const cosines = (dot(total, total) - squares) / 2
  return { sum: Math.max(0, pairsOf(placed.length) - cosines - pairsOf(nothings)), pairs: pairsOf(placed.length) }
}
