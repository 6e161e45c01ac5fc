import { describe, expect, it } from 'vitest'
import { pairedGain } from '../../src/results/paired-gain.ts'

/** Deterministic draws in [0, 1). */
function draws(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
}

describe('the gain on the same tasks', () => {
  it('has the interval of Agresti and Min', () => {
    // b = 25, c = 10, n = 200: d = 15/202, √(36 − 15²/202) = 5.9065
    const { gain, low, high } = pairedGain(25, 10, 200)!
    expect(gain).toBeCloseTo(0.075, 12)
    expect(low).toBeCloseTo(15 / 202 - (1.959964 * Math.sqrt(36 - 225 / 202)) / 202, 12)
    expect(high).toBeCloseTo(15 / 202 + (1.959964 * Math.sqrt(36 - 225 / 202)) / 202, 12)
  })

  it('is nothing without tasks, and stays possible where every task changed or none did', () => {
    expect(pairedGain(0, 0, 0)).toBeNull()
    expect(pairedGain(4, 0, 4)).toMatchObject({ gain: 1, high: 1 })
    const none = pairedGain(0, 0, 50)!
    expect(none.gain).toBe(0)
    expect(none.low).toBeLessThan(0)
    expect(none.high).toBeCloseTo(-none.low, 12)
  })

  it('contains the true gain in about 95 of 100 samples', () => {
    const draw = draws(7)
    const [better, worse, tasks, samples] = [0.15, 0.07, 100, 4000]
    let contained = 0
    for (let sample = 0; sample < samples; sample++) {
      let [b, c] = [0, 0]
      for (let i = 0; i < tasks; i++) {
        const u = draw()
        if (u < better) b++
        else if (u < better + worse) c++
      }
      const { low, high } = pairedGain(b, c, tasks)!
      if (low <= better - worse && better - worse <= high) contained++
    }
    expect(contained / samples).toBeGreaterThan(0.94)
    expect(contained / samples).toBeLessThan(0.97)
  })
})
