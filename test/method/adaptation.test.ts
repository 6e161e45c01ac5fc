import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decideRewrite, rewriteDirection } from '../../src/method/adaptation.ts'
import type { Direction } from '../../src/method/ports.ts'

const paper = { profile: 'paper', alphaLow: 0.2, alphaHigh: 0.8 } as const
const reference = { ...paper, profile: 'reference' } as const
const accuracy = fc.integer({ min: 0, max: 20 }).map((count) => count / 20)

describe('the trigger of a rewrite', () => {
  it('is an accuracy outside the open band, including its edges', () => {
    expect([0, 0.2, 0.25, 0.75, 0.8, 1].map((value) => rewriteDirection(value, paper))).toEqual([
      'easier',
      'easier',
      null,
      null,
      'harder',
      'harder',
    ])
  })
})

describe('accepted rewrites', () => {
  it.each<[Direction, number, number, boolean, boolean, string]>([
    ['easier', 0.125, 0.5, true, true, "acc(q) < acc(q') < α_high: 0.125 < 0.5 < 0.8"],
    ['easier', 0, 0.125, true, true, "acc(q) < acc(q') < α_high: 0 < 0.125 < 0.8"],
    ['easier', 0.1, 0.8, false, true, "acc(q) < acc(q') < α_high does not hold: 0.1 < 0.8 < 0.8"],
    ['easier', 0.125, 0.125, false, false, "acc(q) < acc(q') < α_high does not hold: 0.125 < 0.125 < 0.8"],
    ['harder', 1, 0.5, true, true, "α_low < acc(q') < acc(q): 0.2 < 0.5 < 1"],
    ['harder', 1, 0.2, false, true, "α_low < acc(q') < acc(q) does not hold: 0.2 < 0.2 < 1"],
    ['harder', 0.875, 1, false, false, "α_low < acc(q') < acc(q) does not hold: 0.2 < 1 < 0.875"],
    ['harder', 1, 0, false, false, "acc(q') > 0 does not hold: acc(q') = 0"],
  ])('%s, from %d to %d: paper %s, released %s', (direction, before, after, byPaper, byReference, rule) => {
    expect(decideRewrite(direction, before, after, paper)).toEqual({ accepted: byPaper, rule })
    expect(decideRewrite(direction, before, after, reference).accepted).toBe(byReference)
  })

  it('have a success and move the right way, and the released rule accepts all that the paper accepts', () => {
    const direction = fc.constantFrom<Direction>('harder', 'easier')
    const band = fc.record({ alphaLow: accuracy, alphaHigh: accuracy })
    fc.assert(
      fc.property(direction, accuracy, accuracy, band, (way, before, after, alphas) => {
        const strict = decideRewrite(way, before, after, { profile: 'paper', ...alphas })
        const inclusive = decideRewrite(way, before, after, { profile: 'reference', ...alphas })
        if (strict.accepted) expect(inclusive.accepted).toBe(true)
        if (!inclusive.accepted) return
        expect(after).toBeGreaterThan(0)
        expect(way === 'harder' ? after < before : after > before).toBe(true)
      }),
    )
  })
})
