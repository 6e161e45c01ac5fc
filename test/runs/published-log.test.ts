import { describe, expect, it } from 'vitest'
import { foldRun } from '../../src/method/fold.ts'
import { publishedLog } from '../../src/runs/published-log.ts'
import { parseRunLog, serialiseRunLog } from '../../src/runs/run-log.ts'
import { logOf, request, smallSettings, world } from '../method/corridor.ts'

describe('a published run log', () => {
  it('is a log that folds to the same curves, tasks and votes, without what only trainers need', async () => {
    const whole = await logOf(world(), request(smallSettings(), { iterations: 3 }))
    const published = parseRunLog(serialiseRunLog(publishedLog(whole)))
    expect(published.length).toBeLessThan(whole.length)
    expect(JSON.stringify(published).length).toBeLessThan(JSON.stringify(whole).length)

    const [before, after] = [foldRun(whole), foldRun(published)]
    expect(after.seriesNames).toEqual(before.seriesNames)
    for (const name of before.seriesNames) expect(after.series(name)).toEqual(before.series(name))
    expect(published.filter(({ type }) => type === 'judged')).toEqual(
      whole.filter(({ type }) => type === 'judged').map((event) => ({ ...event, seq: expect.any(Number) as number })),
    )
    expect(published.some((event) => event.type === 'episode' && event.split !== 'train')).toBe(false)
  })
})
