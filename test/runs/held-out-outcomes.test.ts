import { describe, expect, it } from 'vitest'
import type { EpisodeFinished, EvaluationFinished, LoggedEvent } from '../../src/method/events.ts'
import { presetSettings } from '../../src/method/presets.ts'
import { HeldOutOutcomes } from '../../src/runs/held-out-outcomes.ts'

type Split = 'id' | 'ood'
const started = { type: 'run-started', settings: presetSettings('household') } as LoggedEvent
const episode = (iteration: number, split: Split, taskId: string, won: boolean) =>
  ({ type: 'episode', iteration, split, taskId, rollout: 0, outcome: won ? 1 : -1 }) as EpisodeFinished & LoggedEvent
const evaluation = (iteration: number, split: Split, episodes: number, serves: EvaluationFinished['serves']) =>
  ({ type: 'evaluation', iteration, split, episodes, serves, acc: 0, policyVersion: 0 }) as LoggedEvent

/** An evaluation at temperature 0 and one at the training temperature, which solves nothing. */
function measured(iteration: number, split: Split, wins: Record<string, boolean>): LoggedEvent[] {
  const tasks = Object.entries(wins)
  return [
    ...tasks.map(([task, won]) => episode(iteration, split, task, won)),
    evaluation(iteration, split, tasks.length, 'evaluation'),
    ...tasks.map(([task]) => episode(iteration, split, task, false)),
    evaluation(iteration, split, tasks.length, 'training'),
  ]
}
function read(...events: LoggedEvent[][]): HeldOutOutcomes {
  const outcomes = new HeldOutOutcomes()
  for (const event of [started, ...events.flat()]) outcomes.take(event)
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

  it('say nothing of a log that lacks some of the episodes', () => {
    const cut = measured(5, 'id', { a: true, b: true, c: true }).slice(1)
    expect(read(...start, cut).change).toBeNull()
  })
})
