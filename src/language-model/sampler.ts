/**
 * One row of logits as a distribution, in plain TypeScript: for a vocabulary of hundreds or thousands this is far below the cost of
 * a forward pass, and every backend samples alike.
 *
 *     p = softmax(z / T),   log-probability and entropy of p itself; top-p only narrows what is drawn.
 */
import type { RandomStream } from './random-stream.ts'

export class TokenDistribution {
  readonly #probabilities: Float64Array
  readonly #scaled: Float64Array
  #logNormaliser = 0
  #isGreedy = false
  #best = 0
  /** In nats. */
  entropy = 0

  constructor(vocabularySize: number) {
    this.#probabilities = new Float64Array(vocabularySize)
    this.#scaled = new Float64Array(vocabularySize)
  }

  /** Reads the logits at `offset`. Temperature 0 draws the likeliest token and reports log-probabilities at temperature 1. */
  read(logits: Float32Array, offset: number, temperature: number): void {
    const scaled = this.#scaled
    const probabilities = this.#probabilities
    const size = scaled.length
    this.#isGreedy = temperature === 0
    const inverse = this.#isGreedy ? 1 : 1 / temperature
    let maximum = -Infinity
    for (let token = 0; token < size; token++) {
      const value = logits[offset + token]! * inverse
      scaled[token] = value
      if (value > maximum) {
        maximum = value
        this.#best = token
      }
    }
    let total = 0
    let weighted = 0
    for (let token = 0; token < size; token++) {
      const above = scaled[token]! - maximum
      const weight = Math.exp(above)
      probabilities[token] = weight
      total += weight
      weighted += weight * above
    }
    if (!(total > 0 && total < Infinity))
      throw new Error(
        'The model answered with numbers that are not finite. Its weights have diverged: go back to an earlier checkpoint, or lower the learning rate.',
      )
    const scale = 1 / total
    for (let token = 0; token < size; token++) probabilities[token]! *= scale
    this.#logNormaliser = maximum + Math.log(total)
    this.entropy = Math.max(0, Math.log(total) - weighted * scale)
  }

  logProb(token: number): number {
    return this.#scaled[token]! - this.#logNormaliser
  }

  draw(topP: number, uniform: RandomStream): number {
    if (this.#isGreedy) return this.#best
    const draw = uniform()
    return topP < 1 ? this.#drawFromNucleus(topP, draw) : this.#drawFromAll(draw)
  }

  #drawFromAll(draw: number): number {
    const probabilities = this.#probabilities
    let left = draw
    for (let token = 0; token < probabilities.length; token++) {
      left -= probabilities[token]!
      if (left < 0) return token
    }
    return this.#best
  }

  /**
   * The nucleus is the fewest likeliest tokens with a mass of at least topP. Tokens under (1 - topP) / V have less than 1 - topP
   * together, so none of them is in it, and only the few others are sorted.
   */
  #drawFromNucleus(topP: number, draw: number): number {
    const probabilities = this.#probabilities
    const floor = (1 - topP) / probabilities.length
    const candidates: number[] = []
    for (let token = 0; token < probabilities.length; token++) {
      if (probabilities[token]! >= floor) candidates.push(token)
    }
    candidates.sort((a, b) => probabilities[b]! - probabilities[a]! || a - b)
    let mass = 0
    let size = 0
    while (size < candidates.length && mass < topP) mass += probabilities[candidates[size++]!]!
    let left = draw * mass
    for (let rank = 0; rank < size; rank++) {
      left -= probabilities[candidates[rank]!]!
      if (left < 0) return candidates[rank]!
    }
    return candidates[0]!
  }
}
