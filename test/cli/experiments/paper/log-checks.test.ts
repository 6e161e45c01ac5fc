import { describe, expect, it } from 'vitest'
import type { EpisodeStep, LoggedBody } from '../../../../src/method/events.ts'
import type { Outcome, Score, Task } from '../../../../src/method/ports.ts'
import { GradientConflict } from '../../../../src/cli/experiments/paper/gradient-conflict.ts'
import { LogChecks } from '../../../../src/cli/experiments/paper/log-checks.ts'

function checksOf(bodies: readonly LoggedBody[]): Record<string, number> {
  const checks = new LogChecks()
  bodies.forEach((body, seq) => checks.take({ ...body, seq, iteration: 1 }))
  return checks.values()
}

const step = (trueLabel: 1 | -1): EpisodeStep => ({
  ...{ response: '', thought: '', command: '', observation: '', tokens: [], logProbs: [], entropies: [] },
  ...{ trueLabel, distance: null },
})

function episode(
  episodeId: string,
  outcome: Outcome,
  labels: readonly (1 | -1)[],
  split: 'train' | 'id' = 'train',
): LoggedBody {
  const steps = labels.map(step)
  const rest = { rollout: 0, policyVersion: 0, instruction: '', opening: '' }
  return { type: 'episode', episodeId, taskId: 'task', split, steps, outcome, ...rest }
}

const judged = (episodeId: string, votes: readonly (readonly Score[])[]): LoggedBody => ({
  type: 'judged',
  episodeId,
  rewardVersion: 0,
  votes: votes.map((each) => each.map((score) => ({ score, reasoning: '' }))),
})

const started = (...taskIds: string[]): LoggedBody => ({ type: 'iteration-started', taskIds, pendingTaskIds: [] })
const finished: LoggedBody = { type: 'iteration-finished', metrics: {} }

const task = (id: string, instruction: string): Task => ({ id, rootId: id, instruction, kind: 'kind', body: null })

const proposed = (id: string, instruction: string, oks: readonly boolean[]): LoggedBody => {
  const attempts = oks.map((ok) => ({ text: '', message: '', ok }))
  const rest = { accuracy: 1, policyVersion: 0, criticSummary: '', candidate: task(id, instruction), attempts }
  return { type: 'rewrite-proposed', proposalId: id, taskId: 'b', direction: 'harder', ...rest }
}

