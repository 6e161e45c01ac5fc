import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isLogged, type LoggedEvent } from '../../../../src/method/events.ts'
import { foldRun, RunView } from '../../../../src/runs/fold.ts'
import type { Task } from '../../../../src/method/ports.ts'
import { alarmsOf } from '../../../../src/playground/views/loop/alarms.ts'
import {
  driftCharts,
  driftSentence,
  kindBands,
  OTHER_KINDS,
} from '../../../../src/playground/views/tasks/drift-charts.ts'
import { DriftHistory } from '../../../../src/playground/views/tasks/drift-history.ts'
import { DRIFTED_MIX, DRIFTED_WORDS, PoolDrift, taskDrift } from '../../../../src/playground/run/task-drift.ts'
import { fakeRun } from '../../fake-run.ts'

const events: LoggedEvent[] = [...fakeRun({ iterations: 25 })].filter(isLogged)
const whole = foldRun(events)
const task = (id: string, instruction: string, kind = 'a'): Task => ({ id, rootId: id, instruction, kind, body: null })

/** A pool in which each word occurs the given number of times. */
function pool(then: readonly string[], now: readonly string[]): PoolDrift {
  const result = new PoolDrift()
  then.forEach((text, i) => result.draw(task(`t${i}`, text)))
  now.forEach((text, i) => result.activate(task(`t${i}`, text), null))
  return result
}

/** Jensen-Shannon divergence as H(M) - (H(P) + H(Q)) / 2, from explicit distributions. */
function divergence(then: readonly string[], now: readonly string[]): number {
  const distribution = (texts: readonly string[]) => {
    const shares = new Map<string, number>()
    const known = texts.map((text) => text.split(' ').filter(Boolean)).filter((words) => words.length > 0)
    for (const words of known)
      for (const word of words) shares.set(word, (shares.get(word) ?? 0) + 1 / words.length / known.length)
    return shares
  }
  const entropy = (values: Iterable<number>) =>
    [...values].reduce((sum, p) => (p > 0 ? sum - p * Math.log2(p) : sum), 0)
  const [p, q] = [distribution(then), distribution(now)]
  const words = [...new Set([...p.keys(), ...q.keys()])]
  const middle = words.map((word) => ((p.get(word) ?? 0) + (q.get(word) ?? 0)) / 2)
  return entropy(middle) - (entropy(p.values()) + entropy(q.values())) / 2
}

describe('the divergence of the words', () => {
  it('is 0 for equal pools, and 1 bit for pools without a common word', () => {
    expect(pool(['put a mug', 'heat it'], ['heat it', 'put a mug']).measure().divergence).toBeCloseTo(0, 12)
    expect(pool(['put a mug'], ['heat two plates']).measure().divergence).toBeCloseTo(1, 12)
  })

  it('is the entropy of the mixture minus the mean of both, also after tasks are replaced', () => {
    const text = fc.array(fc.constantFrom('put', 'a', 'mug', 'plate', 'heat'), { minLength: 1, maxLength: 6 })
    const texts = fc.array(
      text.map((words) => words.join(' ')),
      { minLength: 1, maxLength: 6 },
    )
    fc.assert(
      fc.property(texts, fc.array(fc.tuple(fc.nat(), text), { maxLength: 8 }), (originals, replacements) => {
        const roots = originals.map((words, i) => task(`t${i}`, words))
        const drift = pool(originals, [])
        for (const root of roots) drift.activate(root, null)
        drift.measure()
        const active = [...roots]
        replacements.forEach(([at, words], i) => {
          const index = at % active.length
          const next = { ...task(`n${i}`, words.join(' ')), rootId: roots[index]!.id }
          const old = active[index]!
          drift.replace(old, old === roots[index] ? null : roots[index]!, next, roots[index]!)
          active[index] = next
        })
        const now = active.map(({ instruction }) => instruction)
        expect(drift.measure().divergence).toBeCloseTo(divergence(originals, now), 9)
        expect(drift.measure().rewritten).toBe(active.filter((each, i) => each !== roots[i]).length)
      }),
    )
  })
})

