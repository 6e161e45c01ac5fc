import { describe, expect, it } from 'vitest'
import { parseSettings } from '../../../src/method/presets.ts'
import { settingsSchema, type Settings } from '../../../src/method/settings.ts'
import {
  FOLDED,
  fromPosition,
  LOG_STEPS,
  toPosition,
  travelOf,
  UP_FRONT,
} from '../../../src/playground/run/settings-form.ts'
import { inLabels } from '../../../src/playground/run/worlds.ts'

describe('the settings form', () => {
  it('reports errors in the words of the controls', () => {
    const message = settingsErrorOf({ alphaLow: 0.9 })
    expect(message).toContain('alphaLow')
    expect(inLabels(message, 'household')).toBe('α_low must be below α_high: tasks between them are not rewritten.')
    expect(inLabels('lambda must be a number', 'household')).toBe('λ must be a number')
    expect(inLabels('clipRatioLow must be a number', 'household')).toBe('Clip ratio, low must be a number')
    expect(inLabels('"iPhone" is no setting', 'household')).toBe('"iPhone" is no setting')
  })

  it('shows every setting exactly once', () => {
    const shown = [...UP_FRONT, ...FOLDED].flatMap((group) => group.names)
    // `world` has its own control.
    expect([...shown, 'world'].sort()).toEqual(Object.keys(settingsSchema.entries).sort())
  })

  it('keeps the position of a slider through its value', () => {
    for (const name of Object.keys(settingsSchema.entries) as (keyof Settings)[]) {
      const travel = travelOf(name)
      if (!travel) continue
      expect(travel.min, name).toBeLessThan(travel.max)
      if (!travel.isLogarithmic) continue
      expect(fromPosition(0, travel), name).toBe(travel.min)
      expect(fromPosition(LOG_STEPS, travel), name).toBe(travel.max)
      // Values have two digits, so neighbours may share one.
      for (let position = 0; position <= LOG_STEPS; position++) {
        expect(Math.abs(toPosition(fromPosition(position, travel), travel) - position)).toBeLessThanOrEqual(3)
      }
    }
  })
})

function settingsErrorOf(difference: Partial<Settings>): string {
  try {
    parseSettings(difference)
  } catch (cause) {
    return (cause as Error).message
  }
  return ''
}
