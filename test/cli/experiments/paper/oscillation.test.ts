import { describe, expect, it } from 'vitest'
import { oscillation, varianceAroundLine } from '../../../../src/cli/experiments/paper/oscillation.ts'
import { uniformStream } from '../../../../src/method/random.ts'

describe('the oscillation of training accuracy', () => {
  it('is measured around its line, not the line', () => {
    expect(varianceAroundLine([0.1, 0.2, 0.3, 0.4])).toBeCloseTo(0, 12)
    // By hand: y = 0, 1, 0, 1 has slope 0.2, and Σ e² = 0.8.
    expect(varianceAroundLine([0, 1, 0, 1])).toBeCloseTo(0.8 / 2, 12)
    expect(varianceAroundLine([0, 1])).toBeNull()
  })

  it('leaves out what the draw of tasks explains', () => {
    // Means 0.5, 0.5, 0.2, 0.5 … with the same tasks each time: nothing is drawn.
    const same = [0.5, 0.5, 0.2, 0.5, 0.5].map((accuracy) => [accuracy, accuracy])
    expect(oscillation(same)).toBeCloseTo(Math.sqrt(varianceAroundLine([0.5, 0.5, 0.2, 0.5, 0.5])!), 12)
    // The same means, of tasks that differ by more than their mean moves.
    expect(oscillation(same.map(([accuracy]) => [accuracy! - 0.2, accuracy! + 0.2]))).toBe(0)
  })

  it('is about that of the policy, and near zero for one that stays the same', () => {
    const uniform = uniformStream(5)
    /** 40 iterations of 16 tasks, each played 8 times, whose solving rates are spread over [0, 1]. */
    const run = (swing: number) =>
      Array.from({ length: 40 }, (_, i) =>
        Array.from({ length: 16 }, () => {
          const rate = uniform() + swing * Math.sin(i)
          return Array.from({ length: 8 }, () => Number(uniform() < rate)).reduce((a, b) => a + b, 0) / 8
        }),
      )
    const average = (swing: number) =>
      Array.from({ length: 200 }, () => oscillation(run(swing))!).reduce((sum, each) => sum + each, 0) / 200
    expect(average(0)).toBeLessThan(0.025)
    // Rates beyond 0 and 1 are cut, which takes a little of a swing of 0.3 / √2 = 0.21.
    const swinging = average(0.3)
    expect(swinging).toBeGreaterThan(0.17)
    expect(swinging).toBeLessThan(0.22)
  })

  it('is unknown for too few iterations or tasks', () => {
    expect(
      oscillation([
        [0, 1],
        [0, 1],
      ]),
    ).toBeNull()
    expect(oscillation([[0], [1], [0]])).toBeNull()
  })
})
