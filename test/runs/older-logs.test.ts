import { describe, expect, it } from 'vitest'
import type { LoggedEvent } from '../../src/method/events.ts'
import { foldRun } from '../../src/runs/fold.ts'
import { presetSettings } from '../../src/method/presets.ts'
import { applyPatch, DEFAULTS, type Settings } from '../../src/method/settings.ts'
import { withCurrentSettings, withSampledNames } from '../../src/runs/older-logs.ts'
import { parseRunLog, RunLogReader, serialiseRunLog } from '../../src/runs/run-log.ts'

function started(settings: object): LoggedEvent {
  return {
    type: 'run-started',
    runId: 'run',
    settings: settings as Settings,
    preset: 'household',
    backend: 'cpu',
    models: { policy: 'p', reward: 'r', author: 'a' },
    seq: 0,
    iteration: 0,
  }
}

const {
  games: _,
  dialect: __,
  explainRefusals: ___,
  importanceCap: ____,
  ...olderSettings
} = presetSettings('household')
const older = serialiseRunLog([started(olderSettings)])

describe('a log from before the household had settings of its own', () => {
  it('reads as a run with compact games, v2 commands and unexplained refusals', () => {
    const { settings } = foldRun(parseRunLog(older))
    expect(settings).toEqual({
      ...presetSettings('household'),
      games: 'compact',
      dialect: 'v2',
      explainRefusals: false,
      importanceCap: 0,
    })
    const reader = new RunLogReader()
    const lines = older.split('\n')
    reader.take(lines[0]!)
    expect(reader.take(lines[1]!)).toMatchObject({ settings: { games: 'compact' } })
  })

  it('reads its world under the name it had then', () => {
    const { world, ...rest } = presetSettings('coding')
    const before = serialiseRunLog([started({ ...rest, setting: world })])
    expect(foldRun(parseRunLog(before)).settings).toEqual(presetSettings('coding'))
  })

  it('was evaluated at the temperature of its policy, and its reward model on no fixed trajectories', () => {
    const { evaluationTemperature: _, judgeTasks: __, ...rest } = presetSettings('household')
    const before = serialiseRunLog([started({ ...rest, policyTemperature: 0.8 })])
    expect(foldRun(parseRunLog(before)).settings).toMatchObject({ evaluationTemperature: 0.8, judgeTasks: 0 })
  })

  it('has evaluations under the names of the training temperature, and its other metrics as they were', () => {
    const values = { 'eval/id/acc': 0.1, 'eval/ood/detect': 0.2, 'eval/id/acc/gimp': 0.3, 'policy/acc': 0.4 }
    expect(withSampledNames(values)).toEqual({
      'eval/id/acc_sampled': 0.1,
      'eval/ood/detect_sampled': 0.2,
      'eval/id/acc/gimp': 0.3,
      'policy/acc': 0.4,
    })
  })

  it('can be resumed, and its settings changed', () => {
    const { settings } = foldRun(parseRunLog(older))
    expect(applyPatch(settings!, { lambda: 2 })).toMatchObject({ lambda: 2, games: 'compact' })
  })

  it('does not change a log that has every setting', () => {
    const event = started({ ...DEFAULTS, games: 'official', dialect: 'v1' })
    expect(withCurrentSettings(event)).toBe(event)
    const finished: LoggedEvent = { type: 'iteration-finished', metrics: {}, seq: 1, iteration: 1 }
    expect(withCurrentSettings(finished)).toBe(finished)
  })
})