describe('the history of a pool', () => {
  it('has the alarm’s measure after every iteration', () => {
    const { rows } = new DriftHistory().read(whole)
    expect(rows.map(({ iteration }) => iteration)).toEqual(Array.from({ length: 26 }, (_, i) => i))
    for (const row of rows) {
      const expected = taskDrift(whole.at(row.iteration).tasks)
      expect(row).toMatchObject({ active: expected.active, rewritten: expected.rewritten })
      for (const name of ['mix', 'words', 'divergence'] as const) expect(row[name], name).toBeCloseTo(expected[name], 9)
    }
    const evidence = alarmsOf(whole).find(({ id }) => id === 'task-drift')!
    const { mix, words } = rows.at(-1)!
    expect(evidence.state).toBe(mix > DRIFTED_MIX || words > DRIFTED_WORDS ? 'fired' : 'quiet')
  })

  it('counts accepted rewrites by direction', () => {
    const { rows } = new DriftHistory().read(whole)
    const accepted = (direction: string, until: number) =>
      [...whole.rewrites.values()].filter(
        ({ resolution }) =>
          resolution?.accepted && resolution.direction === direction && iterationOf(resolution.proposalId) <= until,
      ).length
    const iterationOf = (proposalId: string) =>
      whole.iterations.find(({ resolved }) => resolved.some((each) => each.proposalId === proposalId))!.iteration
    for (const { iteration, harder, easier } of rows)
      expect([harder, easier]).toEqual([accepted('harder', iteration), accepted('easier', iteration)])
    expect(rows.at(-1)!.harder + rows.at(-1)!.easier).toBeGreaterThan(0)
  })

  it('is the same whether read along with the run, in any order, or at once', () => {
    const growing = new DriftHistory()
    const view = new RunView()
    for (const event of events) {
      view.apply(event)
      growing.read(view)
    }
    const jumping = new DriftHistory()
    for (const iteration of [25, 3, 0, 12, 25, 7]) {
      expect(jumping.read(whole.at(iteration)).rows).toEqual(
        new DriftHistory().read(whole).rows.slice(0, iteration + 1),
      )
    }
    expect(growing.read(view).rows).toEqual(new DriftHistory().read(whole).rows)
  })

  it('is the same when counted a few iterations at a time', () => {
    const history = new DriftHistory()
    let calls = 1
    while (!history.advance(whole, 10)) calls++
    // The originals, and then 25 iterations.
    expect(calls).toBe(4)
    expect(history.read(whole)).toEqual(new DriftHistory().read(whole))
    expect(history.advance(whole, 10)).toBe(true)
  })

  it('is the same object until an iteration ends', () => {
    const history = new DriftHistory()
    const view = new RunView()
    let ended = 0
    let changes = 0
    let before: unknown = null
    for (const event of events) {
      view.apply(event)
      const rows = history.read(view)
      if (event.iteration > 0 && rows !== before) changes++
      before = rows
      if (event.type === 'iteration-finished') ended++
    }
    expect(changes).toBe(ended)
  })

  it('starts over for another run', () => {
    const history = new DriftHistory()
    history.read(whole)
    const other = foldRun([...fakeRun({ iterations: 4, seed: 5 })].filter(isLogged))
    expect(history.read(other).rows).toEqual(new DriftHistory().read(other).rows)
    expect(history.read(foldRun([])).rows).toHaveLength(1)
  })
})

describe('the drift charts', () => {
  const history = new DriftHistory().read(whole)

  it('have the thresholds of the alarm as reference lines', () => {
    expect(driftCharts(history, 'household').map(({ id, reference }) => [id, reference?.value])).toEqual([
      ['accepted', undefined],
      ['drift-mix', DRIFTED_MIX],
      ['drift-words', DRIFTED_WORDS],
    ])
  })

  it('stack the kinds up to the whole pool in every iteration, including rewritten tasks', () => {
    const bands = kindBands(history)
    for (const r of history.rows.keys()) {
      let top = 0
      for (const { stack } of bands) {
        const { from, rewrittenTo, to } = stack[r]!
        expect(from).toBeCloseTo(top, 12)
        expect(rewrittenTo).toBeGreaterThanOrEqual(from)
        expect(to).toBeGreaterThanOrEqual(rewrittenTo - 1e-12)
        top = to
      }
      expect(top).toBeCloseTo(1, 12)
    }
    const mix = bands.reduce((sum, { then, now }) => sum + Math.abs(now - then) / 2, 0)
    expect(mix).toBeCloseTo(history.rows.at(-1)!.mix, 12)
  })

  it('describe the pool in words, and when the alarm fires', () => {
    const last = history.rows.at(-1)!
    const at = (changes: Partial<typeof last>) =>
      driftSentence({ ...history, rows: [{ ...last, ...changes }] }, 'household')
    expect(at({ mix: 0.1, words: 0.4 })).toMatch(
      /^After iteration 25, \d+\.\d % of the pool is rewritten, .* moved by 10\.0 %, .* 40 % away from the words of its original\.$/,
    )
    expect(at({ mix: 0.3, words: 0.4 })).toMatch(/The drift alarm rings\.$/)
    expect(at({ mix: 0, words: 0.6 })).toMatch(/its kinds are unchanged, .*The drift alarm rings\.$/)
    expect(at({ rewritten: 0 })).toBe('After iteration 25, the pool is unchanged.')
  })

  it('combine small kinds if there are many', () => {
    const started = events.filter((event) => event.iteration === 0)
    const many = started.map((event, i) =>
      event.type === 'task-added' ? { ...event, task: { ...event.task, kind: `kind ${i % 10}` } } : event,
    )
    const bands = kindBands(new DriftHistory().read(foldRun(many)), 4)
    expect(bands).toHaveLength(4)
    expect(bands.at(-1)!.name).toBe(OTHER_KINDS)
    expect(bands.reduce((sum, { then }) => sum + then, 0)).toBeCloseTo(1, 12)
  })
})
