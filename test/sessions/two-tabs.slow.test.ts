/** As two-tabs.test.ts, more often. */
import { describe, expect, it } from 'vitest'
import { raceAll } from './race.ts'

describe('two tabs with the same kept runs', () => {
  it('keep every log whole in 60 random schedules of resuming, discarding, branching, reloading and being killed', async () => {
    const { events, lost } = await raceAll(60, true)
    expect(events).toBeGreaterThan(150)
    expect(lost).toBe(0)
  })

  it('keep them whole without locks too, as over plain http: the store ends the run in one of the tabs', async () => {
    const { events, lost } = await raceAll(60, false)
    expect(events).toBeGreaterThan(150)
    expect(lost).toBeGreaterThan(0)
  })
})
