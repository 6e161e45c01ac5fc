import { expect, it } from 'vitest'
import { effectScale } from '../../../../src/playground/views/results/effect-scale.ts'

it('fits zero, every interval and the differences of the paper on one scale', () => {
  const effect = { split: 'id', isClear: true } as const
  const cells = [
    [{ ...effect, mean: 0.1, low: 0.05, high: 0.15, paper: 0.3 }],
    [{ ...effect, mean: 0.2, low: 0.1, high: 0.25, paper: null }],
  ]
  const ofGains = effectScale([{ label: 'A part', cells }])
  expect(ofGains(0)).toBe(0)
  expect(ofGains(0.3)).toBe(100)
  expect(ofGains(0.15)).toBeCloseTo(50, 10)
  const ofBoth = effectScale([
    { label: 'A part', cells: [[{ ...effect, mean: 0, low: -0.1, high: 0.1, paper: null }]] },
  ])
  expect([ofBoth(-0.1), ofBoth(0), ofBoth(0.1)]).toEqual([0, 50, 100])
  expect(effectScale([])(0)).toBe(0)
})
