import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { RELEASED_SYSTEMS } from '../../../src/cluster/protocol.ts'
import { ON_CLUSTER, RELEASED_DEFAULTS, type ConfigTree } from '../../../src/cluster/released/defaults.ts'
import {
  configured,
  differencesOf,
  exportRelease,
  openKeys,
  ReleaseSettingsError,
} from '../../../src/cluster/released/export.ts'
import { editableFields, SETTING_KEYS, valueAt } from '../../../src/cluster/released/mapping.ts'
import { releasedSettings } from '../../../src/cluster/released/systems.ts'
import { yamlText } from '../../../src/cluster/released/yaml-text.ts'

/** Reads YAML 1.1 like PyYAML, which OmegaConf uses. */
const asPython = (text: string): unknown => parse(text, { version: '1.1' })

describe('a configuration as YAML', () => {
  it.each(RELEASED_SYSTEMS)('reads back as the released %s configuration', (system) => {
    expect(asPython(yamlText(RELEASED_DEFAULTS[system]))).toEqual(RELEASED_DEFAULTS[system])
  })

  it('reads back as the same values, for any strings and numbers', () => {
    const { tree } = fc.letrec<{ leaf: unknown; tree: Record<string, unknown> }>((tie) => ({
      leaf: fc.oneof(
        fc.string({ unit: 'grapheme' }),
        fc.constantFrom('yes', 'null', '1e-6', '0x10', '~', '- a', 'a: b', '#', '1:30', "it's"),
        fc.integer(),
        fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => (value === 0 ? 0 : value)),
        fc.boolean(),
        fc.constant(null),
        fc.array(fc.integer(), { maxLength: 3 }),
      ),
      tree: fc.dictionary<string, unknown>(
        fc.stringMatching(/^[A-Za-z_][\w-]{0,8}$/).filter((key) => key !== '__proto__'),
        fc.oneof({ depthSize: 'small' }, tie('leaf'), tie('tree')),
        { maxKeys: 4, noNullPrototype: true },
      ),
    }))
    fc.assert(
      fc.property(tree, (config) => {
        fc.pre(Object.keys(config).length > 0)
        expect(asPython(yamlText(config as ConfigTree))).toEqual(config)
      }),
    )
  })

  it('writes small numbers so that YAML 1.1 reads them as numbers', () => {
    expect(yamlText({ lr: 1e-7, exact: 2.5e-7 })).toBe('lr: 1.0e-07\nexact: 2.5e-07\n')
  })
})

describe('settings as a released configuration', () => {
  it.each(RELEASED_SYSTEMS)('the settings of %s change nothing in its configuration', (system) => {
    const out = exportRelease(system, releasedSettings(system))
    expect(out.differences).toEqual([])
    expect(out.notCarried).toEqual([])
    const { rlanything, ...config } = asPython(out.yaml) as Record<string, unknown>
    expect(config).toEqual(RELEASED_DEFAULTS[system])
    expect(rlanything).toEqual({ lambda: 1, alpha_low: 0.2, alpha_high: 0.8 })
  })

  it.each(RELEASED_SYSTEMS)(
    'every key of %s is one of the released file, and its default is the value there',
    (system) => {
      for (const { name, keys, default: value } of editableFields(system)) {
        expect(keys).toEqual(SETTING_KEYS[system][name] ?? [])
        for (const key of keys) expect(valueAt(RELEASED_DEFAULTS[system], key)).toBe(value)
      }
    },
  )

  it('writes a changed setting to its keys and lists the difference', () => {
    const settings = {
      ...releasedSettings('alfworld'),
      groupSize: 4,
      policyLearningRate: 2e-6,
      rewardLearningRate: 2e-6,
      lambda: 0.5,
    }
    const out = exportRelease('alfworld', settings, { project: 'short_run', totalSteps: 7 })
    const config = asPython(out.yaml) as ConfigTree
    expect(valueAt(config, 'experiment.project')).toBe('short_run')
    expect(out.command).toBe('PYTHONUNBUFFERED=1 python alfworld_rl.py config=configs/short_run.yaml')
    expect(out.live).toEqual({ lambda: 0.5, alphaLow: 0.2, alphaHigh: 0.8 })
    expect(out.differences).toEqual([
      { key: 'experiment.total_step', released: 200, now: 7 },
      { key: 'rollout.policy.num_rollout_per_trial', released: 8, now: 4 },
      { key: 'optimizer.params.learning_rate', released: 1e-6, now: 2e-6 },
      { key: 'lr_scheduler.params.learning_rate', released: 1e-6, now: 2e-6 },
    ])
    for (const { key, now } of out.differences) expect(valueAt(config, key)).toBe(now)
  })

  it('names what the release does not support', () => {
    const settings = { ...releasedSettings('coding'), trainReward: false, maxGradNorm: 0.5, lambda: 2 }
    const names = exportRelease('coding', settings).notCarried.map(({ name }) => name)
    expect(names).toEqual(['trainReward', 'lambda', 'maxGradNorm'])
  })

  it('exports the signal "outcome" as λ = 0', () => {
    const out = exportRelease('osworld', { ...releasedSettings('osworld'), signal: 'outcome' })
    expect(out.live.lambda).toBe(0)
    expect(out.notCarried).toEqual([])
  })

  it('lists what the operator must fill in', () => {
    const open = openKeys(exportRelease('osworld', releasedSettings('osworld')).config)
    expect(open).toContain('system.VOLCENGINE_SECRET_ACCESS_KEY')
    expect(open).toContain('model.policy_model')
    expect(open.every((key) => valueAt(RELEASED_DEFAULTS.osworld, key) === ON_CLUSTER)).toBe(true)
  })

  it.each([
    ['a fraction of a task', { tasksPerIteration: 1.5 }, 'tasksPerIteration'],
    ['an evaluation every 0 steps', { evaluateEvery: 0 }, 'evaluateEvery'],
    ['two learning rates', { policyLearningRate: 1e-6, rewardLearningRate: 2e-6 }, 'rewardLearningRate'],
    ['what AlfWorld fixes in code', { rewriteAttempts: 3 }, 'rewriteAttempts'],
    ['a text', { groupSize: '4' as unknown as number }, 'groupSize'],
    ['NaN', { groupSize: Number.NaN }, 'groupSize'],
  ])('refuses %s', (_, values, field) => {
    try {
      configured('alfworld', 'x', values)
      expect.unreachable()
    } catch (error) {
      expect(error).toBeInstanceOf(ReleaseSettingsError)
      expect((error as ReleaseSettingsError).field).toBe(field)
    }
  })

  it.each(['', 'Run', '1st', '../up', 'a b', 'a;rm', 'a$(x)', 'a'.repeat(49), 'ok\n'])(
    'refuses %j as a name, because names become files',
    (project) => {
      expect(() => exportRelease('alfworld', releasedSettings('alfworld'), { project })).toThrow(ReleaseSettingsError)
    },
  )

  it('finds differences at any depth, and in lists', () => {
    const differences = differencesOf({ a: { b: { c: 1 } }, l: [1, [2]] }, { a: { b: { c: 1, d: 2 } }, l: [1, [3]] })
    expect(differences).toEqual([
      { key: 'a.b.d', released: null, now: 2 },
      { key: 'l', released: [1, [2]], now: [1, [3]] },
    ])
  })
})
