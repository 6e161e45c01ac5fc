import { describe, expect, it } from 'vitest'
import { presetSettings } from '../../../src/method/presets.ts'
import { differences } from '../../../src/playground/run/differences.ts'

describe('the differences from a preset', () => {
  it('are named as their controls are, in the same order, with both values', () => {
    const base = presetSettings()
    expect(differences(base, base)).toEqual([])
    const changed = { ...base, trainPolicy: false, lambda: 2, tasksPerIteration: 3 }
    expect(differences(changed, base).map(({ name, value, preset }) => [name, value, preset])).toEqual([
      ['lambda', '2', String(base.lambda)],
      ['trainPolicy', 'off', 'on'],
      ['tasksPerIteration', '3', String(base.tasksPerIteration)],
    ])
    expect(differences(changed, base)[0]!.label).toMatch(/^λ, /)
  })

  it('show every digit', () => {
    const base = presetSettings()
    const changed = { ...base, seed: 2147483647, policyLearningRate: 1.25e-4 }
    expect(differences(changed, base).map(({ value }) => value)).toEqual(['1.25e−4', '2147483647'])
  })

  it('leave out what has no meaning in the world', () => {
    const base = presetSettings('coding')
    expect(differences({ ...base, maxSteps: base.maxSteps + 1, seed: base.seed + 1 }, base)).toMatchObject([
      { name: 'seed' },
    ])
  })
})
