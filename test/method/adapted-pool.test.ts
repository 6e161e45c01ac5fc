import { describe, expect, it } from 'vitest'
import type { LoggedEvent } from '../../src/method/events.ts'
import { LoopState } from '../../src/method/loop-state.ts'
import { logOf, ofType, request, smallSettings, world } from './corridor.ts'

const settings = smallSettings({ policyLearningRate: 0, taskPoolSize: 12, evaluateEvery: 0 })
const lengths = [1, 2, 4, 6, 8]
const run = (change: Parameters<typeof smallSettings>[0] = {}, iterations = 24) =>
  logOf(world({ lengths }), request({ ...settings, ...change }, { iterations }))
const inIteration = (log: readonly LoggedEvent[], iteration: number) =>
  log.filter((event) => event.iteration === iteration)

describe('an accepted rewrite', () => {
  it('comes round again in the round in which it was accepted', async () => {
    const log = await run()
    const starts = ofType(log, 'iteration-started')
    const accepted = ofType(log, 'rewrite-resolved').filter((event) => event.accepted && event.iteration <= 16)
    expect(accepted.length).toBeGreaterThan(4)
    for (const { candidateId, iteration } of accepted) {
      const again = starts.filter((start) => start.iteration > iteration && start.taskIds.includes(candidateId))
      expect(again.length, candidateId).toBeGreaterThan(0)
    }
    const shares = ofType(log, 'iteration-finished').map(({ metrics }) => metrics['env/rewritten_share']!)
    expect(shares[0]).toBe(0)
    expect(Math.max(...shares)).toBeGreaterThan(0.3)
  })

  it('has no more turns ahead than the least visited task, and measuring is no turn', async () => {
    const log = await run()
    const resolved = ofType(log, 'rewrite-resolved')
    for (const { iteration, accepted, candidateId, taskId } of resolved.slice(0, 5)) {
      // The state after the iteration, and the one before it.
      const upTo = (last: number) => LoopState.fromHistory(log.filter((event) => event.iteration <= last))
      const [before, after] = [upTo(iteration - 1), upTo(iteration)]
      const slotOf = (state: LoopState) => state.slots.find(({ active }) => active.id === taskId || active.id === candidateId)! // prettier-ignore
      const visits = after.slots.map((slot) => slot.visits)
      if (accepted) expect(slotOf(after).visits).toBeLessThanOrEqual(slotOf(before).visits)
      else expect(slotOf(after).visits).toBe(slotOf(before).visits)
      if (accepted) expect(slotOf(after).visits).toBe(Math.min(...visits))
    }
  })

  it('takes no turn from the others for long: every place is drawn in every few iterations', async () => {
    const log = await run({}, 32)
    const roots = ofType(log, 'task-added').map(({ task }) => task.id)
    const turns = new Map(roots.map((root) => [root, 0]))
    for (const { taskIds } of ofType(log, 'iteration-started')) {
      for (const id of taskIds) turns.set(id.split('~')[0]!, turns.get(id.split('~')[0]!)! + 1)
    }
    // 12 places, 3 a time: 8 turns each if nothing were rewritten.
    expect(Math.min(...turns.values())).toBeGreaterThanOrEqual(4)
  })
})

describe('a candidate that stays pending while the environment is frozen', () => {
  it('is compared with the task as it was played last', async () => {
    let next = 1
    const takePatch = () => ({ 2: { adaptEnvironment: false }, 6: { adaptEnvironment: true } })[next++] ?? null
    const all = { taskPoolSize: 5, tasksPerIteration: 5, policyLearningRate: 0.04 }
    const log = await logOf(world({ lengths }), request({ ...settings, ...all }, { iterations: 6, takePatch }))
    const resolved = ofType(inIteration(log, 6), 'rewrite-resolved')
    const last = ofType(inIteration(log, 5), 'episode')
    expect(resolved.length).toBeGreaterThan(0)
    for (const { taskId, accuracyBefore, policyVersionBefore } of resolved) {
      const episodes = last.filter((episode) => episode.taskId === taskId)
      const won = episodes.filter(({ outcome }) => outcome === 1)
      expect(accuracyBefore).toBe(won.length / episodes.length)
      expect(policyVersionBefore).toBe(episodes[0]!.policyVersion)
    }
    const proposals = new Map(ofType(log, 'rewrite-proposed').map(({ proposalId, accuracy }) => [proposalId, accuracy]))
    expect(resolved.some((event) => event.accuracyBefore !== proposals.get(event.proposalId))).toBe(true)
  })
})

