import { describe, expect, it } from 'vitest'
import { presetSettings } from '../../../src/method/presets.ts'
import { applyPatch, SettingsError, type Settings } from '../../../src/method/settings.ts'
import {
  branchChanges,
  leftOutReasons,
  otherWorldSentence,
  settingsAt,
} from '../../../src/playground/run/branch-changes.ts'

const run = {
  settings: presetSettings('household'),
  changes: [
    { iteration: 3, patch: { lambda: 2 } },
    { iteration: 6, patch: { lambda: 3, alphaLow: 0.1 } },
  ],
  checkpoints: [],
}
const controls = (change: Partial<Settings>): Settings => ({ ...presetSettings('household'), ...change })

describe('a branch', () => {
  it('applies the differences between the controls and the run at that iteration', () => {
    expect(settingsAt(run, 2).lambda).toBe(1)
    expect(settingsAt(run, 5).lambda).toBe(2)
    expect(branchChanges(run, 2, controls({})).patch).toEqual({})
    expect(branchChanges(run, 4, controls({ lambda: 2 })).patch).toEqual({})
    expect(branchChanges(run, 6, controls({ lambda: 2 })).patch).toEqual({ lambda: 2, alphaLow: 0.2 })
  })

  it('counts the change that a branch of a branch finds at its first checkpoint', () => {
    const checkpoints = [{ iteration: 2, eventCount: 9, bytes: 1 }]
    const branch = { ...run, changes: [{ iteration: 3, seq: 8, patch: { lambda: 2 } }], checkpoints }
    expect(settingsAt(branch, 2).lambda).toBe(2)
    expect(settingsAt({ ...branch, changes: [{ iteration: 3, seq: 9, patch: { lambda: 2 } }] }, 2).lambda).toBe(1)
  })

  it('leaves out fixed settings, each with its reason', () => {
    const { patch, leftOut } = branchChanges(
      run,
      2,
      controls({ lambda: 0.5, seed: 9, clipRatioLow: 0.1, games: 'full', evaluationTasks: 8, problems: 'imported' }),
    )
    expect(patch).toEqual({ lambda: 0.5 })
    // Problems are irrelevant in the household.
    expect(leftOut).toEqual({ seed: 9, clipRatioLow: 0.1, games: 'full', evaluationTasks: 8 })
    const words = leftOutReasons(leftOut, 'household')!
    expect(words.split('; ').length).toBe(4)
    expect(words).toContain('Seed 9: a branch continues the random numbers of its run')
    expect(words).toMatch(/full: the run drew its tasks/)
    expect(leftOutReasons({}, 'household')).toBeNull()
  })

  it('leaves out exactly what a run would reject', () => {
    const other = controls({})
    const before = presetSettings('household')
    for (const name of Object.keys(before) as (keyof Settings)[]) {
      const changed = { ...other, [name]: typeof other[name] === 'number' ? 1.5 : 'other' } as Settings
      if (name === 'world') continue
      const { patch, leftOut } = branchChanges({ settings: before, changes: [], checkpoints: [] }, 0, changed)
      const isRefused = () => {
        try {
          applyPatch(before, { [name]: before[name] })
          return false
        } catch (error) {
          return error instanceof SettingsError
        }
      }
      if (name in leftOut) expect(isRefused()).toBe(true)
      else if (name in patch) expect(isRefused()).toBe(false)
      else expect(['problems', 'screen', 'desktopTasks']).toContain(name)
      if (name in leftOut) expect(leftOutReasons(leftOut, 'household')).not.toBeNull()
    }
  })

  it('applies nothing from controls for another world, and says so', () => {
    const changes = branchChanges(run, 2, presetSettings('coding'))
    expect(changes).toEqual({ patch: {}, leftOut: {}, otherWorld: 'coding' })
    expect(otherWorldSentence('household', 'coding')).toContain('Choose Household')
  })
})
