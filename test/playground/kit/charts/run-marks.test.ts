import { expect, it } from 'vitest'
import { markPoints } from '../../../../src/playground/kit/charts/run-marks.ts'

const points = (count: number) => Array.from({ length: count }, (_, x) => ({ x, y: x / 2 }))

it('marks points of the curve itself, at other places for each of three runs', () => {
  const curve = points(41)
  const marked = [0, 1, 2].map((run) => markPoints(curve, run))
  for (const chosen of marked) {
    expect(chosen).toHaveLength(3)
    for (const point of chosen) expect(curve).toContain(point)
  }
  expect(new Set(marked.flat()).size).toBe(9)
})

it('marks each point of a short curve once, and nothing without points', () => {
  expect(markPoints(points(1), 0)).toEqual(points(1))
  expect(markPoints([], 1)).toEqual([])
})
