import { describe, expect, it } from 'vitest'
import { isLogged } from '../../../src/method/events.ts'
import { foldRun } from '../../../src/runs/fold.ts'
import { domainCharts, domainsOf } from '../../../src/playground/run/domain-charts.ts'
import { fakeRun } from '../fake-run.ts'

describe('charts by domain', () => {
  const events = [...fakeRun({ iterations: 3 })].filter(isLogged)

  it('show training and evaluations of each domain, and are none in a world without domains', () => {
    const view = foldRun(
      events.map((event) => {
        if (event.type === 'evaluation') return { ...event, domains: { mail: event.split === 'id' ? 0.75 : 0.5 } }
        if (event.type !== 'iteration-finished') return event
        return { ...event, metrics: { 'policy/acc': 0.5, 'policy/acc/os': 0.25, 'eval/id/acc/gimp': 0.75 } }
      }),
    )
    expect(domainsOf(view)).toEqual(['gimp', 'mail', 'os'])
    const [gimp, mail, os] = domainCharts(view).map(({ series }) =>
      Object.fromEntries(series.map(({ name, points }) => [name, points.map(({ y }) => y)])),
    )
    expect(gimp).toEqual({ 'in distribution': [0.75, 0.75, 0.75] })
    expect(mail!['in distribution']!.every((accuracy) => accuracy === 0.75)).toBe(true)
    expect(mail!['out of distribution']!.every((accuracy) => accuracy === 0.5)).toBe(true)
    expect(os).toEqual({ training: [0.25, 0.25, 0.25] })
    expect(domainCharts(foldRun(events))).toEqual([])
  })
})
