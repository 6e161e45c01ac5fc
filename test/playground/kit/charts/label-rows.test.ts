import { expect, it } from 'vitest'
import { labelRows } from '../../../../src/playground/kit/charts/label-rows.ts'

it('a label that would cover another has a row of its own, and rows are used again', () => {
  const spans = [
    { start: 0, end: 10 },
    { start: 5, end: 20 },
    { start: 10, end: 15 },
    { start: 12, end: 30 },
    { start: 30, end: 40 },
  ]
  expect(labelRows(spans)).toEqual([0, 1, 0, 2, 0])
  expect(labelRows([])).toEqual([])
})
