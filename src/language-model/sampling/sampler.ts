/**
 * One row of logits as a distribution, in plain TypeScript: for vocabularies of hundreds or thousands this costs far less than a
 * forward pass, and all backends sample alike.
 *
 *     p = softmax(z / T),   log-probability and entropy of p itself; top-p only restricts which tokens are drawn.
 */
import type { RandomStream } from './random-stream.ts'

/** A step is 1/256 of an octave, so the low byte of a number of steps is the fraction of a power of two. */
const STEPS_PER_NAT = 256 / Math.LN2
const NATS_PER_STEP = Math.LN2 / 256
/** 2^−n, down to zero. */
const POWERS = Float64Array.from({ length: 1100 }, (_, n) => 2 ** -n)
const MOST_STEPS = 256 * (POWERS.length - 1)
/** 2^(−k/256) */
const FRACTIONS = Float64Array.from({ length: 256 }, (_, k) => 2 ** (-k / 256))

export class LogitsError extends Error {
  override name = 'LogitsError'

  constructor() {
    super(
      'The model’s logits are not finite: its weights have diverged. Go back to an earlier checkpoint, or lower the learning rate.',
    )
  }
}

export class TokenDistribution {
  /** e^(z / T − max z / T) of each token, [V]. */
  readonly #weights: Float64Array
  /** The exponents of the weights. */
  readonly #exponents: Float64Array
  #total = 1
  #isGreedy = false
  #best = 0
  /** In nats. */
  entropy = 0

  constructor(vocabularySize: number) {
    this.#weights = new Float64Array(vocabularySize)
    this.#exponents = new Float64Array(vocabularySize)
  }

  /** Reads the logits at `offset`. Temperature 0 selects the likeliest token and reports log-probabilities at temperature 1. */
  read(logits: Float32Array, offset: number, temperature: number): void {
    const exponents = this.#exponents
    const weights = this.#weights
    const size = weights.length
    this.#isGreedy = temperature === 0
    const inverse = this.#isGreedy ? 1 : 1 / temperature
    let maximum = -Infinity
    for (let token = 0; token < size; token++) {
      const value = logits[offset + token]!
      if (value > maximum) {
        maximum = value
        this.#best = token
      }
    }
    let total = 0
    let weighted = 0
    for (let token = 0; token < size; token++) {
      const exponent = (logits[offset + token]! - maximum) * inverse
      // e^x = 2^−(n + k/256) · e^f: two look-ups, with |f| so small that five terms of its series reach 53 bits.
      const steps = -exponent * STEPS_PER_NAT
      const whole = steps | 0
      const rest = (whole - steps) * NATS_PER_STEP
      const series = 1 + rest * (1 + rest * (1 / 2 + rest * (1 / 6 + rest * (1 / 24))))
      const weight = steps >= MOST_STEPS ? 0 : POWERS[whole >> 8]! * FRACTIONS[whole & 255]! * series
      exponents[token] = exponent
      weights[token] = weight
      total += weight
      weighted += weight * exponent
    }
    if (!(total > 0 && total < Infinity)) throw new LogitsError()
    this.#total = total
    this.entropy = Math.max(0, Math.log(total) - weighted / total)
  }

  logProb(token: number): number {
    return this.#exponents[token]! - Math.log(this.#total)
  }

  draw(topP: number, uniform: RandomStream): number {
    if (this.#isGreedy) return this.#best
    const draw = uniform()
    return topP < 1 ? this.#drawFromNucleus(topP, draw) : this.#drawFromAll(draw)
  }

  #drawFromAll(draw: number): number {
    const weights = this.#weights
    let left = draw * this.#total
    for (let token = 0; token < weights.length; token++) {
      left -= weights[token]!
      if (left < 0) return token
    }
    return this.#best
  }

  /**
   * The nucleus is the smallest set of likeliest tokens with a mass of at least topP. Tokens below (1 - topP) / V have a mass of
   * less than 1 - topP together, so none is in the nucleus, and only the few others are sorted.
   */
  #drawFromNucleus(topP: number, draw: number): number {
    const weights = this.#weights
    const floor = ((1 - topP) / weights.length) * this.#total
    const candidates: number[] = []
    for (let token = 0; token < weights.length; token++) {
      if (weights[token]! >= floor) candidates.push(token)
    }
    candidates.sort((a, b) => weights[b]! - weights[a]! || a - b)
    let mass = 0
    let size = 0
    while (size < candidates.length && mass < topP * this.#total) mass += weights[candidates[size++]!]!
    let left = draw * mass
    for (let rank = 0; rank < size; rank++) {
      left -= weights[candidates[rank]!]!
      if (left < 0) return candidates[rank]!
    }
    return candidates[0]!
  }
}
