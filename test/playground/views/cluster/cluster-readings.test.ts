import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { notCarriedOf } from '../../../../src/cluster/released/export.ts'
import { editableFields } from '../../../../src/cluster/released/mapping.ts'
import { releasedSettings } from '../../../../src/cluster/released/systems.ts'
import { RELEASED_SYSTEMS, type LogLine } from '../../../../src/cluster/protocol.ts'
import { isLogged } from '../../../../src/method/events.ts'
import { foldRun } from '../../../../src/runs/fold.ts'
import { presetSettings } from '../../../../src/method/settings.ts'
import {
  domainCharts,
  domainsOf,
  knownCharts,
  sideBySide,
} from '../../../../src/playground/views/cluster/cluster-charts.ts'
import {
  fieldProblem,
  nameProblem,
  problemsOf,
  requestOf,
  settingsFor,
  splitFields,
  textsOf,
} from '../../../../src/playground/views/cluster/cluster-launch.ts'
import { appendLog } from '../../../../src/playground/views/cluster/cluster-log.ts'
import { FIRST_PROFILE, freshId, parseProfileBook } from '../../../../src/playground/views/cluster/cluster-profiles.ts'
import { ClusterProfiles } from '../../../../src/playground/views/cluster/cluster-profiles.svelte.ts'
import { fakeRun } from '../../fake-run.ts'

describe('the form that launches', () => {
  it.each(RELEASED_SYSTEMS)('asks for nothing where all stands as released: %s', (system) => {
    const fields = editableFields(system)
    expect(requestOf(system, fields, textsOf(fields, {}), '')).toEqual({ system })
    expect(problemsOf(fields, textsOf(fields, {}))).toEqual([])
    const { upFront, folded } = splitFields(fields)
    expect([...upFront, ...folded].map(({ name }) => name).sort()).toEqual(fields.map(({ name }) => name).sort())
  })

  it('asks for what differs alone, numbers as numbers', () => {
    const fields = editableFields('alfworld')
    const texts = { ...textsOf(fields, releasedSettings('alfworld')), lambda: '0.5', totalSteps: '7', groupSize: ' 8 ' }
    expect(requestOf('alfworld', fields, texts, 'mine')).toEqual({
      system: 'alfworld',
      name: 'mine',
      totalSteps: 7,
      settings: { lambda: 0.5 },
    })
  })

  it('takes outcome alone for λ = 0 where the system has a λ, and says that it cannot be carried where not', () => {
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

  it('refuses what a field cannot be, and says what it can', () => {
    const field = editableFields('alfworld').find(({ name }) => name === 'groupSize')!
    expect(['', 'x', '1e999', '2.5', '1', '65'].map((text) => fieldProblem(field, text))).toEqual([
      'Rollouts of a task must be a number.',
      'Rollouts of a task must be a number.',
      'Rollouts of a task must be a number.',
      'Rollouts of a task must be a whole number.',
      'Rollouts of a task must be at least 2.',
      'Rollouts of a task must be at most 64.',
    ])
    expect(fieldProblem(field, '8')).toBeNull()
    expect(nameProblem('a_1')).toBeNull()
    for (const name of ['A', '1a', 'a-b', '../x', 'a'.repeat(41)]) expect(nameProblem(name), name).not.toBeNull()
  })
})

describe('the end of a job’s log', () => {
  // Texts are shorter and longer than their bytes: colours and what belongs to the cluster are taken out of them.
  const WHOLE: LogLine[] = ['λ one', '', 'two', 'three é', '<on the cluster> four'].map((text, i) => ({
    offset: [0, 40, 41, 90, 99][i]!,
    text,
  }))

  it('is the same however it is told again', () => {
    const piece = fc.tuple(fc.nat(4), fc.integer({ min: 1, max: 5 }))
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 6 }), (pieces) => {
        let tail: readonly LogLine[] = []
        // Told from the beginning to the end first, then parts of it over and over.
        for (const [from, count] of [[0, 3], [2, 3], ...pieces] as [number, number][])
          tail = appendLog(tail, { lines: WHOLE.slice(from, from + count) })
        expect(tail).toEqual(WHOLE)
      }),
    )
  })

  it('is cut at its beginning', () => {
    expect(appendLog([], { lines: WHOLE }, 2)).toEqual(WHOLE.slice(-2))
    expect(appendLog(WHOLE, { lines: [] })).toEqual(WHOLE)
  })
})

