import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isLogged, type LoggedEvent } from '../../../src/method/events.ts'
import { foldRun } from '../../../src/runs/fold.ts'
import { runLoop } from '../../../src/method/loop.ts'
import type { LoopPorts } from '../../../src/method/loop-contract.ts'
import { presetSettings, type Settings } from '../../../src/method/settings.ts'
import { linear, logarithmic, logTicks } from '../../../src/playground/kit/charts/scale.ts'
import { growingAxis, iterationAxis } from '../../../src/playground/kit/charts/chart-axis.ts'
import { comparedRuns, lastValues, overlayCurves, rowsAxis } from '../../../src/playground/run/compare.ts'
import { charts } from '../../../src/playground/run/curves.ts'
import { differingSettings, groupKey, runName } from '../../../src/playground/run/run-names.ts'
import { meanInterval, seedIntervals, studentT } from '../../../src/playground/run/seed-interval.ts'
import type { World } from '../../../src/playground/run/worlds.ts'
import { smoothed } from '../../../src/playground/kit/charts/smoothing.ts'
import { metricRows, type MetricRow } from '../../../src/runs/metric-rows.ts'
import { newSummary, type RunSummary } from '../../../src/runs/run-store.ts'
import { smallSettings, world } from '../../method/corridor.ts'
import { openCodingRun, smallCodingSettings } from '../../runs/coding-run.ts'

function run(seed: number, change: Partial<RunSummary> = {}): RunSummary {
  const settings = { ...presetSettings('household'), seed }
  return { ...newSummary({ runId: `run-${seed}`, preset: 'household', settings, iterations: 9 }), ...change }
}

const row = (iteration: number, values: Record<string, number>): MetricRow => ({
  iteration,
  firstSeq: 0,
  endSeq: 0,
  isFinished: true,
  values,
})

describe('the interval of a mean', () => {
  it('matches the textbook: 4.2, 4.6, 4.9, 5.3 have 4.75 ± 0.7406', () => {
    const { mean, low, high } = meanInterval([4.2, 4.6, 4.9, 5.3])!
    expect(mean).toBeCloseTo(4.75, 10)
    // s = 0.465475, t(0.975, 3) = 3.182446.
    expect(high - mean).toBeCloseTo((3.182446 * 0.465475) / 2, 3)
    expect(mean - low).toBeCloseTo(high - mean, 10)
    expect(meanInterval([1])).toBeNull()
  })

  it('has the quantiles of published tables, also beyond thirty degrees', () => {
    for (const [degrees, t] of [
      [1, 12.706],
      [4, 2.776],
      [30, 2.042],
      [40, 2.0211],
      [60, 2.0003],
      [120, 1.9799],
    ] as const)
      expect(studentT(degrees)).toBeCloseTo(t, 3)
  })

  it('covers the true mean of normal seeds about 95 times in 100', () => {
    let state = 7
    const uniform = () => (state = (state * 48271) % 2147483647) / 2147483647
    const normal = () => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform())
    let covered = 0
    for (let i = 0; i < 4000; i++) {
      const { low, high } = meanInterval(Array.from({ length: 5 }, () => 3 + normal()))!
      if (low <= 3 && 3 <= high) covered++
    }
    expect(covered / 4000).toBeGreaterThan(0.935)
    expect(covered / 4000).toBeLessThan(0.965)
  })

  it('exists only where every seed has a value', () => {
    const points = (...xs: number[]) => xs.map((x) => ({ x, y: x }))
    expect(seedIntervals([points(1, 2, 3), points(2, 3, 4)]).map(({ x }) => x)).toEqual([2, 3])
  })
})

describe('a smoothed curve', () => {
  const points = fc.array(fc.double({ min: -1e3, max: 1e3, noNaN: true }), { minLength: 1, maxLength: 40 })

  it('is the weighted mean of all values so far, the last weighing most', () => {
    fc.assert(
      fc.property(points, fc.double({ min: 0, max: 0.95, noNaN: true }), (ys, weight) => {
        const curve = smoothed(
          ys.map((y, x) => ({ x, y })),
          weight,
        )
        ys.forEach((_, t) => {
          const weights = ys.slice(0, t + 1).map((__, i) => weight ** (t - i))
          const total = weights.reduce((a, b) => a + b, 0)
          const mean = ys.slice(0, t + 1).reduce((sum, y, i) => sum + y * weights[i]!, 0) / total
          expect(curve[t]!.y).toBeCloseTo(mean, 6)
        })
      }),
    )
  })
})

