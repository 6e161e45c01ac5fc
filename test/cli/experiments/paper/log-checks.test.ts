import { describe, expect, it } from 'vitest'
import type { EpisodeStep, LoggedBody } from '../../../../src/method/events.ts'
import type { Outcome, Score, Task } from '../../../../src/method/ports.ts'
import { GradientConflict } from '../../../../src/cli/experiments/paper/gradient-conflict.ts'
import { deviationFromLine, LogChecks } from '../../../../src/cli/experiments/paper/log-checks.ts'

function checksOf(bodies: readonly LoggedBody[], iterationOf: (i: number) => number = () => 1): Record<string, number> {
  const checks = new LogChecks()
  bodies.forEach((body, seq) => checks.take({ ...body, seq, iteration: iterationOf(seq) }))
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

const started: LoggedBody = { type: 'iteration-started', taskIds: [], pendingTaskIds: [] }
const finished = (acc = 0.5): LoggedBody => ({ type: 'iteration-finished', metrics: { 'policy/acc': acc } })

const task = (id: string, instruction: string): Task => ({ id, rootId: id, instruction, kind: 'kind', body: null })

describe('the checks of a log', () => {
  it('count right votes apart for steps that contradict the outcome', () => {
    const found = checksOf([
      started,
      // A success with one wrong step: the judge sees it in one of two votes.
      episode('a', 1, [1, -1]),
      judged('a', [
        [1, 1],
        [1, -1],
      ]),
      // Held-out episodes do not count.
      episode('b', -1, [1, -1], 'id'),
      judged('b', [[-1], [-1]]),
      finished(),
    ])
    expect(found).toMatchObject({ contradicting: 0.5, agreeing: 1 })
  })

  it('count the last fifth of the iterations only', () => {
    const iteration = (vote: Score) => [started, episode('a', 1, [-1]), judged('a', [[vote]]), finished()]
    const bodies = [1, 1, 1, 1, -1].flatMap((vote) => iteration(vote as Score))
    expect(checksOf(bodies, (i) => 1 + Math.floor(i / 4))).toMatchObject({ contradicting: 1 })
  })

  it('leave out an attempt at an iteration that was interrupted', () => {
    const interrupted = [started, episode('x', 1, [-1]), judged('x', [[1]])]
    expect(checksOf([...interrupted, started, episode('a', 1, [-1]), judged('a', [[-1]]), finished()])).toMatchObject({
      contradicting: 1,
    })
  })

  it('follow the tasks of the pool and the attempts at rewriting them', () => {
    const proposed = (id: string, instruction: string, oks: readonly boolean[]): LoggedBody => {
      const attempts = oks.map((ok) => ({ text: '', message: '', ok }))
      const rest = { accuracy: 1, policyVersion: 0, criticSummary: '', candidate: task(id, instruction), attempts }
      return { type: 'rewrite-proposed', proposalId: id, taskId: 'b', direction: 'harder', ...rest }
    }
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
    expect(checksOf([...pool, proposed('c', 'find a mug', [false, true])])).toMatchObject({ valid: 0.5, distinct: 1 })
    expect(checksOf([...pool, proposed('c', 'find a mug', [true]), resolved('c', false)]).distinct).toBe(1)
    // Two slots now ask for the same.
    expect(checksOf([...pool, proposed('c', 'find a mug', [true]), resolved('c', true)]).distinct).toBe(0.5)
  })

  it('measure oscillation around the line of training accuracy, not the line', () => {
    expect(deviationFromLine([0.1, 0.2, 0.3, 0.4])).toBeCloseTo(0, 12)
    // Residuals of ±0.1 and ∓0.3 …: by hand, y = 0, 1, 0, 1 has slope 0.2, and Σ e² = 0.8.
    expect(deviationFromLine([0, 1, 0, 1])).toBeCloseTo(Math.sqrt(0.8 / 2), 12)
    expect(deviationFromLine([0, 1])).toBeNull()
    expect(checksOf([started, finished(0), started, finished(1), started, finished(0)]).oscillation).toBeGreaterThan(
      0.4,
    )
  })

  it('have nothing to say about a run without a judge', () => {
    const found = checksOf([started, episode('a', 1, [1]), finished()])
    expect(found).toEqual({})
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
