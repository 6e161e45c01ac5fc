import { describe, expect, it } from 'vitest'
import { isLogged, type LoggedEvent } from '../../../src/method/events.ts'
import { foldRun } from '../../../src/runs/fold.ts'
import { runLoop } from '../../../src/method/loop.ts'
import type { LoopPorts } from '../../../src/method/loop-contract.ts'
import type { Settings } from '../../../src/method/settings.ts'
import { growingAxis, iterationAxis } from '../../../src/playground/kit/charts/chart-axis.ts'
import { briefNames, comparedRuns, lastValues, overlayCurves, rowsAxis } from '../../../src/playground/run/compare.ts'
import { charts } from '../../../src/playground/run/curves.ts'
import type { World } from '../../../src/method/settings.ts'
import { metricRows, type MetricRow } from '../../../src/runs/metric-rows.ts'
import { smallSettings, world } from '../../method/corridor.ts'
import { openCodingRun, smallCodingSettings } from '../../runs/coding-run.ts'
import { run } from './household-summary.ts'

const row = (iteration: number, values: Record<string, number>): MetricRow => ({
  iteration,
  firstSeq: 0,
  endSeq: 0,
  isFinished: true,
  values,
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

it('place an iteration at its rollouts, and seeds at the mean of theirs', () => {
  const rows = (each: number) =>
    [1, 2].map((i) => row(i, { 'eval/id/acc': i / 10, 'rollout/total': i * each, 'training/env_steps': i }))
  expect([0, 1, 2].map(rowsAxis('rollouts', rows(40)).of)).toEqual([0, 40, 80])
  // Rows of older runs have no rollouts.
  expect(rowsAxis('rollouts', [row(1, { 'training/env_steps': 9 })]).of(1)).toBeNull()
  const chosen = [40, 50].map((each, i) => ({ summary: run(i), rows: rows(each) }))
  const compared = comparedRuns(chosen, true)
  expect(compared).toHaveLength(1)
  const chart = charts(foldRun([])).find(({ id }) => id === 'accuracy')!
  const [mean] = overlayCurves(chart, compared, (own) => rowsAxis('rollouts', own))
  expect(mean!.points.map(({ x }) => x)).toEqual([45, 90])
})

describe('compared runs', () => {
  it('are told apart by the settings in which they differ, and in full where something else does', () => {
    const runs = [1, 2, 3].map((seed) => ({ summary: run(seed), rows: [] }))
    const other = { summary: { ...run(1), settings: { ...run(1).settings, lambda: 0 } }, rows: [] }
    const brief = (chosen: typeof runs) => briefNames(comparedRuns(chosen, true))
    expect(brief([...runs, other])).toEqual(['λ 1, 3 seeds', 'λ 0, seed 1'])
    expect(brief(runs)).toEqual(['household: 3 seeds'])
    const elsewhere = { ...other, summary: { ...other.summary, preset: 'coding' } }
    expect(brief([runs[0]!, elsewhere])[0]).toBe('household: seed 1')
  })

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
    expect([a!.band, b!.band], 'two seeds say too little for an interval').toEqual([null, null])
    expect([a!.seeds.length, b!.seeds.length]).toEqual([2, 0])
    expect(lastValues(joined, 'eval/id/acc')).toEqual([
      { value: '20.0 %, 40.0 %', notes: [] },
      { value: '70.0 %', notes: [] },
    ])
    expect(new Set(joined.map(({ colour }) => colour)).size).toBe(2)
    const three = comparedRuns(
      [0, 0.02, 0.9].map((shift, i) => ({ summary: run(i), rows: rows(shift) })),
      true,
    )
    const [wide] = overlayCurves(chart, three, (own) => rowsAxis('iteration', own))
    const { low, high, mean } = wide!.band!.at(-1)!
    expect([low, high], 'within what a share can be').toEqual([0, 1])
    expect(mean).toBeCloseTo((0.2 + 0.22 + 1.1) / 3, 9)
    expect(lastValues(three, 'eval/id/acc')).toEqual([{ value: '50.7 %', notes: ['0.0 to 100.0'] }])
    const longer = [...rows(0), row(4, { 'eval/id/acc': 0.9 })]
    const uneven = comparedRuns([chosen[0]!, { summary: run(2), rows: longer }, chosen[2]!], false)
    expect(lastValues(uneven, 'eval/id/acc')).toEqual([
      { value: '20.0 %', notes: ['iteration 2'] },
      { value: '90.0 %', notes: ['iteration 4'] },
      { value: '70.0 %', notes: ['iteration 2'] },
    ])
    const start = comparedRuns([{ summary: run(1), rows: [row(0, { 'eval/id/acc': 0.4 }), row(1, {})] }], false)
    expect(lastValues(start, 'eval/id/acc')).toEqual([{ value: '40.0 %', notes: ['before training'] }])
    expect(comparedRuns(chosen, false).map(({ letter }) => letter)).toEqual(['A', 'B', 'C'])
  })
})