describe('scales and axes', () => {
  it('put equal ratios at equal distances on a logarithmic scale', () => {
    const scale = logarithmic([0.01, 100], [0, 400])
    expect([0.01, 0.1, 1, 10, 100].map((value) => Math.round(scale.at(value)))).toEqual([0, 100, 200, 300, 400])
    expect(scale.at(0)).toBe(0)
    expect(linear([0, 1], [0, 10]).at(0.5)).toBe(5)
    expect(logTicks([0.02, 300]).map((tick) => Number(tick.toPrecision(3)))).toEqual([0.1, 1, 10, 100])
    expect(logTicks([2, 3])).toEqual([2, 3])
  })

  it('place an iteration at its steps or its time, and find it there', () => {
    const axis = growingAxis('steps', [1, 2, 4], [100, 250, 900])
    expect([0, 1, 2, 3, 4].map(axis.of)).toEqual([0, 100, 250, null, 900])
    for (const iteration of [0, 1, 2, 4]) expect(axis.iterationAt(axis.of(iteration)!)).toBe(iteration)
    expect(axis.iterationAt(300)).toBe(2)
    const rows = [row(0, {}), row(1, { 'timing_s/step': 2 }), row(2, { 'timing_s/step': 3 })]
    expect([0, 1, 2].map(rowsAxis('seconds', rows).of)).toEqual([0, 2, 5])
    expect(iterationAxis(1).last).toBe(2)
  })
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
  })
})

describe('compared runs', () => {
  const same = (events: LoggedEvent[], world: World) => {
    const all = charts(foldRun(events), world)
    const compared = comparedRuns([{ summary: run(1), rows: metricRows(events) }], true)
    expect(compared).toMatchObject([{ letter: 'A', name: 'household: seed 1' }])
    for (const chart of all) {
      const [overlay] = overlayCurves(chart, compared, (own) => rowsAxis('iteration', own))
      expect({ id: chart.id, points: overlay!.points }).toEqual({ id: chart.id, points: chart.series[0]!.points })
      expect(overlay!.band).toBeNull()
    }
    expect(all.filter((chart) => chart.series[0]!.points.length > 0).length).toBeGreaterThan(4)
  }

  async function runOf(ports: LoopPorts, settings: Settings): Promise<LoggedEvent[]> {
    const events: LoggedEvent[] = []
    const request = { runId: 'a', preset: 'any', backend: 'cpu', models: { policy: 'p', reward: 'r', author: 'a' } }
    for await (const event of runLoop(ports, { ...request, settings, iterations: 4 }))
      if (isLogged(event)) events.push(event)
    return events
  }

  it('have the same curves as the charts of the run', async () => {
    same(await runOf(world(), smallSettings({ evaluateEvery: 2 })), 'household')
  })

  it('have the same curves as the coding charts', async () => {
    const settings = smallCodingSettings()
    const { ports, close } = await openCodingRun(settings)
    same(await runOf(ports, settings), 'coding')
    close()
  })

  it('join seeds into a mean with an interval, or stay separate', () => {
    const rows = (shift: number) => [1, 2].map((i) => row(i, { 'eval/id/acc': i / 10 + shift }))
    const chosen = [
      { summary: run(1), rows: rows(0) },
      { summary: run(2), rows: rows(0.2) },
      { summary: run(3, { preset: 'reference' }), rows: rows(0.5) },
    ]
    const joined = comparedRuns(chosen, true)
    expect(joined.map(({ letter, name, members }) => [letter, name, members.length])).toEqual([
      ['A', 'household: 2 seeds', 2],
      ['B', expect.stringMatching(/^reference: .*seed 3$/), 1],
    ])
    const chart = charts(foldRun([]), 'household')[0]!
    const [a, b] = overlayCurves(chart, joined, (own) => rowsAxis('iteration', own))
    expect(a!.points.map(({ y }) => y)).toEqual([expect.closeTo(0.2, 9), expect.closeTo(0.3, 9)])
    expect(a!.band!.every(({ low, high, mean }) => low < mean && mean < high)).toBe(true)
    expect(b!.band).toBeNull()
    expect(lastValues(joined, 'eval/id/acc')).toEqual(['30.0 % ± 127.1', '70.0 %'])
    expect(comparedRuns(chosen, false).map(({ letter }) => letter)).toEqual(['A', 'B', 'C'])
  })
})
