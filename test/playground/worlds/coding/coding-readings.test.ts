import { describe, expect, it } from 'vitest'
import { foldRun } from '../../../../src/runs/fold.ts'
import { PRESETS, presetSettings } from '../../../../src/method/presets.ts'
import type { World } from '../../../../src/method/settings.ts'
import { WORLD_NAMES as worlds } from '../../../../src/worlds/index.ts'
import { charts } from '../../../../src/playground/run/curves.ts'
import { iterationNumbers, loopFlows, phaseName } from '../../../../src/playground/views/loop/loop-flows.ts'
import { FLOWS } from '../../../../src/playground/views/loop/loop-symbols.ts'
import { FOLDED, UP_FRONT } from '../../../../src/playground/run/settings-form.ts'
import {
  isRelevant,
  leftOutSentence,
  presetMenu,
  presetsOf,
  presetWords,
  settingWords,
} from '../../../../src/playground/run/worlds.ts'
import { fakeCodingRun } from '../../fake-coding-run.ts'

const view = foldRun(fakeCodingRun({ iterations: 3 }))

describe('a world', () => {
  it.each(worlds)('%s offers only its own presets', (world) => {
    for (const { preset } of presetsOf(world)) expect(presetSettings(preset).world, preset).toBe(world)
  })

  it.each(worlds)('%s lays its arms over its own preset, so that they share everything else', (world) => {
    const own = presetSettings(world)
    for (const arm of ['grpo', 'frozen-judge', 'policy-reward', 'full']) {
      const { preset } = presetsOf(world).find(({ preset }) => preset === `${world}+${arm}`)!
      const { signal, trainReward, adaptEnvironment } = presetSettings(preset)
      expect(presetSettings(preset), arm).toEqual({ ...own, signal, trainReward, adaptEnvironment })
    }
  })

  it.each(worlds)('%s says in words what each of its presets is for', (world) => {
    const presets = presetsOf(world)
    for (const { preset, label } of presets) {
      expect(presetWords(preset)).toBe(label)
      expect(label).not.toContain(preset)
    }
    expect(presetWords('long-gone')).toBe('long-gone')
  })

  it('offers every preset that no other world offers', () => {
    const names = new Set(worlds.flatMap((world) => presetsOf(world).map(({ preset }) => preset.split('+').at(-1))))
    expect([...names].sort()).toEqual(Object.keys(PRESETS).sort())
  })

  it.each(worlds)('%s says of each preset in words what it is for', (world) => {
    const labels = presetsOf(world).map(({ label }) => label)
    expect(new Set(labels).size).toBe(labels.length)
    expect(labels.filter((label) => Object.keys(PRESETS).includes(label))).toEqual([])
    expect(labels).toContain('Policy, frozen reward model')
  })

  it('has words also for a preset without its own, as a lesson or a link may name it', () => {
    expect(presetWords('reference')).toBe('The released code’s arithmetic')
    for (const name of Object.keys(PRESETS)) expect(presetWords(name)).not.toBe(name)
  })

  it('offers a preset that is not among its own beside them, and no two with the same text', () => {
    expect(presetMenu('household', 'household+reference')).toEqual(presetsOf('household'))
    const menu = presetMenu('household', 'reference')
    expect(menu.at(-1)).toEqual({ preset: 'reference', label: 'The released code’s arithmetic' })
    expect(new Set(menu.map(({ label }) => label)).size).toBe(menu.length)
    expect(presetMenu('coding', 'long-gone').slice(0, -1)).toEqual(presetsOf('coding'))
  })

  it('hides what does not apply to it, and says why', () => {
    const names = [...UP_FRONT, ...FOLDED].flatMap((group) => group.names)
    const hidden = (world: World) => names.filter((name) => !isRelevant(name, world)).sort()
    expect(hidden('household')).toEqual(['desktopTasks', 'problems', 'screen'])
    expect(hidden('coding')).toEqual(['desktopTasks', 'dialect', 'evaluationMaxSteps', 'explainRefusals', 'games', 'maxSteps', 'rewardBalance', 'rewardGrouping', 'screen', 'singleSurvivor'])
    expect(leftOutSentence(['seed', 'maxSteps'], 'coding')).toBe('Without meaning here. Steps per episode: a program is one step.')
    expect(leftOutSentence(['seed', 'maxSteps'], 'household')).toBeNull()
  }) // prettier-ignore

  it('uses its own words for votes and steps in coding', () => {
    const shown = UP_FRONT.flatMap((group) => group.names)
    for (const name of shown) {
      const { label, help } = settingWords(name, 'coding')
      expect(`${label} ${help}`, name).not.toMatch(/\bvotes?\b|\btrajector|\brollouts?\b/)
    }
    expect(settingWords('evaluationsPerStep', 'household').label).toBe('m, votes per step')
  })
})

describe('the curves of programs', () => {
  const byId = Object.fromEntries(charts(view).map((chart) => [chart.id, chart]))

  it('show Code, UT and Detect, for training and for evaluations of both splits', () => {
    for (const id of ['code', 'ut', 'detect']) {
      expect(byId[id]!.series.map(({ name }) => name)).toEqual(['in distribution', 'out of distribution', 'training'])
      for (const series of byId[id]!.series) expect(series.points.length, `${id} ${series.name}`).toBeGreaterThan(0)
    }
    expect(byId['reward']).toBeUndefined()
    expect(byId['detect']!.series.map(({ points }) => points.map(({ x }) => x))).toEqual([[1, 3], [3], [1, 2, 3]])
  }) // prettier-ignore

  it('have names before a run has values', () => {
    expect(charts(foldRun([]), 'coding').map(({ id }) => id)).toContain('detect')
    expect(charts(foldRun([])).map(({ id }) => id)).toContain('reward')
  })
})

describe('the loop of programs', () => {
  it('has a number on every arrow, in terms of programs and tests', () => {
    const { flows, rewardLine, environmentLine } = loopFlows(view)
    for (const id of FLOWS) expect(flows[id].value, id).not.toBe('–')
    expect(flows.actions.value).toBe('12 programs')
    expect(flows.steps.value).toBe('12 × 5 tests')
    expect(rewardLine).toBe('48 % of its tests are true')
    expect(environmentLine).toBe('4 active problems')
    expect(phaseName('judge', 'coding')).not.toBe(phaseName('judge', 'household'))
  })

  it('shows S̄ as the mean over programs of their readable tests', () => {
    const iteration = view.iteration(1)!
    const means = iteration.writtenTests.flatMap(({ written }) =>
      written.results.map((row) => {
        const read = row.filter((result) => result !== null)
        return read.reduce((sum, { passed }) => sum + (passed ? 1 : -1), 0) / read.length
      }),
    )
    const numbers = iterationNumbers(iteration, view.settings!)
    expect(numbers.meanScore).toBeCloseTo(means.reduce((a, b) => a + b, 0) / means.length)
    expect(numbers.tests).toBe(10)
  })

  it('says that the released arithmetic uses only hidden tests', () => {
    const reference = foldRun(fakeCodingRun({ iterations: 1, settings: { profile: 'reference' } }))
    expect(loopFlows(reference).junction.formula).toBe('R = "hidden tests"')
    expect(loopFlows(view).junction.formula).toBe('R = O + λ S̄')
  })
})
