import { describe, expect, it } from 'vitest'
import { RunView } from '../../../../src/runs/fold.ts'
import type { Settings } from '../../../../src/method/settings.ts'
import {
  advantagesForecast,
  judgedBatch,
  thresholdForecast,
} from '../../../../src/playground/shell/settings/change-forecast.ts'
import { recordedHousehold } from '../../recorded-household.ts'

const view = recordedHousehold()
const batch = judgedBatch(view)!
const had: Settings = { ...batch.had }

describe('what another λ would do', () => {
  it('is predicted for the newest judged batch, sign by sign', () => {
    const wished = { ...had, lambda: 6 }
    const signs = batch.groups.flatMap((group) => {
      const now = group.derive(wished).policy.flat()
      return group
        .derive(had)
        .policy.flat()
        .map((before, i) => (before ?? 0) * (now[i] ?? 0) < 0)
    })
    const flipped = signs.filter(Boolean).length
    const trained = batch.groups.flatMap((group) => group.derive(had).policy.flat()).filter((a) => a !== null).length
    expect(flipped).toBeGreaterThan(0)
    const { sentence, href } = advantagesForecast(batch, 'lambda', wished)!
    expect(sentence).toMatch(
      new RegExp(
        `^In iteration ${batch.iteration}, ${flipped} of the policy’s ${trained} advantages would change sign`,
      ),
    )
    expect(href).toBe('#equation')
  })

  it('is null at the λ of the run and in another world', () => {
    expect(advantagesForecast(batch, 'lambda', { ...had, alphaLow: 0.1 })).toBeNull()
    expect(advantagesForecast(batch, 'lambda', { ...had, lambda: 2, world: 'coding' })).toBeNull()
  })

  it('is predicted for the signal, too: outcomes alone leave sets without spread', () => {
    expect(advantagesForecast(batch, 'signal', { ...had, signal: 'outcome' })!.sentence).toContain('would drop out')
  })
})

describe('what another threshold would do', () => {
  it('counts measured tasks beyond it and beyond that of the run', () => {
    const measured = [...view.tasks.values()].filter(({ status, history }) => status === 'active' && history.length > 0)
    const below = (limit: number) =>
      measured.filter(({ history }) => history.at(-1)!.won / history.at(-1)!.played < limit).length
    const { sentence, href } = thresholdForecast(view, 'alphaLow', { ...had, alphaLow: 0.55 })!
    expect(sentence).toBe(
      `Of ${measured.length} measured tasks, ${below(0.55)} would be made easier instead of ${below(0.2)}.`,
    )
    expect(below(0.55)).toBeGreaterThan(below(0.2))
    expect(href).toBe('#thresholds')
  })

  it('is null before a task is measured', () => {
    expect(judgedBatch(new RunView())).toBeNull()
    expect(thresholdForecast(new RunView(), 'alphaLow', { ...had, alphaLow: 0.5 })).toBeNull()
  })
})
