import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { growingAxis, iterationAxis, type AxisName } from '../../../../src/playground/kit/charts/chart-axis.ts'
import {
  chooseRange,
  draggedRange,
  pointsAround,
  pointsInside,
  readRange,
  seenChart,
  shownRange,
} from '../../../../src/playground/kit/charts/chart-range.ts'
import { summarise, type Chart } from '../../../../src/playground/kit/charts/series.ts'

/** Iteration i ends at step 10·i². */
const steps = (last: number) => {
  const iterations = Array.from({ length: last }, (_, i) => i + 1)
  return growingAxis('steps', iterations, iterations.map((i) => 10 * i * i)) // prettier-ignore
}
const axisOf = (last: number) => (name: AxisName) => (name === 'steps' ? steps(last) : iterationAxis(last))

describe('the range of the curves', () => {
  it('stays in place while the run continues', () => {
    const chosen = chooseRange({ from: 10, to: 20 }, iterationAxis(50), 50, 'a')
    expect(shownRange(chosen, 'a', iterationAxis(90), axisOf(90))).toEqual({ from: 10, to: 20 })
  })

  it('moves along with the run and keeps its width if it ended at the newest iteration', () => {
    const chosen = chooseRange({ from: 40, to: 50 }, iterationAxis(50), 50, 'a')
    expect(shownRange(chosen, 'a', iterationAxis(57), axisOf(57))).toEqual({ from: 47, to: 57 })
  })

  it('does not run ahead when a longer run is drawn over the curves', () => {
    const chosen = chooseRange({ from: 40, to: 80 }, iterationAxis(50), 80, 'a')
    expect(shownRange(chosen, 'a', iterationAxis(60), axisOf(60))).toEqual({ from: 40, to: 80 })
    expect(shownRange(chosen, 'a', iterationAxis(85), axisOf(85))).toEqual({ from: 45, to: 85 })
  })

  it('is the whole run if it covers the axis or was chosen for another run', () => {
    expect(chooseRange({ from: -1, to: 50 }, iterationAxis(50), 50, 'a')).toBeNull()
    const chosen = chooseRange({ from: 1, to: 5 }, iterationAxis(50), 50, 'a')
    expect(shownRange(chosen, 'b', iterationAxis(50), axisOf(50))).toBeNull()
  })

  it('keeps its iterations on another axis, and is exact again on the first one', () => {
    const chosen = chooseRange({ from: 3, to: 7 }, iterationAxis(20), 20, 'a')
    expect(shownRange(chosen, 'a', steps(20), axisOf(20))).toEqual({ from: 90, to: 490 })
    expect(shownRange(chosen, 'a', iterationAxis(20), axisOf(20))).toEqual({ from: 3, to: 7 })
    const underWay = chooseRange({ from: 3, to: 20 }, iterationAxis(20), 30, 'a')
    expect(shownRange(underWay, 'a', steps(19), () => iterationAxis(20))).toEqual({ from: 90, to: 3610 })
    const ofSteps = chooseRange({ from: 95, to: 480 }, steps(20), 4000, 'a')
    expect(shownRange(ofSteps, 'a', iterationAxis(20), axisOf(20))).toEqual({ from: 3, to: 7 })
  })

  it('is dragged in either direction, over at least one whole iteration', () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 99, noNaN: true }), fc.double({ min: 0, max: 99, noNaN: true }), (a, b) => {
        const range = draggedRange(a, b, iterationAxis(100))
        expect(range).toEqual(draggedRange(b, a, iterationAxis(100)))
        expect([range.from, range.to].every(Number.isInteger)).toBe(true)
        expect(range.from).toBeLessThanOrEqual(Math.min(a, b))
        expect(range.to).toBeGreaterThanOrEqual(Math.max(a, b))
        expect(range.to - range.from).toBeGreaterThanOrEqual(1)
      }),
    )
  })

  it('is read from two fields, with a message for invalid ones', () => {
    expect(readRange('', '', 12)).toEqual({ from: 0, to: 12 })
    expect(readRange('4', '', 12)).toEqual({ from: 4, to: 12 })
    expect(readRange('4', '99', 12)).toEqual({ from: 4, to: 12 })
    const problem = (from: string, to: string) => (readRange(from, to, 12) as { problem: string }).problem
    expect(problem('8', '4')).toMatch(/from 8 to 4 is empty/)
    expect(problem('4', '4')).toMatch(/empty/)
    expect(problem('12', '')).toMatch(/curves end at 12/)
    expect(problem('-1', '')).toMatch(/starts at 0/)
    expect(problem('x', '')).toMatch(/“x” is not a number/)
  })
})

describe('the shown part of a curve', () => {
  const points = [1, 4, 5, 9, 12].map((x) => ({ x, y: 10 * x }))
  const xs = (found: readonly { x: number }[]) => found.map(({ x }) => x)

  it('includes the next points outside, so that the line crosses the edges', () => {
    expect(xs(pointsAround(points, { from: 4, to: 6 }))).toEqual([1, 4, 5, 9])
    expect(xs(pointsAround(points, { from: 6, to: 8 }))).toEqual([5, 9])
    expect(xs(pointsAround(points, { from: 0, to: 2 }))).toEqual([1, 4])
    expect(xs(pointsAround(points, { from: 13, to: 20 }))).toEqual([12])
    expect(pointsAround(points, null)).toBe(points)
    expect(xs(pointsInside(points, { from: 4, to: 9 }))).toEqual([4, 5, 9])
  })

  it('is summarised in words, on any axis', () => {
    const chart: Chart = {
      id: 'x',
      title: 'x',
      about: '',
      unit: 'number',
      series: [{ name: 'x', hue: 'ink', line: 'solid', points: [1, 2, 3, 4].map((x) => ({ x, y: x / 10 })) }],
    }
    expect(summarise(seenChart(chart, iterationAxis(4), { from: 2, to: 3 }))).toBe('x 0.2 → 0.3 (iterations 2 to 3).')
    expect(summarise(seenChart(chart, steps(4), { from: 40, to: 90 }))).toBe('x 0.2 → 0.3 (iterations 2 to 3).')
    expect(summarise(seenChart(chart, iterationAxis(9), { from: 6, to: 8 }))).toBe('No values yet.')
  })
})