describe('the shares and sums of an iteration', () => {
  it('count training rollouts on rewritten tasks, without rejected candidates', async () => {
    const log = await run()
    for (const { iteration, metrics } of ofType(log, 'iteration-finished')) {
      const events = inIteration(log, iteration)
      const rejected = new Set(
        ofType(events, 'rewrite-resolved').flatMap(({ accepted, candidateId }) => (accepted ? [] : [candidateId])),
      )
      const trained = ofType(events, 'episode').filter(({ taskId }) => !rejected.has(taskId))
      const rewritten = trained.filter(({ taskId }) => taskId.includes('~'))
      expect(metrics['env/rewritten_share']).toBeCloseTo(rewritten.length / trained.length, 12)
    }
  })

  it('count all rollouts so far, candidates included, also after a resume', async () => {
    const totals = (log: readonly LoggedEvent[]) => ofType(log, 'iteration-finished').map(({ metrics }) => metrics['rollout/total']) // prettier-ignore
    const log = await run({ evaluateEvery: 2 }, 6)
    const episodes = ofType(log, 'episode').filter(({ split }) => split === 'train')
    expect(totals(log)).toEqual(
      [1, 2, 3, 4, 5, 6].map((last) => episodes.filter(({ iteration }) => iteration <= last).length),
    )
    const history = await run({ evaluateEvery: 2 }, 4)
    const rest = await logOf(world({ lengths }), request(settings, { iterations: 2, history }))
    expect(totals(rest)).toEqual(totals(log).slice(4))
  })

  it('count groups that the filter drops as groups that teach nothing', async () => {
    const log = await run({ policyAccuracyLow: 0.3, policyAccuracyHigh: 0.7, adaptEnvironment: false })
    const all = ofType(log, 'iteration-finished')
    for (const { iteration, metrics } of all) {
      const episodes = ofType(inIteration(log, iteration), 'episode')
      const accuracies = [...new Set(episodes.map(({ taskId }) => taskId))].map((id) => {
        const own = episodes.filter(({ taskId }) => taskId === id)
        return own.filter(({ outcome }) => outcome === 1).length / own.length
      })
      const dropped = accuracies.filter((accuracy) => accuracy < 0.3 || accuracy > 0.7).length / accuracies.length
      expect(metrics['policy/frac_untrained_groups']).toBeCloseTo(dropped, 12)
      if (dropped === 1) expect(metrics['policy/frac_reward_zero_std']).toBe(1)
    }
    const dropped = all.map(({ metrics }) => metrics['policy/frac_untrained_groups']!)
    expect(Math.max(...dropped)).toBe(1)
    expect(Math.min(...dropped)).toBeLessThan(1)
  })
})

describe('measuring the old task again', () => {
  it('rolls out q beside q′ with the same policy, and decides by these two accuracies', async () => {
    const log = await run({ remeasure: true, policyLearningRate: 0.01 })
    const resolved = ofType(log, 'rewrite-resolved')
    expect(resolved.length).toBeGreaterThan(10)
    for (const event of resolved) {
      const events = inIteration(log, event.iteration)
      const acc = (taskId: string) => {
        const own = ofType(events, 'episode').filter((episode) => episode.taskId === taskId)
        expect(own).toHaveLength(6)
        return own.filter(({ outcome }) => outcome === 1).length / own.length
      }
      expect([event.accuracyBefore, event.accuracyAfter]).toEqual([acc(event.taskId), acc(event.candidateId)])
      expect(event.policyVersionBefore).toBe(event.policyVersionAfter)
      const start = ofType(events, 'iteration-started')[0]!
      expect(start.remeasuredTaskIds).toContain(event.taskId)
      expect(start.taskIds).not.toContain(event.taskId)
      // They train like other rollouts of q.
      const advantages = ofType(events, 'advantages').filter(({ episodeId }) => episodeId.includes(`/${event.taskId}/`))
      expect(advantages).toHaveLength(6)
    }
    // A task is rewritten in its turn, not because it was measured again.
    for (const { iteration, taskId } of ofType(log, 'rewrite-proposed')) {
      expect(ofType(inIteration(log, iteration), 'iteration-started')[0]!.taskIds).toContain(taskId)
    }
    expect(resolved.some(({ accuracyBefore, proposalId }) => {
      const proposal = ofType(log, 'rewrite-proposed').find((event) => event.proposalId === proposalId)!
      return proposal.accuracy !== accuracyBefore
    })).toBe(true) // prettier-ignore
  })

  it('leaves a log without it unchanged', async () => {
    const log = await run({}, 4)
    expect(ofType(log, 'iteration-started').every((event) => !('remeasuredTaskIds' in event))).toBe(true)
  })
})
