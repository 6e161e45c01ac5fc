import { describe, expect, it } from 'vitest'
import { isLogged, type LoggedEvent } from '../../src/method/events.ts'
import { foldRun } from '../../src/runs/fold.ts'
import { metricRows } from '../../src/runs/metric-rows.ts'
import { fakeRun } from '../playground/fake-run.ts'

const events = [...fakeRun({ iterations: 6 })].filter(isLogged)

describe('the rows of a run', () => {
  it('contain the same series as the view of the whole log', () => {
    const view = foldRun(events)
    const rows = metricRows(events)
    expect(rows.map(({ iteration }) => iteration)).toEqual([0, 1, 2, 3, 4, 5, 6])
    expect(view.seriesNames.length).toBeGreaterThan(8)
    for (const name of view.seriesNames) {
      const known = rows.filter(({ values }) => name in values)
      expect(known.map(({ iteration }) => iteration)).toEqual(view.series(name).iterations)
      expect(known.map(({ values }) => values[name])).toEqual(view.series(name).values)
    }
  })

  it('give the range of events of an iteration', () => {
    for (const { iteration, firstSeq, endSeq } of metricRows(events)) {
      if (iteration === 0) continue
      const own = events.slice(firstSeq, endSeq)
      expect(own[0]!.type).toBe('iteration-started')
      expect(own.filter((event) => event.iteration === iteration)).toEqual(own)
      expect(own.some(({ type }) => type === 'iteration-finished')).toBe(true)
    }
  })

  it('discard an interrupted iteration that started again', () => {
    const cut = events.findLastIndex(({ type }) => type === 'iteration-started')
    const again = events.slice(cut).map((event, i): LoggedEvent => ({ ...event, seq: cut + 7 + i }))
    const rows = metricRows([...events.slice(0, cut + 7), ...again])
    expect(rows.at(-1)).toEqual({
      ...metricRows(events).at(-1),
      firstSeq: cut + 7,
      endSeq: again.at(-1)!.seq + 1,
    })
  })
})