describe('the checks of a log', () => {
  it('tell a judge that approves everything from one that sees what contradicts the outcome', () => {
    // A failed rollout with three good steps, and a solved one with one bad step.
    const found = (...votes: readonly (readonly Score[])[]) =>
      checksOf([
        started(),
        episode('failed', -1, [1, 1, 1, -1]),
        judged('failed', [...votes.slice(0, 3), [-1, -1]]),
        episode('solved', 1, [1, -1]),
        judged('solved', [[1, 1], votes[3]!]),
        // Held-out episodes do not count.
        episode('held-out', -1, [1], 'id'),
        judged('held-out', [[-1]]),
        finished,
      ])
    expect(found([1, 1], [1, 1], [1, 1], [1, 1])).toMatchObject({
      'good-in-failed': 1,
      'bad-in-solved': 0,
      'against-outcome': 0.5,
    })
    expect(found([1, 1], [1, -1], [1, 1], [-1, 1])['against-outcome']).toBeCloseTo((5 / 6 + 1 / 2) / 2, 5)
  })

  it('count votes and attempts of the last fifth of the iterations only', () => {
    const iteration = (vote: Score, ok: boolean): LoggedBody[] => [
      started(),
      episode('a', 1, [-1]),
      judged('a', [[vote]]),
      proposed('c', 'find', [ok]),
      finished,
    ]
    const bodies = [0, 1, 2, 3].flatMap(() => iteration(1, false))
    const found = checksOf([...bodies, ...iteration(-1, true)])
    expect(found).toMatchObject({ 'bad-in-solved': 1, valid: 1 })
  })

  it('leave out an attempt at an iteration that was interrupted', () => {
    const interrupted = [started(), episode('x', 1, [-1]), judged('x', [[1]]), proposed('c', 'find', [false])]
    const again = [started(), episode('a', 1, [-1]), judged('a', [[-1]]), proposed('c', 'find', [true]), finished]
    expect(checksOf([...interrupted, ...again])).toMatchObject({ 'bad-in-solved': 1, valid: 1 })
  })

  it('compare outcomes and votes, and outcomes and true labels, on the tasks that train the policy', () => {
    const advantages = (episodeId: string, policy: (number | null)[]): LoggedBody => {
      return { type: 'advantages', episodeId, feedback: [], policy, reward: [] }
    }
    /** A solved and a failed rollout of a task, whose votes oppose the outcome and whose labels follow it. */
    const group = (of: string, votes: readonly [Score, Score], trains: boolean): LoggedBody[] => [
      { ...episode(`${of}1`, 1, [1]), taskId: of } as LoggedBody,
      { ...episode(`${of}2`, -1, [-1]), taskId: of } as LoggedBody,
      judged(`${of}1`, [[votes[0]]]),
      judged(`${of}2`, [[votes[1]]]),
      // Only one of them needs an advantage: the other may have happened to get exactly 0.
      advantages(`${of}1`, [null]),
      advantages(`${of}2`, [trains ? -1 : null]),
    ]
    const found = checksOf([started('a', 'b'), ...group('a', [-1, 1], true), ...group('b', [1, -1], false), finished])
    expect(found).toMatchObject({ conflict: 1, correlation: -1, 'label-conflict': 0 })
    expect(checksOf([started('b'), ...group('b', [1, -1], false), finished])).not.toHaveProperty('conflict')
  })

  it('measure oscillation on the tasks whose turn it was, in the last forty iterations', () => {
    const iteration = (won: boolean): LoggedBody[] => [
      started('a', 'b'),
      ...['a', 'b', 'candidate'].map(
        (taskId) => ({ ...episode(taskId, won === (taskId !== 'candidate') ? 1 : -1, []), taskId }) as LoggedBody,
      ),
      finished,
    ]
    const steady = Array.from({ length: 40 }, () => iteration(true)).flat()
    const swinging = Array.from({ length: 40 }, (_, i) => iteration(i % 2 === 0)).flat()
    expect(checksOf([...swinging, ...steady]).oscillation).toBe(0)
    expect(checksOf([...steady, ...swinging]).oscillation).toBeCloseTo(0.51, 2)
  })

  it('follow the instructions of the pool', () => {
    const resolved = (candidateId: string, accepted: boolean): LoggedBody => {
      const before = { accuracyBefore: 1, policyVersionBefore: 0 }
      const after = { accuracyAfter: 0.5, policyVersionAfter: 1, rule: '', accepted }
      const what = { proposalId: candidateId, taskId: 'b', candidateId }
      return { type: 'rewrite-resolved', direction: 'harder', ...what, ...before, ...after }
    }
    const pool: LoggedBody[] = [
      { type: 'task-added', task: task('a', 'find a mug'), split: 'train' },
      { type: 'task-added', task: task('b', 'find a plate'), split: 'train' },
    ]
    const distinct = (accepted: boolean, ...more: LoggedBody[]) =>
      checksOf([...pool, started(), proposed('c', 'find a mug', [true]), resolved('c', accepted), ...more])[
        'distinct-instructions'
      ]
    expect(distinct(false, finished)).toBe(1)
    // Two slots now ask for the same.
    expect(distinct(true, finished)).toBe(0.5)
    // The iteration was interrupted, and starts again.
    expect(distinct(true)).toBe(1)
  })

  it('have nothing to say about a run without a judge', () => {
    expect(checksOf([started('a'), episode('a', 1, [1]), finished])).toEqual({})
  })
})

describe('the conflict of outcomes and votes', () => {
  const add = (steps: readonly (readonly [outcome: number, score: number, index?: number])[]) => {
    const conflict = new GradientConflict()
    conflict.add(steps.map(([outcome, score, index = 0]) => ({ task: 't', index, outcome, score })))
    return conflict
  }

  it('is none where votes follow outcomes, and full where they oppose them', () => {
    const same = add([
      [1, 1],
      [-1, -1],
    ])
    expect([same.conflict, same.correlation]).toEqual([0, 1])
    const opposed = add([
      [1, -1],
      [-1, 1],
    ])
    expect([opposed.conflict, opposed.correlation]).toEqual([1, -1])
  })

  it('compares within a step index only', () => {
    // Over both indices the votes follow the outcomes; within each they oppose them.
    const mixed = add([
      [1, 0.5, 0],
      [-1, 1, 0],
      [1, -1, 1],
      [-1, -0.5, 1],
    ])
    expect(mixed.conflict).toBe(1)
  })

  it('is unknown where all rollouts have one outcome', () => {
    const failed = add([
      [-1, 1],
      [-1, -1],
    ])
    expect([failed.conflict, failed.correlation]).toEqual([null, null])
  })
})
