import { describe, expect, it } from 'vitest'
import { notCarriedOf } from '../../../../src/cluster/released/export.ts'
import { editableFields } from '../../../../src/cluster/released/mapping.ts'
import { releasedSettings } from '../../../../src/cluster/released/systems.ts'
import { RELEASED_SYSTEMS } from '../../../../src/cluster/protocol.ts'
import { presetSettings } from '../../../../src/method/presets.ts'
import {
  fieldProblem,
  nameProblem,
  problemsOf,
  requestOf,
  settingsFor,
  splitFields,
  textsOf,
} from '../../../../src/playground/views/cluster/launch.ts'

describe('the launch form', () => {
  it.each(RELEASED_SYSTEMS)('requests nothing while everything is as released: %s', (system) => {
    const fields = editableFields(system)
    expect(requestOf(system, fields, textsOf(fields, {}), '')).toEqual({ system })
    expect(problemsOf(fields, textsOf(fields, {}))).toEqual([])
    const { upFront, folded } = splitFields(fields)
    expect([...upFront, ...folded].map(({ name }) => name).sort()).toEqual(fields.map(({ name }) => name).sort())
  })

  it('requests only the differences, with numbers as numbers', () => {
    const fields = editableFields('alfworld')
    const texts = { ...textsOf(fields, releasedSettings('alfworld')), lambda: '0.5', totalSteps: '7', groupSize: ' 8 ' }
    expect(requestOf('alfworld', fields, texts, 'mine')).toEqual({
      system: 'alfworld',
      name: 'mine',
      totalSteps: 7,
      settings: { lambda: 0.5 },
    })
  })

  it('turns the signal “outcome” into λ = 0 if the system has a λ, and reports it as unsupported if not', () => {
    const settings = { ...presetSettings('outcome-only'), lambda: 2 }
    for (const system of RELEASED_SYSTEMS) {
      const fields = editableFields(system)
      const start = settingsFor(fields, settings)
      const names = notCarriedOf(system, start).map(({ name }) => name)
      expect(names.includes('signal')).toBe(system === 'coding')
      expect(requestOf(system, fields, textsOf(fields, start), '').settings?.lambda).toBe(
        system === 'coding' ? undefined : 0,
      )
    }
  })

  it('refuses invalid values with the reason', () => {
    const field = editableFields('alfworld').find(({ name }) => name === 'groupSize')!
    expect(['', 'x', '1e999', '2.5', '1', '65'].map((text) => fieldProblem(field, text))).toEqual([
      'Rollouts per task must be a number.',
      'Rollouts per task must be a number.',
      'Rollouts per task must be a number.',
      'Rollouts per task must be a whole number.',
      'Rollouts per task must be at least 2.',
      'Rollouts per task must be at most 64.',
    ])
    expect(fieldProblem(field, '8')).toBeNull()
    expect(nameProblem('a_1')).toBeNull()
    for (const name of ['A', '1a', 'a-b', '../x', 'a'.repeat(41)]) expect(nameProblem(name), name).not.toBeNull()
  })
})
