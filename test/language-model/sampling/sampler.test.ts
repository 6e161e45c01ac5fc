import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { randomStream } from '../../../src/language-model/sampling/random-stream.ts'
import { TokenDistribution } from '../../../src/language-model/sampling/sampler.ts'
import { logSoftmax } from '../naive-transformer.ts'

const logitsOf = fc.array(fc.double({ min: -20, max: 20, noNaN: true }), { minLength: 1, maxLength: 30 })
/** Logits in steps of 1/64, exact in float32: two are equal or clearly different, so the likeliest have one order. */
const gradedLogitsOf = fc
  .array(fc.integer({ min: -1280, max: 1280 }), { minLength: 1, maxLength: 30 })
  .map((steps) => steps.map((step) => step / 64))

describe('sampler', () => {
  test('reports log-probabilities and the entropy of the tempered softmax', () => {
    fc.assert(
      fc.property(logitsOf, fc.double({ min: 0.05, max: 2, noNaN: true }), (logits, temperature) => {
        const distribution = new TokenDistribution(logits.length)
        distribution.read(Float32Array.from([99, ...logits]), 1, temperature)
        const expected = logSoftmax(logits.map((z) => Math.fround(z) / temperature))
        for (const [token, logProb] of expected.entries()) expect(distribution.logProb(token)).toBeCloseTo(logProb, 6)
        expect(distribution.entropy).toBeCloseTo(-expected.reduce((sum, l) => sum + Math.exp(l) * l, 0), 6)
      }),
    )
  })

  test('draws only from the nucleus, in proportion', () => {
    fc.assert(
      fc.property(gradedLogitsOf, fc.double({ min: 0.05, max: 1, noNaN: true }), fc.integer(), (logits, topP, seed) => {
        const distribution = new TokenDistribution(logits.length)
        distribution.read(Float32Array.from(logits), 0, 1)
        const ranked = logits.map((_, token) => token).sort((a, b) => distribution.logProb(b) - distribution.logProb(a))
        let mass = 0
        const nucleus = new Set(
          ranked.filter((token) => {
            const isInside = mass < topP + 1e-9
            mass += Math.exp(distribution.logProb(token))
            return isInside
          }),
        )
        const uniform = randomStream(seed)
        for (let i = 0; i < 20; i++) expect(nucleus.has(distribution.draw(topP, uniform))).toBe(true)
      }),
    )
    const distribution = new TokenDistribution(4)
    distribution.read(Float32Array.from([0.5, 0.1, 0.3, 0.1], Math.log), 0, 1)
    const uniform = randomStream(1)
    const share = (topP: number) => {
      const drawn = [0, 0, 0, 0]
      for (let i = 0; i < 20_000; i++) drawn[distribution.draw(topP, uniform)]! += 1 / 20_000
      return drawn
    }
    for (const [token, p] of [0.5, 0.1, 0.3, 0.1].entries()) expect(share(1)[token]).toBeCloseTo(p, 1)
    const [first, second, third, fourth] = share(0.75) as [number, number, number, number]
    expect(first).toBeCloseTo(0.625, 1)
    expect(third).toBeCloseTo(0.375, 1)
    expect(second + fourth).toBe(0)
  })

  test('selects the likeliest token at temperature 0', () => {
    const distribution = new TokenDistribution(3)
    distribution.read(Float32Array.of(1, 3, 2), 0, 0)
    expect(distribution.draw(1, () => 0.999)).toBe(1)
    expect(distribution.logProb(1)).toBeCloseTo(logSoftmax([1, 3, 2])[1]!, 6)
  })

  test('refuses numbers that are not finite', () => {
    expect(() => new TokenDistribution(2).read(Float32Array.of(NaN, 1), 0, 1)).toThrow('diverged')
  })
})

describe('random stream', () => {
  test('is uniform, and different for every key', () => {
    const means = Array.from({ length: 50 }, (_, key) => {
      const uniform = randomStream(key, 1)
      return Array.from({ length: 200 }, uniform).reduce((sum, u) => sum + u, 0) / 200
    })
    expect(Math.abs(means.reduce((sum, m) => sum + m, 0) / 50 - 0.5)).toBeLessThan(0.01)
    const firsts = Array.from({ length: 1000 }, (_, key) => randomStream(7, key)())
    expect(new Set(firsts).size).toBe(1000)
    expect(Math.abs(firsts.reduce((sum, u) => sum + u, 0) / 1000 - 0.5)).toBeLessThan(0.04)
    expect(randomStream(1, 2)()).not.toBe(randomStream(2, 1)())
  })
})
