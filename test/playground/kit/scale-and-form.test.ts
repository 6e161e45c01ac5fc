import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseSettings, settingsSchema, type Settings } from '../../../src/method/settings.ts'
import { linear, linePath, roundDomain, ticks } from '../../../src/playground/kit/charts/scale.ts'
import { compact, decimal, percent, roughTime, signed, whole } from '../../../src/playground/kit/format.ts'
import {
  FOLDED,
  fromPosition,
  LOG_STEPS,
  toPosition,
  travelOf,
  UP_FRONT,
} from '../../../src/playground/run/settings-form.ts'
import { inLabels } from '../../../src/playground/run/worlds.ts'
import { newRunId } from '../../../src/playground/run/run-id.ts'

const real = fc.double({ min: -1e6, max: 1e6, noNaN: true })

describe('numbers', () => {
  it('say a time to wait for as exactly as it can be known', () => {
    expect([0.2, 59, 89, 90, 3600, 5399, 5400, 32_500, 172_800].map(roughTime)).toEqual([
      'about 1 second',
      'about 59 seconds',
      'about 89 seconds',
      'about 2 minutes',
      'about 60 minutes',
      'about 90 minutes',
      'about 2 hours',
      'about 9 hours',
      'about 2 days',
    ])
  })

  it('carry a real minus sign, and none on a rounded zero', () => {
    expect(decimal(-0.5)).toBe('−0.50')
    expect(decimal(-0.001)).toBe('0.00')
    expect(signed(0.25)).toBe('+0.25')
    expect(signed(0)).toBe('0.00')
    expect(percent(0.625)).toBe('63 %')
    expect(whole(12345)).toBe('12\u202f345')
    expect(decimal(Number.NaN)).toBe('–')
  })

  it('are short', () => {
    expect([0.0003, 0.25, 1, 120000, 1 / 3].map(compact)).toEqual(['3e−4', '0.25', '1', '1.2e5', '0.3333'])
  })
})

describe('axes', () => {
  it('have round ticks inside their domain', () => {
    fc.assert(
      fc.property(
        real,
        fc.double({ min: 1e-3, max: 1e6, noNaN: true }),
        fc.integer({ min: 1, max: 12 }),
        (low, span, count) => {
          const found = ticks([low, low + span], count)
          for (const tick of found) {
            expect(tick).toBeGreaterThanOrEqual(low - span * 1e-6)
            expect(tick).toBeLessThanOrEqual(low + span * (1 + 1e-6))
          }
          expect(found.length).toBeLessThanOrEqual(count + 1)
        },
      ),
    )
  })

  it('cover every value', () => {
    fc.assert(
      fc.property(fc.array(real, { minLength: 1, maxLength: 30 }), (values) => {
        const [low, high] = roundDomain(values)
        const slack = Math.max(1, ...values.map(Math.abs)) * 1e-9
        expect(low).toBeLessThanOrEqual(Math.min(...values) + slack)
        expect(high).toBeGreaterThanOrEqual(Math.max(...values) - slack)
        expect(high).toBeGreaterThan(low)
      }),
    )
  })

  it('keep the spike of a dense series', () => {
    const points = Array.from({ length: 5000 }, (_, x) => ({ x, y: x === 2500 ? 1 : 0 }))
    const path = linePath(points, linear([0, 4999], [0, 200]), linear([0, 1], [100, 0]))
    expect(path).toContain(' 0.0')
    expect(path.split('L').length).toBeLessThan(500)
  })
})

describe('the settings form', () => {
  it('says what is wrong in the words of the controls', () => {
    const message = settingsErrorOf({ alphaLow: 0.9 })
    expect(message).toContain('alphaLow')
    expect(inLabels(message, 'household')).toBe('α_low must be below α_high: tasks between them are left as they are.')
    expect(inLabels('lambda must be a number', 'household')).toBe('λ must be a number')
    expect(inLabels('clipRatioLow must be a number', 'household')).toBe('Clip ratio, low must be a number')
    expect(inLabels('"iPhone" is no setting', 'household')).toBe('"iPhone" is no setting')
  })

  it('shows every setting exactly once', () => {
    const shown = [...UP_FRONT, ...FOLDED].flatMap((group) => group.names)
    // `world` is the choice of a world.
    expect([...shown, 'world'].sort()).toEqual(Object.keys(settingsSchema.entries).sort())
  })

  it('brings a slider back to where it was', () => {
    for (const name of Object.keys(settingsSchema.entries) as (keyof Settings)[]) {
      const travel = travelOf(name)
      if (!travel) continue
      expect(travel.min, name).toBeLessThan(travel.max)
      if (!travel.isLogarithmic) continue
      expect(fromPosition(0, travel), name).toBe(travel.min)
      expect(fromPosition(LOG_STEPS, travel), name).toBe(travel.max)
      // Two digits per value: neighbours may share one.
      for (let position = 0; position <= LOG_STEPS; position++) {
        expect(Math.abs(toPosition(fromPosition(position, travel), travel) - position)).toBeLessThanOrEqual(3)
      }
    }
  })
})

it('names a run by when it began', () => {
  expect(newRunId(new Date(Date.UTC(2026, 0, 31, 14, 25, 1, 42)))).toBe('run-20260131-142501-042')
})

function settingsErrorOf(difference: Partial<Settings>): string {
  try {
    parseSettings(difference)
  } catch (cause) {
    return (cause as Error).message
  }
  return ''
}
