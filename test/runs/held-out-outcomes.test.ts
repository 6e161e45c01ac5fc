import { describe, expect, it } from 'vitest'
import type { EpisodeFinished, EvaluationFinished, LoggedEvent } from '../../src/method/events.ts'
import { HeldOutOutcomes } from '../../src/runs/held-out-outcomes.ts'

type Split = 'id' | 'ood'
const episode = (iteration: number, split: Split, taskId: string, won: boolean, rollout = 0) =>
  ({ type: 'episode', iteration, split, taskId, rollout, outcome: won ? 1 : -1 }) as EpisodeFinished & LoggedEvent
const evaluation = (iteration: number, split: Split, episodes: number, serves: EvaluationFinished['serves']) =>
  ({ type: 'evaluation', iteration, split, episodes, serves, acc: 0, policyVersion: 0 }) as LoggedEvent

/** An evaluation at the training temperature, of several rollouts, which solve nothing, and one at temperature 0. */
function measured(iteration: number, split: Split, wins: Record<string, boolean>, rollouts = 1): LoggedEvent[] {
  const tasks = Object.entries(wins)
  const numbers = Array.from({ length: rollouts }, (_, rollout) => rollout)
  return [
    ...tasks.flatMap(([task]) => numbers.map((rollout) => episode(iteration, split, task, false, rollout))),
    evaluation(iteration, split, tasks.length * rollouts, 'training'),
    ...tasks.map(([task, won]) => episode(iteration, split, task, won)),
    evaluation(iteration, split, tasks.length, 'evaluation'),
  ]
}
function read(...events: LoggedEvent[][]): HeldOutOutcomes {
  const outcomes = new HeldOutOutcomes()
  for (const event of events.flat()) outcomes.take(event)
  return outcomes
}
const start = [measured(0, 'id', { a: false, b: true, c: false }), measured(0, 'ood', { a: false, d: true })]

describe('outcomes on held-out tasks', () => {
  it('compare the last evaluation with the first, task by task, at the evaluation temperature', () => {
    expect(read(...start).change).toBeNull()
    const run = read(
      ...start,
      [{ type: 'iteration-started', iteration: 5 } as LoggedEvent],
      measured(5, 'id', { a: true, b: true, c: true }),
      measured(5, 'ood', { a: false, d: false }),
    )
    expect(run.change).toEqual({ iteration: 5, better: 2, worse: 1, tasks: 5 })
    expect(run.until(4).change).toBeNull()
    run.discard(5)
    expect(run.change).toBeNull()
  })

  it('compare greedy programs, of which there is one a task, where a task has several at the training temperature', () => {
    const run = read(measured(0, 'id', { a: false, b: true }, 4), measured(5, 'id', { a: true, b: true }, 4))
    expect(run.change).toEqual({ iteration: 5, better: 1, worse: 0, tasks: 2 })
  })

  it('compare the first rollouts where the evaluation temperature has several', () => {
    const twice = (iteration: number, first: boolean) => [
      episode(iteration, 'id', 'a', first, 0),
      episode(iteration, 'id', 'a', true, 1),
      evaluation(iteration, 'id', 2, 'both'),
    ]
    expect(read(twice(0, false), twice(5, true)).change).toEqual({ iteration: 5, better: 1, worse: 0, tasks: 1 })
  })

  it('say nothing of a log that lacks some of the episodes', () => {
    const cut = measured(5, 'id', { a: true, b: true, c: true }).filter((_, place) => place !== 4)
    expect(read(...start, cut).change).toBeNull()
  })
})
