import { describe, expect, it } from 'vitest'
import { kindsOfRun, kindsTable } from '../../../src/cli/experiments/kinds-report.ts'
import { servesOf } from '../../../src/method/metric-points.ts'
import { foldRun } from '../../../src/runs/fold.ts'
import { logOf, request, smallSettings, world } from '../../method/corridor.ts'
import type { LoggedEvent } from '../../../src/method/events.ts'
import { runStarted } from './run-started.ts'

type Played = readonly [kind: string, won: number, played: number]

/** An evaluation of a split with its episodes, at the training temperature and at the evaluation temperature. */
function evaluation(iteration: number, split: 'id' | 'ood', played: readonly Played[]): LoggedEvent[] {
  const episodes = played.flatMap(([kind, won, count]) =>
    Array.from({ length: count }, (_, i) => {
      return { type: 'episode', split, taskId: `${kind}-mug-desk-3/a`, outcome: i < won ? 1 : -1, iteration }
    }),
  )
  const end = { type: 'evaluation', split, iteration } as const
  const lost = episodes.map((episode) => ({ ...episode, outcome: -1 }))
  return [
    ...lost,
    { ...end, temperature: 1, serves: 'training' },
    ...episodes,
    { ...end, temperature: 0, serves: 'evaluation' },
  ] as unknown as LoggedEvent[]
}

const run = (preset: string, ...events: LoggedEvent[]) => kindsOfRun([runStarted(preset), ...events])

describe('accuracy by kind of task', () => {
  it('is that of the evaluation temperature, of both splits, summed over runs of a preset', () => {
    const start = [
      ...evaluation(0, 'id', [
        ['put', 3, 4],
        ['two', 0, 4],
      ]),
      ...evaluation(0, 'ood', [['put', 1, 4]]),
    ]
    const table = kindsTable([
      run('full', ...start, ...evaluation(10, 'id', [['put', 1, 2]]), ...evaluation(20, 'id', [['put', 2, 2]])),
      run('full', ...start, ...evaluation(20, 'id', [['put', 1, 2]])),
      run('grpo', ...start, ...evaluation(20, 'id', [['two', 2, 4]])),
    ])
    expect(table.split('\n')).toEqual([
      '|  | put | two |',
      '| --- | --- | --- |',
      '| before learning | 50 % of 24 | 0 % of 12 |',
      '| full, 20 iterations | 75 % of 4 | – |',
      '| grpo, 20 iterations | – | 50 % of 4 |',
    ])
  })

  it('tells the desktop’s templates apart, whose names have hyphens', () => {
    const events = [
      runStarted('desktop'),
      { type: 'episode', split: 'id', taskId: 'set-level/id-1', outcome: 1, iteration: 0 },
      { type: 'episode', split: 'id', taskId: 'set-cells/id-2', outcome: -1, iteration: 0 },
      { type: 'evaluation', split: 'id', iteration: 0, temperature: 0, serves: 'evaluation' },
    ] as unknown as LoggedEvent[]
    expect([...kindsOfRun(events).before.keys()]).toEqual(['set-level', 'set-cells'])
  })

  it('takes the split for the kind of a world of one’s own, whose ids have nothing else', () => {
    const events = [
      runStarted('own'),
      { type: 'episode', split: 'id', taskId: 'id/4021', outcome: 1, iteration: 0 },
      { type: 'evaluation', split: 'id', iteration: 0, temperature: 0, serves: 'evaluation' },
      { type: 'episode', split: 'ood', taskId: 'ood/17', outcome: -1, iteration: 0 },
      { type: 'evaluation', split: 'ood', iteration: 0, temperature: 0, serves: 'evaluation' },
    ] as unknown as LoggedEvent[]
    expect([...kindsOfRun(events).before.keys()]).toEqual(['id', 'ood'])
  })

  it('adds up to the accuracy that the log states', async () => {
    const events = await logOf(world(), request(smallSettings({ evaluateEvery: 2 }), { iterations: 2 }))
    const { after } = kindsOfRun(events)
    const tallies = [...after.values()]
    const last = foldRun(events)
      .evaluations.filter((each) => servesOf(each) !== 'training')
      .slice(-2)
    const sum = (of: 'won' | 'played') => tallies.reduce((total, tally) => total + tally[of], 0)
    expect(sum('played')).toBe(last.reduce((total, { episodes }) => total + episodes, 0))
    expect(sum('won')).toBeCloseTo(
      last.reduce((total, { acc, episodes }) => total + acc * episodes, 0),
      9,
    )
  })

  it('needs the episodes', () => {
    expect(() => run('full', ...evaluation(0, 'id', []))).toThrow('no evaluation with its episodes')
  })
})
