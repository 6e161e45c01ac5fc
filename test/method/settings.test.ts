import { describe, expect, it } from 'vitest'
import { SETTING_INFO } from '../../src/playground/run/setting-info.ts'
import { parseSettings, PRESETS, presetSettings } from '../../src/method/presets.ts'
import {
  applyPatch,
  DEFAULTS,
  LIVE_SETTINGS,
  settingDomain,
  SettingsError,
  type LivePatch,
  type Settings,
} from '../../src/method/settings.ts'

const names = Object.keys(DEFAULTS) as (keyof Settings)[]
const errorOf = (act: () => unknown): SettingsError => {
  try {
    act()
  } catch (error) {
    if (error instanceof SettingsError) return error
  }
  throw new Error('No SettingsError was thrown.')
}

describe('settings', () => {
  it('have valid defaults and valid presets', () => {
    expect(parseSettings(DEFAULTS)).toEqual(DEFAULTS)
    for (const preset of Object.keys(PRESETS))
      expect(parseSettings({}, preset)).toMatchObject(PRESETS[preset as keyof typeof PRESETS])
  })

  it('combine presets, and override them by the input', () => {
    expect(parseSettings({ lambda: 2, groupSize: undefined }, 'paper-alfworld+policy-only')).toMatchObject({
      lambda: 2,
      groupSize: 8,
      maxSteps: 40,
      policyLearningRate: 1e-6,
      trainReward: false,
    })
  })

  it('keep the former names of presets', () => {
    expect(parseSettings({}, 'household+policy-only')).toEqual(parseSettings({}, 'household+frozen-judge'))
    expect(parseSettings({}, 'household+outcome-only')).toMatchObject({ signal: 'outcome', trainReward: true })
    expect(parseSettings({}, 'household+step-only')).toEqual({
      ...presetSettings('household'),
      signal: 'step',
    })
  })

  it.each(['household', 'coding'])('keep outcomes from a policy that votes alone train (%s)', (world) => {
    const { rewardAccuracyLow, rewardAccuracyHigh } = parseSettings({}, world)
    for (const arm of ['step-frozen', 'step-trained']) {
      expect(parseSettings({}, `${world}+${arm}`), arm).toMatchObject({
        signal: 'step',
        rewardAccuracyLow,
        rewardAccuracyHigh,
        adaptEnvironment: false,
        trainReward: arm === 'step-trained',
        policyAccuracyLow: 0,
        policyAccuracyHigh: 1,
      })
    }
  })

  it('play and evaluate the run of the paper as far as settings can say it', () => {
    expect(parseSettings({}, 'paper-alfworld')).toMatchObject({
      games: 'full',
      evaluationTasks: 140,
      evaluationMaxSteps: 50,
      groupSize: 8,
      tasksPerIteration: 16,
    })
  })

  it('fit the coding world: a program is one step, and the release filters both roles alike', () => {
    const presets = ['coding', 'paper-coding', 'coding+coding-reference', 'coding+policy-only+step-only']
    for (const preset of presets) {
      const settings = parseSettings({}, preset)
      expect(settings, preset).toMatchObject({ world: 'coding', maxSteps: 1, problems: 'generated' })
      // Detect requires tasks with a correct and a wrong program, so more than one of each.
      expect(settings.evaluationRollouts, preset).toBeGreaterThan(1)
      expect(settings.policyTemperature, preset).toBeGreaterThan(0)
    }
    for (const preset of ['paper-coding', 'coding+coding-reference']) {
      expect(parseSettings({}, preset), preset).toMatchObject({
        profile: 'reference',
        policyAccuracyLow: 0.2,
        policyAccuracyHigh: 0.8,
        rewardAccuracyLow: 0.2,
        rewardAccuracyHigh: 0.8,
      })
    }
    expect(parseSettings({}, 'paper-coding')).toMatchObject({
      tasksPerIteration: 64,
      groupSize: 32,
      evaluationsPerStep: 16,
    })
    expect(parseSettings({}, 'household')).toMatchObject({ world: 'household', evaluationRollouts: 1 })
  })

  it.each<[unknown, string | null, string]>([
    [{ lambda: 'high' }, 'lambda', 'lambda must be a number from 0 to 10, not "high".'],
    [{ groupSize: 1 }, 'groupSize', 'groupSize must be a whole number from 2 to 64, not 1.'],
    [{ groupSize: 2.5 }, 'groupSize', 'groupSize must be a whole number from 2 to 64, not 2.5.'],
    [{ signal: 'all' }, 'signal', 'signal must be one of integrated, outcome, step, not "all".'],
    [{ trainPolicy: 'yes' }, 'trainPolicy', 'trainPolicy must be true or false, not "yes".'],
    [{ topP: Number.NaN }, 'topP', 'topP must be a number from 0.05 to 1, not NaN.'],
    [{ alphaLow: 0.9 }, 'alphaLow', 'alphaLow must be below alphaHigh: tasks between them are not rewritten.'],
    [[], null, 'Settings must be an object of names and values.'],
  ])('refuse %j in one sentence', (input, field, message) => {
    expect(errorOf(() => parseSettings(input))).toMatchObject({ field, message })
  })

  it('report an unknown field, and list the presets', () => {
    expect(errorOf(() => parseSettings({ lamda: 1 })).message).toMatch(
      /^"lamda" is not a setting; the settings are seed, .*lambda/u,
    )
    expect(errorOf(() => parseSettings({}, 'kitchen')).message).toMatch(
      /^There is no preset "kitchen"; the presets are household, /u,
    )
    expect(() => parseSettings({}, 'toString')).toThrow(SettingsError)
  })

  it('can change during a run only if they are live', () => {
    expect(applyPatch(DEFAULTS, { lambda: 3 }).lambda).toBe(3)
    expect(errorOf(() => applyPatch(DEFAULTS, { taskPoolSize: 3 } as LivePatch)).message).toMatch(
      /^"taskPoolSize" is fixed for a run;/u,
    )
    expect(errorOf(() => applyPatch(DEFAULTS, { alphaHigh: 0.1 })).field).toBe('alphaLow')
  })

  it('each have a label, help, a valid default, and a source or a reason to have none', () => {
    expect(Object.keys(SETTING_INFO).toSorted()).toEqual(names.toSorted())
    for (const name of names) {
      const info = SETTING_INFO[name]
      expect(info.help, name).toMatch(/\.$/u)
      expect(info.isLive).toBe((LIVE_SETTINGS as readonly string[]).includes(name))
      expect(info.paper ?? info.released, name).not.toBeNull()
      expect(info.step === null, name).toBe(settingDomain(name).kind !== 'number')
    }
  })
})
