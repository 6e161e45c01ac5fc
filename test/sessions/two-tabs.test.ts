import { describe, expect, it } from 'vitest'
import { raceAll } from './race.ts'

describe('two tabs with the same kept runs', () => {
  it('keep every log whole in 20 random schedules of resuming, discarding, branching, reloading and being killed', async () => {
    const { events, lost } = await raceAll(20, true)
    expect(events).toBeGreaterThan(50)
    expect(lost).toBe(0)
  })

  it('keep them whole without locks too, as over plain http', async () => {
    expect((await raceAll(20, false)).events).toBeGreaterThan(50)
  })
})
