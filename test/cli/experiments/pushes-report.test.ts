import { describe, expect, it } from 'vitest'
import { pushesOfRun, pushesTable } from '../../../src/cli/experiments/pushes-report.ts'
import type { LoggedEvent } from '../../../src/method/events.ts'
import { runStarted } from './run-started.ts'

type Step = readonly [
  observation: string,
  label: 1 | -1,
  votes: readonly number[],
  advantages: readonly (number | null)[],
]

function rollout(iteration: number, outcome: 1 | -1, steps: readonly Step[]): LoggedEvent[] {
  const episodeId = `i${iteration}/${outcome}`
  return [
    {
      type: 'episode',
      episodeId,
      split: 'train',
      outcome,
      steps: steps.map(([observation, trueLabel]) => ({ command: 'look', observation, trueLabel })),
      iteration,
    },
    {
      type: 'judged',
      episodeId,
      votes: steps.map(([, , votes]) => votes.map((score) => ({ score }))),
      iteration,
    },
    {
      type: 'advantages',
      episodeId,
      policy: steps.map(() => null),
      reward: steps.map(([, , , advantages]) => advantages),
      iteration,
    },
  ] as unknown as LoggedEvent[]
}

const started = runStarted('full')

describe('pushes by kind of step', () => {
  const events = [
    started,
    ...rollout(1, 1, [
      ['You see a mug.', 1, [1, 1, -1], [1, 1, -2]],
      ['Nothing happens.', -1, [-1, -1, -1], [1, 1, 1]],
    ]),
    ...rollout(1, -1, [['You see a mug.', -1, [1, -1, -1], [-2, 1, 1]]]),
    // Neither quarter, and votes that do not train.
    ...rollout(2, 1, [['You see a mug.', 1, [1, -1, -1], [9, 9, 9]]]),
    ...rollout(4, -1, [['You see a mug.', 1, [1, -1, -1], [null, null, null]]]),
    ...rollout(4, 1, [['You see a mug.', 1, [1, -1, -1], [2, -1, -1]]]),
  ]

  it('tell useful, useless and refused steps apart, at the beginning and at the end', () => {
    expect(pushesTable([events, events].map(pushesOfRun)).split('\n').slice(2)).toEqual([
      '| full, 4 iterations | useful | 6 → 6 | 100 % → 100 % | 1.000 → 1.000 |',
      '| full, 4 iterations | useless, accepted | 6 → – | 0 % → – | −1.000 → – |',
      '| full, 4 iterations | useless, refused | 6 → – | 100 % → – | 0.000 → – |',
      '| full, 4 iterations | all | 18 → 6 | 67 % → 100 % | 0.000 → 1.000 |',
    ])
  })

  it('need a log with a start, and votes that train', () => {
    expect(() => pushesOfRun(events.slice(1))).toThrow(/start of a run/)
    expect(() => pushesOfRun([started])).toThrow(/no votes that train/)
  })
})
