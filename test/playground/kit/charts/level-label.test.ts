import { describe, expect, it } from 'vitest'
import { levelLabelPlace } from '../../../../src/playground/kit/charts/level-label.ts'

const bounds = { left: 40, right: 340, top: 20, bottom: 150 }
const line = (from: number, to: number) => [
  { x: 40, y: from },
  { x: 340, y: to },
]

describe('the name of a level', () => {
  it('stands at the left above it where no curve is near', () => {
    expect(levelLabelPlace(85, [line(140, 30)], bounds)).toEqual({ x: 44, y: 81, anchor: 'start' })
  })

  it('leaves the side on which a curve leaves the level', () => {
    // Rising from 8 pixels below the level at the left to 8 above it at the right.
    const place = levelLabelPlace(85, [line(93, 77)], bounds)
    expect(place).toEqual({ x: 44, y: 81, anchor: 'start' })
    // Falling: above at the left, below at the right.
    expect(levelLabelPlace(85, [line(77, 93)], bounds)).toEqual({ x: 336, y: 81, anchor: 'end' })
  })

  it('leaves an end whose curves surround the level', () => {
    expect(levelLabelPlace(85, [line(78, 30), line(92, 140)], bounds).anchor).toBe('end')
  })

  it('stays in the plot', () => {
    expect(levelLabelPlace(22, [line(140, 140)], bounds).y).toBeGreaterThan(22)
    expect(levelLabelPlace(149, [line(30, 30)], bounds).y).toBeLessThan(149)
  })
})