describe('charts of runs on a cluster', () => {
  const events = [...fakeRun({ iterations: 3 })].filter(isLogged)

  it('leave out what a run does not measure', () => {
    const view = foldRun(
      events.map((event) =>
        event.type === 'iteration-finished' ? { ...event, metrics: { 'policy/acc': 0.5 } } : event,
      ),
    )
    const ids = knownCharts(view).map(({ id }) => id)
    expect(ids).toContain('accuracy')
    expect(ids).not.toContain('reward')
    expect(ids).not.toContain('entropy')
    expect(knownCharts(foldRun([])).map(({ id }) => id)).toEqual(['accuracy'])
  })

  it('have one for each domain, training and evaluation', () => {
    const view = foldRun(
      events.map((event) =>
        event.type === 'iteration-finished'
          ? { ...event, metrics: { 'policy/acc': 0.5, 'policy/acc/os': 0.25, 'eval/id/acc/gimp': 0.75 } }
          : event,
      ),
    )
    expect(domainsOf(view)).toEqual(['gimp', 'os'])
    const [gimp, os] = domainCharts(view)
    expect(gimp?.series.map(({ points }) => points.length)).toEqual([3, 0])
    expect(os?.series.map(({ points }) => points.map(({ y }) => y))).toEqual([[], [0.25, 0.25, 0.25]])
    expect(domainCharts(foldRun(events))).toEqual([])
  })

  it('lay several runs side by side, each with a look of its own', () => {
    const view = foldRun(events)
    expect(sideBySide([{ name: 'one', view }])).toBeNull()
    const chart = sideBySide(Array.from({ length: 12 }, (_, i) => ({ name: `run ${i}`, view })))
    expect(new Set(chart?.series.map(({ hue, line }) => `${hue} ${line}`)).size).toBe(12)
    expect(chart?.series[0]?.points.map(({ x }) => x)).toEqual([1, 2, 3])
  })
})

describe('profiles of gateways', () => {
  function storage(start: Record<string, string> = {}) {
    const items = new Map(Object.entries(start))
    return {
      items,
      getItem: (key: string) => items.get(key) ?? null,
      setItem: (key: string, value: string) => void items.set(key, value),
      removeItem: (key: string) => void items.delete(key),
    }
  }

  it('are read from whatever storage holds', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json(), fc.constant(null)), (text) => {
        expect(parseProfileBook(text).profiles.length).toBeGreaterThan(0)
      }),
    )
    const kept = { profiles: [{ id: 'a', name: 'A', address: 'x' }, { id: 1 }], chosen: 'b' }
    expect(parseProfileBook(JSON.stringify(kept))).toEqual({ profiles: [kept.profiles[0]], chosen: null })
    expect(freshId([FIRST_PROFILE, { ...FIRST_PROFILE, id: 'gateway-3' }])).toBe('gateway-4')
  })

  it('keep a token only as long as the person wants it kept, and never with the profile', () => {
    const kept = storage()
    const profiles = new ClusterProfiles(kept)
    profiles.setToken('secret', false)
    expect([...kept.items.values()].join()).not.toContain('secret')
    expect(profiles.token).toBe('secret')
    expect(new ClusterProfiles(kept).token).toBe('')
    profiles.setToken('secret', true)
    expect(new ClusterProfiles(kept).token).toBe('secret')
    profiles.add()
    expect(profiles.token).toBe('')
    profiles.choose('local')
    expect(kept.items.get('playground.cluster')).not.toContain('secret')
    // It belongs to the server that it was given for.
    profiles.change({ address: 'https://elsewhere' })
    expect(profiles.token).toBe('')
    expect([...kept.items.values()].join()).not.toContain('secret')
  })

  it('work where the browser keeps nothing', () => {
    const refuse = () => {
      throw new DOMException('denied', 'SecurityError')
    }
    const profiles = new ClusterProfiles({ getItem: refuse, setItem: refuse, removeItem: refuse })
    profiles.change({ address: 'https://a' })
    profiles.setToken('t', true)
    expect([profiles.chosen.address, profiles.token]).toEqual(['https://a', 't'])
    profiles.remove()
    expect(profiles.all).toHaveLength(1)
  })
})
