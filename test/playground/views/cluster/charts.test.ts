import { describe, expect, it } from 'vitest'
import { isLogged } from '../../../../src/method/events.ts'
import { foldRun } from '../../../../src/runs/fold.ts'
import { domainCharts, domainsOf, knownCharts, sideBySide } from '../../../../src/playground/views/cluster/charts.ts'
import { fakeRun } from '../../fake-run.ts'

describe('charts of cluster runs', () => {
  const events = [...fakeRun({ iterations: 3 })].filter(isLogged)

  it('leave out empty ones', () => {
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

  it('include one for each domain, with training and evaluation', () => {
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

  it('show several runs side by side, each with its own look', () => {
    const view = foldRun(events)
    expect(sideBySide([{ name: 'one', view }])).toBeNull()
    const chart = sideBySide(Array.from({ length: 12 }, (_, i) => ({ name: `run ${i}`, view })))
    expect(new Set(chart?.series.map(({ hue, line }) => `${hue} ${line}`)).size).toBe(12)
    expect(chart?.series[0]?.points.map(({ x }) => x)).toEqual([1, 2, 3])
  })
})
