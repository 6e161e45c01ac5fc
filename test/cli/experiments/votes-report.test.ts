import { describe, expect, it } from 'vitest'
import { votesOfRun, votesTable } from '../../../src/cli/experiments/votes-report.ts'
import type { LoggedEvent } from '../../../src/method/events.ts'
import { runStarted } from './run-started.ts'

type Step = readonly [
  command: string,
  observation: string,
  label: 1 | -1,
  votes: readonly number[],
  advantage: number | null,
]

/** One rollout of an iteration, with its votes, if there are any, and its advantages. */
function rollout(iteration: number, steps: readonly Step[]): LoggedEvent[] {
  const episodeId = `i${iteration}`
  const isJudged = steps.some(([, , , votes]) => votes.length > 0)
  return [
    {
      type: 'episode',
      episodeId,
      split: 'train',
      steps: steps.map(([command, observation, trueLabel]) => ({ command, observation, trueLabel })),
      iteration,
    },
    isJudged && {
      type: 'judged',
      episodeId,
      votes: steps.map(([, , , votes]) => votes.map((score) => ({ score }))),
      iteration,
    },
    { type: 'advantages', episodeId, policy: steps.map(([, , , , advantage]) => advantage), iteration },
  ].filter(Boolean) as unknown as LoggedEvent[]
}

const rows = (...runs: (readonly LoggedEvent[])[]) => votesTable(runs.map(votesOfRun)).split('\n').slice(2)

describe('votes by kind of step', () => {
  it('tell refused, repeated and last commands from others, at the beginning and at the end', () => {
    const events = [
      runStarted('full'),
      ...rollout(1, [
        ['click Files', 'Files: a', 1, [1, 1, -1], 0.5],
        ['click cake', 'Nothing happens.', -1, [-1, -1, -1], -0.5],
        ['click Files', 'Files: a', -1, [1, 1, 1], 0.25],
        ['done', 'You stop here.', -1, [-1, 1, 1], null],
      ]),
      ...rollout(2, [['click b', 'b', -1, [1, 1, 1], 9]]),
      ...rollout(4, [
        ['click b', 'b', 1, [-1, -1, 1], 0.5],
        ['click a', 'a', 1, [1, 1, 1], 1],
      ]),
    ]
    expect(rows(events, events)).toEqual([
      '| full, 4 iterations | refused | 2 → – | 0 % → – | −0.50 → – | – → – | – → – | – → – |',
      '| full, 4 iterations | repeated | 2 → – | 100 % → – | 0.25 → – | – → – | – → – | – → – |',
      '| full, 4 iterations | done or fail | 2 → – | 100 % → – | – → – | – → – | – → – | – → – |',
      '| full, 4 iterations | other | – → – | – → – | – → – | 2 → 4 | 0 % → 50 % | 0.50 → 0.75 |',
    ])
  })

  it('shows no shares for a run without votes', () => {
    const events = [runStarted('grpo'), ...rollout(4, [['click b', 'b', -1, [], -1]])]
    expect(rows(events)[3]).toBe('| grpo, 4 iterations | other | – → 1 | – → – | – → −1.00 | – → – | – → – | – → – |')
  })

  it('refuses a log without a start, or without labels', () => {
    expect(() => votesOfRun([])).toThrow('does not contain the start of a run')
    expect(() => votesOfRun([runStarted('full')])).toThrow('no steps with true labels')
  })

  it('refuses a log whose reward model writes tests', () => {
    const events = [runStarted('coding'), ...rollout(4, [['print(1)', '1', -1, [], -1]])]
    expect(() => votesOfRun(events)).toThrow('writes tests, so the log has no votes on steps')
  })
})
