import { expect, it, vi } from 'vitest'
import { presetSettings } from '../../../src/method/presets.ts'
import { openHousehold } from '../../../src/worlds/household/open.ts'
import { householdFormats } from '../../../src/worlds/household/roles/plain-roles.ts'
import { CorridorEnvironment } from '../../method/corridor.ts'

it('the household of a run has its environment, plain formats and no unit tests', async () => {
  const environment = new CorridorEnvironment([3])
  const close = vi.fn<() => void>()
  const fixedTrajectories = () => Promise.resolve([])
  const opened = await openHousehold({ settings: presetSettings('household'), isResumed: false }, () =>
    Promise.resolve({ environment, fixedTrajectories, close }),
  )
  expect(opened.environment).toBe(environment)
  expect(opened.fixedTrajectories).toBe(fixedTrajectories)
  expect(await opened.formatsFor({ policy: null, reward: null, author: null })).toBe(householdFormats)
  expect(opened.unitTests).toBeUndefined()
  opened.close()
  expect(close).toHaveBeenCalledOnce()
})
