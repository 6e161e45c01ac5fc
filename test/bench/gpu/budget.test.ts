import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { repeated, TimeBudget } from '../../../src/bench/gpu/budget.ts'

function clockAt(start: number) {
  let now = start
  return { clock: () => now, pass: (ms: number) => void (now += ms) }
}

describe('TimeBudget', () => {
  it('divides the time by weight, and what a part leaves goes to the later ones', () => {
    const { clock, pass } = clockAt(500)
    const parts = [
      { name: 'a', weight: 1 },
      { name: 'b', weight: 2 },
      { name: 'c', weight: 1 },
    ] as const
    const budget = new TimeBudget(4000, parts, clock)
    const a = budget.begin('a')
    expect(a.leftMs()).toBe(1000)
    pass(400)
    expect(a.leftMs()).toBe(600)
    expect(budget.begin('b').leftMs()).toBe(2400)
    pass(3000)
    expect(budget.begin('c').leftMs()).toBe(600)
  })

  it('never gives more than is left, whatever the parts take', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.integer({ min: 1, max: 9 }), fc.double({ min: 0, max: 2, noNaN: true })), {
          minLength: 1,
        }),
        (parts) => {
          const { clock, pass } = clockAt(0)
          const named = parts.map(([weight], i) => ({ name: String(i), weight }))
          const budget = new TimeBudget(1000, named, clock)
          for (const [i, [, taken]] of parts.entries()) {
            const share = budget.begin(String(i)).leftMs()
            expect(share).toBeLessThanOrEqual(Math.max(0, 1000 - clock()) + 1e-9)
            pass(Math.max(0, share) * taken)
          }
        },
      ),
    )
  })

  it('refuses a part that is unknown or has begun', () => {
    const budget = new TimeBudget<string>(10, [{ name: 'a', weight: 1 }], () => 0)
    budget.begin('a')
    expect(() => budget.begin('a')).toThrow(RangeError)
    expect(() => budget.begin('b')).toThrow('"b" is not a part')
  })
})

describe('repeated', () => {
  /** Work that takes `firstMs` at first and `eachMs` a call later. */
  function work(firstMs: number, eachMs: number) {
    const { clock, pass } = clockAt(0)
    let isFirst = true
    let calls = 0
    const run = async (count: number) => {
      calls += count
      pass(isFirst ? firstMs : count * eachMs)
      isFirst = false
    }
    return { clock, run, calls: () => calls }
  }

  it('does not count the first call, which compiles, and repeats short calls until a clock measures them', async () => {
    const { clock, run, calls } = work(900, 0.5)
    expect(await repeated(run, { leftMs: () => 1e6 }, clock)).toEqual({ bestMs: 0.5, isWarm: true })
    expect(calls()).toBeGreaterThan(5 * 60)
  })

  it('says so if the share has time for one call only', async () => {
    const { clock, run, calls } = work(900, 800)
    expect(await repeated(run, { leftMs: () => 700 }, clock)).toEqual({ bestMs: 900, isWarm: false })
    expect(calls()).toBe(1)
  })

  it('ends when the next batch would not fit', async () => {
    const { clock, run, calls } = work(100, 100)
    await repeated(run, { leftMs: () => 350 - clock() }, clock)
    expect(calls()).toBe(3)
  })
})
