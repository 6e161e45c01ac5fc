import { describe, expect, it } from 'vitest'
import {
  accuracyHistogram,
  bandOf,
  bandWithHigh,
  bandWithLow,
  measuredTasks,
  placeOfBin,
  revisitedProposals,
  summariseHistogram,
} from '../../../src/playground/run/thresholds.ts'
import { recordedHousehold } from '../recorded-household.ts'

const view = recordedHousehold()
const band = bandOf(view)!

describe('the thresholds', () => {
  it('decide every past rewrite as the run did, if they are the run’s', () => {
    const proposals = revisitedProposals(view, band)
    expect(proposals.length).toBeGreaterThan(20)
    expect(proposals.filter(({ was, wouldBe }) => was !== wouldBe)).toEqual([])
    expect(new Set(proposals.map(({ was }) => was))).toEqual(new Set(['accepted', 'rejected']))
  })

  it('accept more with a wider band, and propose nothing inside it', () => {
    const wide = revisitedProposals(view, { ...band, alphaLow: 0, alphaHigh: 1 })
    for (const proposal of wide) {
      if (proposal.accuracyBefore > 0 && proposal.accuracyBefore < 1) expect(proposal.wouldBe).toBe('not proposed')
    }
    const narrow = revisitedProposals(view, { ...band, alphaLow: 0.45, alphaHigh: 0.55 })
    expect(narrow.filter(({ wouldBe }) => wouldBe === 'accepted').length).toBeLessThan(
      narrow.filter(({ was }) => was === 'accepted').length,
    )
  })

  it('send tasks outside the open band to the author, its edges included', () => {
    const tasks = measuredTasks(view, { ...band, alphaLow: 0.25, alphaHigh: 0.75 })
    for (const { accuracy, direction } of tasks) {
      expect(direction).toBe(accuracy <= 0.25 ? 'easier' : accuracy >= 0.75 ? 'harder' : null)
    }
    expect(new Set(tasks.map(({ direction }) => direction)).size).toBe(3)
  })

  it('are those of the newest iteration while a change waits for the next', () => {
    const rested = view.at(view.iterations.length, true)
    const [seq, iteration] = [rested.eventCount, view.iterations.length + 1]
    rested.apply({ type: 'settings-changed', patch: { alphaLow: 0.49 }, seq, iteration })
    expect(measuredTasks(rested, band)).toEqual(measuredTasks(view, band))
  })

  it('put every measured task in one bin of the histogram, 100 % in the last', () => {
    const tasks = measuredTasks(view, band)
    const bins = accuracyHistogram(tasks)
    expect(bins.reduce((sum, { count }) => sum + count, 0)).toBe(tasks.length)
    expect(bins.at(-1)!.count).toBe(tasks.filter(({ accuracy }) => accuracy >= 0.95).length)
    for (const { from, to, count } of bins.slice(0, -1)) {
      expect(count).toBe(tasks.filter(({ accuracy }) => accuracy + 1e-9 >= from && accuracy + 1e-9 < to).length)
    }
  })

  it('move one at a time and never cross', () => {
    const middle = { ...band, alphaLow: 0.2, alphaHigh: 0.8 }
    expect(bandWithLow(middle, 0.5)).toEqual({ ...middle, alphaLow: 0.5 })
    expect(bandWithLow(middle, 0.9)).toEqual({ ...middle, alphaLow: 0.79 })
    expect(bandWithHigh(middle, 0.1)).toEqual({ ...middle, alphaHigh: 0.21 })
  })

  it('are described with the histogram, every task counted once', () => {
    const tasks = measuredTasks(view, band)
    const words = summariseHistogram(tasks, band, 'task')
    const [, easier, inside, harder] = /: (\d+) up to .* (\d+) inside the band, (\d+) from/.exec(words)!.map(Number)
    expect(easier! + inside! + harder!).toBe(tasks.length)
    expect(easier).toBe(tasks.filter(({ accuracy }) => accuracy <= band.alphaLow).length)
    expect(words).toMatch(/most, \d+, from \d+ % to \d+ %\.$/)
  })

  it('are before, after or inside a bin', () => {
    const at = (from: number) =>
      placeOfBin({ from, to: from + 0.05, count: 0 }, { ...band, alphaLow: 0.2, alphaHigh: 0.82 })
    expect([0, 0.15, 0.2, 0.75, 0.8, 0.85].map(at)).toEqual([
      'below',
      'below',
      'inside',
      'inside',
      'cut by α_high',
      'above',
    ])
  })
})
