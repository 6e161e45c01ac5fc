import { expect, it } from 'vitest'
import { keptModelsInUse } from '../../../src/playground/run/kept-models-in-use.ts'
import { folderSource, type RoleSource } from '../../../src/roles/source.ts'

const BUILT_IN: RoleSource = { kind: 'built-in' }
const kept = (name: string) => folderSource(`local:${name}`)
const inUse = (policy: RoleSource, reward: RoleSource) =>
  keptModelsInUse('run-1', (role) => (role === 'policy' ? policy : reward))

it('names the models of a kept run that the next run starts from, and none after others are chosen', () => {
  expect(inUse(kept('run-1-4-policy'), kept('run-1-4-reward'))).toBe('the models of iteration 4')
  expect(inUse(kept('run-1-4-policy'), BUILT_IN)).toBe('the policy of iteration 4')
  expect(inUse(kept('run-1-4-policy'), kept('run-1-8-reward'))).toBe(
    'the policy of iteration 4 and the reward model of iteration 8',
  )
  expect(inUse(BUILT_IN, BUILT_IN)).toBeNull()
  expect(inUse(kept('run-1-2-4-policy'), kept('run-2-4-reward')), 'of other runs').toBeNull()
  expect(inUse(kept('run-1-4-reward'), BUILT_IN), 'in another role').toBeNull()
})
