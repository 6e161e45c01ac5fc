import { expect, it } from 'vitest'
import { OwnCheckService } from '../../../src/worlds/own/check-service.ts'
import { worldOf } from './worlds.ts'

it('a check ends only when its last line has arrived, as over the bridge from a worker', async () => {
  const service = new OwnCheckService()
  await service.read(worldOf(), 'mine.ts')
  const arrived: string[] = []
  await service.check(async ({ name }) => {
    await new Promise((resolve) => setImmediate(resolve))
    arrived.push(name)
  })
  expect(arrived).toEqual(['tasks', 'splits', 'start', 'repeatable', 'refusals', 'parts', 'sizes'])
})
