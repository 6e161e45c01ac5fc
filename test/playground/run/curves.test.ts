import { describe, expect, it } from 'vitest'
import { isLogged, type LoggedEvent } from '../../../src/method/events.ts'
import { foldRun } from '../../../src/runs/fold.ts'
import { summarise, type Chart } from '../../../src/playground/kit/charts/series.ts'
import { charts, rolloutPoints } from '../../../src/playground/run/curves.ts'
import { fakeRun } from '../fake-run.ts'

const events: LoggedEvent[] = [...fakeRun({ iterations: 6 })].filter(isLogged)
const view = foldRun(events)
const iteration = view.iteration(6)!

describe('curves', () => {
  const chart = (id: string): Chart => charts(view).find((candidate) => candidate.id === id)!

  it('have the logged metric at its iteration', () => {
    const training = chart('accuracy').series.find((series) => series.name === 'training')!
    expect(training.points.map((point) => point.x)).toEqual([1, 2, 3, 4, 5, 6])
    expect(training.points[5]!.y).toBe(iteration.metrics['policy/acc'])
  })

  it('draw greedy accuracy first, and beside it the one at the training temperature', () => {
    const names = chart('accuracy').series.map(({ name }) => name)
    const sampled = ['in distribution, sampled', 'out of distribution, sampled']
    expect(names).toEqual(['in distribution', 'out of distribution', ...sampled, 'training'])
    const both = events.map((event): LoggedEvent => {
      return event.type === 'evaluation' && event.serves === 'evaluation' ? { ...event, serves: 'both' } : event
    })
    const withoutTraining = both.filter((event) => event.type !== 'evaluation' || event.serves === 'both')
    const once = charts(foldRun(withoutTraining)).find(({ id }) => id === 'accuracy')!
    expect(once.series.map(({ name }) => name)).toEqual(['in distribution', 'out of distribution', 'training'])
    const older = events.flatMap((event): LoggedEvent[] => {
      if (event.type !== 'evaluation') return [event]
      const { temperature: _, serves, ...rest } = event
      return serves === 'training' ? [rest] : []
    })
    const before = charts(foldRun(older)).find(({ id }) => id === 'accuracy')!
    expect(before.series.map(({ name, points }) => [name, points.length])).toEqual([[sampled[0], 3], [sampled[1], 3], ['training', 6]]) // prettier-ignore
  })

  it('do not show the training temperature for a moment while an evaluation goes on, where both have given the same', () => {
    const equal = events.map((event): LoggedEvent => (event.type === 'evaluation' ? { ...event, acc: 0.5 } : event))
    const evaluations = equal.flatMap((event, i) => (event.type === 'evaluation' ? [i] : []))
    for (const end of evaluations.slice(4)) {
      const names = charts(foldRun(equal.slice(0, end + 1)))[0]!.series.map(({ name }) => name)
      expect(names).toEqual(['in distribution', 'out of distribution', 'training'])
    }
  })

  it('draw the mean vote beside the mean outcome', () => {
    const [votes, outcomes] = chart('pleasing').series
    expect(votes!.points.at(-1)?.y).toBe(iteration.metrics['policy/step_score/mean'])
    expect(outcomes!.points.at(-1)?.y).toBe(iteration.metrics['policy/outcome/mean'])
  })

  it('count rewrites', () => {
    const [accepted, proposed] = chart('tasks').series
    const total = events.filter((event) => event.type === 'rewrite-resolved' && event.accepted).length
    expect(accepted!.points.at(-1)?.y).toBe(total)
    expect(proposed!.points.at(-1)?.y).toBe(events.filter((event) => event.type === 'rewrite-proposed').length)
  })

  it('draw what rewrites come to beside what chance would give, from the first measured one on', () => {
    const logged = (iteration: number, rates: Record<string, number>): LoggedEvent[] => {
      const seq = view.eventCount + iteration
      return [
        { type: 'iteration-started', taskIds: [], pendingTaskIds: [], seq, iteration },
        { type: 'iteration-finished', metrics: { 'env/accept_rate': 0, ...rates }, seq, iteration },
      ]
    }
    const own = foldRun([
      events[0]!,
      ...logged(1, {}),
      ...logged(2, { 'env/accept_rate': 0.5, 'env/null_accept_rate': 0.4 }),
    ])
    const [accepted, chance] = charts(own).find(({ id }) => id === 'acceptance')!.series
    expect([accepted!.points, chance!.points]).toEqual([[{ x: 2, y: 0.5 }], [{ x: 2, y: 0.4 }]])
  })

  it('count the rollouts of a log without a metric of them', () => {
    const episodes = events.filter((event) => event.type === 'episode')
    expect(rolloutPoints(view)).toEqual(
      [1, 2, 3, 4, 5, 6].map((last) => ({
        x: last,
        y: episodes.filter(({ iteration: own }) => own <= last).length,
      })),
    )
  })

  it('have no loss for a frozen model', () => {
    const frozen = foldRun([...fakeRun({ iterations: 2, settings: { trainReward: false } })].filter(isLogged))
    const loss = charts(frozen).find((candidate) => candidate.id === 'loss')!
    expect(loss.series.map((series) => series.points.length)).toEqual([2, 0])
  })

  it('are summarised in words', () => {
    expect(summarise(chart('reward'))).toMatch(/process \d+\.\d % → \d+\.\d % \(iterations 1 to 6\)/)
    expect(summarise(charts(foldRun([]))[0]!)).toBe('No values yet.')
  })

  it('differ in their lines, not only in their hues', () => {
    for (const world of ['household', 'coding'] as const)
      for (const { title, series } of charts(view, world))
        expect(new Set(series.map(({ line }) => line)).size, title).toBe(series.length)
  })
})
