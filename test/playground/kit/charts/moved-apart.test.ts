import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { movedApart } from '../../../../src/playground/kit/charts/moved-apart.ts'

const label = fc.record({ x: fc.constantFrom(10, 20), y: fc.double({ min: 0, max: 60, noNaN: true }) })

describe('labels at the ends of curves', () => {
  it('stay where they do not meet', () => {
    const labels = [
      { name: 'A', x: 10, y: 5 },
      { name: 'B', x: 10, y: 20 },
      { name: 'C', x: 20, y: 21 },
    ]
    expect(movedApart(labels, 9, 60)).toEqual(labels)
  })

  it('move up as far as down', () => {
    const placed = movedApart(
      [20, 20, 20].map((y) => ({ x: 10, y })),
      10,
      60,
    )
    expect(placed.map(({ y }) => y)).toEqual([10, 20, 30])
  })

  it('keep their order, their distance and the lower edge, and stay if they are at another place', () => {
    fc.assert(
      fc.property(fc.array(label, { maxLength: 6 }), (labels) => {
        const placed = movedApart(labels, 9, 60)
        expect(placed).toHaveLength(labels.length)
        for (const x of [10, 20]) {
          const before = labels.filter((each) => each.x === x).sort((a, b) => a.y - b.y)
          const after = placed.filter((each) => each.x === x)
          expect(after).toHaveLength(before.length)
          for (const [i, { y }] of after.entries()) {
            expect(y).toBeLessThanOrEqual(60)
            expect(y).toBeGreaterThanOrEqual(0)
            if (i > 0) expect(y - after[i - 1]!.y).toBeGreaterThanOrEqual(9 - 1e-9)
          }
          if (before.length === 1) expect(after[0]!.y).toBeCloseTo(before[0]!.y)
        }
      }),
    )
  })
})
