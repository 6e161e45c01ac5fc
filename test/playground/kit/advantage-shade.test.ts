import { describe, expect, it } from 'vitest'
import { fill, shade } from '../../../src/playground/kit/advantage-shade.ts'

const percentOf = (fill: string) => Number(/(\d+)%/.exec(fill)![1])

describe('the fill of an advantage', () => {
  it('has one hue for each sign, and none without an advantage', () => {
    expect(shade(0.3)).toContain('--encouraged-fill')
    expect(shade(-0.3)).toContain('--discouraged')
    expect(shade(null)).toBe('var(--surface)')
    expect(shade(0)).toBe('var(--surface)')
  })

  it('is hatched for discouraged ones alone, which tells the signs apart in grey', () => {
    expect([-0.01, -2].map(fill)).toEqual([-0.01, -2].map((value) => `var(--hatch) ${shade(value)}`))
    expect([0.01, 2, 0, null].map(fill)).toEqual([0.01, 2, 0, null].map(shade))
  })

  it('is fuller for larger advantages, equally for both signs, and bounded', () => {
    const sizes = [0.01, 0.5, 1, 2].map((value) => percentOf(shade(value)))
    expect(sizes).toEqual([...new Set(sizes)].sort((a, b) => a - b))
    expect([0.01, 0.5, 1, 2].map((value) => percentOf(shade(-value)))).toEqual(sizes)
    expect(shade(9)).toBe(shade(2))
  })
})
