import { describe, expect, it } from 'vitest'
import { sideBySide } from '../../src/bench/side-by-side.ts'

/** Contenders with given durations, on a clock that only they move. */
function onOwnClock(durations: Record<string, number[]>) {
  let now = 0
  const order: string[] = []
  const contenders = Object.entries(durations).map(([subject, each]) => ({
    subject,
    async run() {
      order.push(subject)
      now += each[order.filter((name) => name === subject).length - 1]!
    },
  }))
  return { contenders, order, clock: () => now }
}

describe('sideBySide', () => {
  it('runs subjects in turn and takes the median of each without the first round', async () => {
    const { contenders, order, clock } = onOwnClock({ ours: [900, 10, 30, 20], theirs: [900, 50, 50, 80] })
    const [ours, theirs] = await sideBySide(contenders, { rounds: 3, clock })
    expect(order.join(' ')).toBe('ours theirs ours theirs ours theirs ours theirs')
    expect(ours).toEqual({ subject: 'ours', medianMs: 20, note: 'median of 3 in turn, spread 100 %' })
    expect(theirs?.medianMs).toBe(50)
  })

  it('times a slow contender once', async () => {
    const { contenders, order, clock } = onOwnClock({ ours: [1, 1, 1], theirs: [1, 7000] })
    const [, theirs] = await sideBySide(contenders, { rounds: 2, clock })
    expect(order.join(' ')).toBe('ours theirs ours theirs ours')
    expect(theirs).toEqual({ subject: 'theirs', medianMs: 7000, note: 'once, in turn' })
  })

  it('reports the processor time if there is a clock for it', async () => {
    let busy = 0
    const contender = { subject: 'ours', run: async () => (busy += 7) }
    const [timed] = await sideBySide([contender], { rounds: 3, clock: () => 0, processorClock: () => busy })
    expect(timed?.processorMs).toBe(7)
  })

  it("takes a contender's own processor time if it runs in another process", async () => {
    let elsewhere = 100
    const contender = { subject: 'peer', run: async () => (elsewhere += 9), processorClock: () => elsewhere }
    const [timed] = await sideBySide([contender], { rounds: 1, clock: () => 0, processorClock: () => 0 })
    expect(timed?.processorMs).toBe(9)
  })

  it('stops between two repetitions on abort', async () => {
    const abort = new AbortController()
    const stopped = sideBySide([{ subject: 'ours', run: async () => abort.abort(new Error('enough')) }], {
      rounds: 3,
      clock: () => 0,
      signal: abort.signal,
    })
    await expect(stopped).rejects.toThrow('enough')
  })
})
