import { describe, expect, it } from 'vitest'
import { presetSettings } from '../../../src/method/presets.ts'
import { newRunId } from '../../../src/playground/run/run-id.ts'
import {
  differingSettings,
  experimentName,
  groupKey,
  modelsOfRun,
  runName,
} from '../../../src/playground/run/run-names.ts'
import { folderSource } from '../../../src/roles/source.ts'
import type { RunSummary } from '../../../src/runs/run-store.ts'
import { run } from './household-summary.ts'

it('identifies a run by its start time', () => {
  expect(newRunId(new Date(Date.UTC(2026, 0, 31, 14, 25, 1, 42)))).toBe('run-20260131-142501-042')
})

describe('the name of a run', () => {
  it('tells how it differs from its preset', () => {
    const settings = { ...presetSettings('household'), seed: 3, lambda: 0.5, trainReward: false }
    const changes = [{ iteration: 12, patch: { lambda: 2 } }]
    expect(runName(run(3, { settings, changes }))).toBe(
      'household: Train the reward model off, λ 0.5, seed 3; λ 2 from iteration 12',
    )
    expect(runName(run(0))).toBe('household: seed 0')
    expect(runName(run(0, { preset: 'of a later page' }))).toBe('of a later page: seed 0')
  })

  it('has the last of several changes while the run rested', () => {
    const changes = [
      { iteration: 12, patch: { lambda: 2 } },
      { iteration: 12, patch: { lambda: 5, alphaLow: 0.1 } },
    ]
    const several = run(3, { changes })
    expect(runName(several)).toMatch(/; λ 5, [^;]+ from iteration 12$/)
    const once = run(4, { changes: [{ iteration: 12, patch: { lambda: 5, alphaLow: 0.1 } }] })
    expect(groupKey(several)).toBe(groupKey(once))
  })

  it('groups runs that differ only in their seed', () => {
    expect(groupKey(run(1))).toBe(groupKey(run(2)))
    const other = run(1, { settings: { ...presetSettings('household'), lambda: 2 } })
    expect(groupKey(other)).not.toBe(groupKey(run(1)))
    const changed = run(1, { changes: [{ iteration: 2, patch: { lambda: 2 } }] })
    expect(groupKey(changed)).not.toBe(groupKey(run(1)))
    expect(differingSettings([run(1), other]).map(({ name, values }) => [name, values])).toEqual([
      ['seed', ['1', '0']],
      ['lambda', ['1', '2']],
    ])
    expect(differingSettings([run(1), changed]).map(({ name, values }) => [name, values])).toEqual([
      ['lambda', ['1', '1, 2 from iteration 2']],
    ])
  })

  it('says which world of your own it plays in, and groups runs in one version of its file', () => {
    const settings = presetSettings('own')
    const inWorld = (seed: number, hash: string, change: Partial<RunSummary> = {}) =>
      run(seed, { preset: 'own', settings: { ...settings, seed }, worldFile: { name: 'Numbers', hash }, ...change })
    expect(runName(inWorld(3, 'a'))).toBe('own: seed 3, in Numbers')
    expect(experimentName(inWorld(3, 'a'))).toBe('own: 9 iterations, in Numbers')
    expect(groupKey(inWorld(1, 'a'))).toBe(groupKey(inWorld(2, 'a')))
    expect(groupKey(inWorld(1, 'a'))).not.toBe(groupKey(inWorld(2, 'b')))
  })

  it('says with which version of its models it began, once for all roles', () => {
    const kept = (name: string) => folderSource(`local:${name}`)
    const models = {
      policy: kept('mine.models@1a2b3c4d/own-policy'),
      reward: kept('mine.models@1a2b3c4d/own-reward'),
      author: 'local:my chat model',
    }
    expect(modelsOfRun(run(0, { models }))).toBe('mine.models, version 1a2b3c4d')
    const mixed = { ...models, reward: kept('mine.models@99999999/own-reward') }
    expect(modelsOfRun(run(0, { models: mixed }))).toBe('mine.models, version 1a2b3c4d; mine.models, version 99999999')
    expect(modelsOfRun(run(0, { models: { policy: kept('mine.models/own-policy') } }))).toBe('')
    expect(modelsOfRun(run(0))).toBe('')
  })
})
