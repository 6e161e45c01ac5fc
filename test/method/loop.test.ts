import { describe, expect, it } from 'vitest'
import { isLogged, type Evaluation, type LoggedEvent } from '../../src/method/events.ts'
import { runLoop } from '../../src/method/loop.ts'
import { METRICS } from '../../src/method/metrics.ts'
import { PRESETS } from '../../src/method/presets.ts'
import type { LivePatch, Settings } from '../../src/method/settings.ts'
import type { Score } from '../../src/method/ports.ts'
import { stepPush } from '../../src/method/step-judging/pushes.ts'
import { foldRun } from '../../src/runs/fold.ts'
import { collect, decodeTokens, encodeText, logOf, ofType, request, smallSettings, world } from './corridor.ts'

/** The types of events, without repetitions: ['run-started', 'task-added', ...]. */
function phases(events: readonly LoggedEvent[]): string[] {
  return events.map((event) => event.type).filter((type, index, types) => type !== types[index - 1])
}

describe('the order of a run', () => {
  it('logs events in the order of the method, numbered from 0', async () => {
    const log = await logOf(world(), request(smallSettings({ tasksPerIteration: 6 }), { iterations: 1 }))
    expect(phases(log)).toEqual([
      'run-started',
      'task-added',
      'episode',
      'evaluation',
      'episode',
      'evaluation',
      'iteration-started',
      'episode',
      'judged',
      'advantages',
      'model-updated',
      'rewrite-proposed',
      'theory',
      'iteration-finished',
      'run-finished',
    ])
    expect(log.map((event) => event.seq)).toEqual(log.map((_, index) => index))
    expect(ofType(log, 'model-updated').map((event) => event.role)).toEqual(['policy', 'reward'])
    expect(log.filter((event) => event.iteration === 0).at(-1)?.type).toBe('evaluation')
  })

  it('evaluates before the first iteration and then every k', async () => {
    const log = await logOf(world(), request(smallSettings({ evaluateEvery: 2 }), { iterations: 4 }))
    expect(ofType(log, 'evaluation').map((event) => [event.iteration, event.split])).toEqual([
      [0, 'id'],
      [0, 'ood'],
      [2, 'id'],
      [2, 'ood'],
      [4, 'id'],
      [4, 'ood'],
    ])
  })

  it('measures held-out tasks with the same random numbers every time, so an unchanged policy scores the same', async () => {
    const settings = smallSettings({ trainPolicy: false, evaluateEvery: 1 })
    const log = await logOf(world(), request(settings, { iterations: 2 }))
    const scores = ofType(log, 'evaluation')
      .filter((event) => event.split === 'id')
      .map((event) => event.acc)
    expect(new Set(scores).size).toBe(1)
  })

  it('gives each rollout of a held-out task its own random numbers, and the first those of a single one', async () => {
    const rolledOut = async (evaluationRollouts: number) => {
      const ports = world({ lengths: [6] })
      const log = await logOf(ports, request(smallSettings({ evaluationRollouts }), { iterations: 1 }))
      const episodes = ofType(log, 'episode').filter(({ split }) => split === 'id')
      return episodes.map(({ taskId, rollout, steps }) => ({
        taskId,
        rollout,
        words: steps.map((step) => step.response),
      }))
    }
    const alone = await rolledOut(1)
    const often = await rolledOut(5)
    expect(often).toHaveLength(5 * alone.length)
    const byTask = (a: { taskId: string }, b: { taskId: string }) => (a.taskId < b.taskId ? -1 : 1)
    expect(often.filter(({ rollout }) => rollout === 0).sort(byTask)).toEqual(alone.sort(byTask))
    // Also after the first turn: with shared numbers, the rollouts of a task would be copies.
    for (const { taskId } of alone) {
      const ofTask = often.filter((episode) => episode.taskId === taskId)
      expect(new Set(ofTask.map(({ words }) => words.slice(1).join(' '))).size).toBeGreaterThan(2)
    }
  })

  it('measures greedily with one rollout a task, and at the training temperature with all', async () => {
    const ports = world({ skill: 0.6 })
    const settings = smallSettings({ evaluationTemperature: 0, evaluationRollouts: 5, trainPolicy: false })
    const log = await logOf(ports, request(settings, { iterations: 2 }))
    const evaluations = ofType(log, 'evaluation')
    expect(
      evaluations.map(({ split, temperature, serves, episodes }) => [split, temperature, serves, episodes]),
    ).toEqual(
      [0, 2].flatMap(() =>
        ['id', 'ood'].flatMap((split) => [
          [split, 1, 'training', 20],
          [split, 0, 'evaluation', 4],
        ]),
      ),
    )
    // Greedy, the policy always walks: it arrives wherever a corridor of 5, 1 or 6 cells allows it in seven steps.
    const greedy = evaluations.filter(({ serves }) => serves === 'evaluation')
    expect(greedy.map(({ acc }) => acc)).toEqual([0.75, 0.75, 0.75, 0.75])
    for (const { acc } of evaluations.filter(({ serves }) => serves === 'training')) expect(acc).toBeLessThan(0.75)
    const episodes = ofType(log, 'episode').filter(({ split }) => split !== 'train')
    expect(new Set(episodes.map(({ episodeId }) => episodeId)).size).toBe(episodes.length)
    const view = foldRun(log)
    expect(view.series('eval/id/acc').values).toEqual([0.75, 0.75])
    expect(view.series('eval/id/acc_sampled').values).toHaveLength(2)
  })

  it('measures once if both temperatures are equal, for both series', async () => {
    const log = await logOf(world(), request(smallSettings({ policyTemperature: 0.7 }), { iterations: 1 }))
    expect(ofType(log, 'evaluation').map(({ serves, temperature }) => [serves, temperature])).toEqual([
      ['both', 0.7],
      ['both', 0.7],
    ])
    const view = foldRun(log)
    expect(view.series('eval/id/acc').values).toEqual(view.series('eval/id/acc_sampled').values)
    expect(view.series('eval/id/acc').values).toHaveLength(1)
  })

  it('reads an evaluation without a temperature, from an older log, as one at the training temperature', async () => {
    const log = await logOf(world(), request(smallSettings(), { iterations: 1 }))
    const older = log.map((event): LoggedEvent => {
      if (event.type !== 'evaluation') return event
      const { temperature: _, serves: __, ...rest } = event
      return rest
    })
    expect(foldRun(older).series('eval/id/acc').values).toEqual([])
    expect(foldRun(older).series('eval/id/acc_sampled')).toEqual(foldRun(log).series('eval/id/acc'))
  })

  it('rolls out every slot of the pool before any twice', async () => {
    const settings = smallSettings({ adaptEnvironment: false })
    const log = await logOf(world(), request(settings, { iterations: 2 }))
    const chosen = ofType(log, 'iteration-started').flatMap((event) => event.taskIds)
    expect(new Set(chosen).size).toBe(6)
  })

  it('yields timings and steps, but does not log them', async () => {
    const events = await collect(world(), request(smallSettings({ tasksPerIteration: 6 }), { iterations: 1 }))
    const timings = events.find((event) => event.type === 'timings')
    expect(timings?.type === 'timings' && Object.keys(timings.metrics).sort()).toEqual([
      'perf/env_steps_per_s',
      'perf/tokens_per_s',
      'timing_s/adapt',
      'timing_s/eval',
      'timing_s/gen',
      'timing_s/judge',
      'timing_s/step',
      'timing_s/update_policy',
      'timing_s/update_reward',
    ])
    expect(events.some((event) => event.type === 'step' && 'seq' in event)).toBe(false)
  })

  it('reports the time to send weights to a separate sampler, but does not log it', async () => {
    const ports = world()
    const alone = await collect(world(), request(smallSettings(), { iterations: 1 }))
    Object.assign(ports.policy, { lastSyncMs: () => Promise.resolve(1500) })
    Object.assign(ports.reward, { lastSyncMs: () => Promise.resolve(null) })
    const events = await collect(ports, request(smallSettings(), { iterations: 1 }))
    const timings = events.find((event) => event.type === 'timings')!
    expect(timings.type === 'timings' && timings.metrics).toMatchObject({ 'timing_s/sync_policy': 1.5 })
    expect(timings).not.toHaveProperty(['metrics', 'timing_s/sync_reward'])
    expect(events.filter(isLogged)).toEqual(alone.filter(isLogged))
  })

  it('reports the mismatch of sampler and trainer if they differ, and passes on the cap', async () => {
    const ports = world()
    const { policy } = ports
    const update = policy.update.bind(policy)
    const caps: unknown[] = []
    policy.update = async (examples, options) => {
      caps.push(options.importanceCap)
      return { ...(await update(examples, options)), mismatch_kl: 0.004 }
    }
    const log = await logOf(ports, request(smallSettings({ importanceCap: 2 }), { iterations: 1 }))
    const { metrics } = ofType(log, 'iteration-finished')[0]!
    expect(metrics['policy/mismatch_kl']).toBe(0.004)
    expect(metrics).not.toHaveProperty('reward/mismatch_kl')
    expect(caps).toEqual([2])
  })

  it('writes finite metrics, all described', async () => {
    const log = await logOf(world(), request(smallSettings(), { iterations: 2 }))
    for (const { metrics } of ofType(log, 'iteration-finished')) {
      expect(Object.keys(metrics).filter((name) => !(name in METRICS))).toEqual([])
      expect(Object.values(metrics).every(Number.isFinite)).toBe(true)
    }
    const ofTests = ['reward/ut', 'reward/ut_tests', 'reward/detect', 'reward/detect_tests', 'reward/test_truth']
    const ofOthers = ['policy/mismatch_kl', 'reward/mismatch_kl', 'env/critic_tokens']
    // The first has no measured candidate, and one may have nothing for the reward model to learn from.
    const names = new Set(ofType(log, 'iteration-finished').flatMap(({ metrics }) => Object.keys(metrics)))
    expect([...names].sort()).toEqual(
      Object.keys(METRICS)
        .filter((name) => ![...ofTests, ...ofOthers].includes(name))
        .sort(),
    )
  })

  it.each([0, 0.4])('writes which way the votes that train push, where any does, with ε = %f', async (voteFlips) => {
    const settings = smallSettings({ adaptEnvironment: false, voteFlips })
    const log = await logOf(world(), request(settings, { iterations: 6 }))
    const written = ({ score, isFlipped }: Evaluation): Score => (isFlipped ? (score === 1 ? -1 : 1) : score)
    const pushes = ofType(log, 'iteration-finished').map(({ iteration, metrics }) => {
      const events = log.filter((event) => event.iteration === iteration)
      const votes = new Map(ofType(events, 'judged').map((event) => [event.episodeId, event.votes]))
      const steps = ofType(events, 'advantages').flatMap(({ episodeId, reward }) =>
        reward.map((advantages, step) => ({
          scores: votes.get(episodeId)![step]!.map(written),
          advantages,
        })),
      )
      const training = steps.flatMap(({ advantages }) => advantages).filter((advantage) => advantage !== null)
      const sum = steps.reduce((total, { scores, advantages }) => total + stepPush(scores, advantages), 0)
      expect('reward/push' in metrics).toBe(training.length > 0)
      if (training.length > 0) expect(metrics['reward/push']).toBeCloseTo(sum / training.length, 12)
      return metrics['reward/push'] ?? 0
    })
    expect(Math.max(...pushes.map(Math.abs))).toBeGreaterThan(0)
  })
})

describe('determinism', () => {
  it('writes the same log for the same seed, byte for byte, and a different one for another', async () => {
    const run = async (seed: number) => JSON.stringify(await logOf(world(), request(smallSettings({ seed }))))
    expect(await run(7)).toBe(await run(7))
    expect(await run(8)).not.toBe(await run(7))
  })

  it('resumes from its history exactly as if it had not stopped', async () => {
    const whole = await logOf(world(), request(smallSettings(), { iterations: 5 }))
    const ports = world()
    const first = (await logOf(ports, request(smallSettings(), { iterations: 2 }))).slice(0, -1)
    const rest = await logOf(ports, request(smallSettings(), { iterations: 3, history: first }))
    expect(JSON.stringify([...first, ...rest])).toBe(JSON.stringify(whole))
  })
})

describe('tokens in, tokens out', () => {
  it('trains on the transcript so far as prompt, and on the sampled tokens', async () => {
    const ports = world({ lengths: [3] })
    const log = await logOf(ports, request(smallSettings({ signal: 'step' }), { iterations: 1 }))
    const episodes = new Map(ofType(log, 'episode').map((event) => [event.episodeId, event]))
    const expected = ofType(log, 'advantages').flatMap(({ episodeId, policy }) => {
      const episode = episodes.get(episodeId)!
      let prompt = `${episode.opening}>`
      return episode.steps.flatMap((step, index) => {
        const row = [prompt, step.response, policy[index]]
        prompt += `${step.response}[${step.observation}]>`
        return policy[index] === null ? [] : [row]
      })
    })
    const { examples } = ports.policy.updates[0]!
    const trained = examples.map(({ prompt, response, advantage }) => [
      decodeTokens(prompt),
      decodeTokens(response),
      advantage,
    ])
    const byText = (a: unknown[], b: unknown[]) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)
    expect(trained.sort(byText)).toEqual(expected.sort(byText))
    expect(examples.every(({ response, oldLogProbs }) => response.length === oldLogProbs.length)).toBe(true)
  })

  it('asks the reward model about each step with the transcript up to it', async () => {
    const ports = world({ lengths: [2] })
    const log = await logOf(ports, request(smallSettings(), { iterations: 1 }))
    const episode = ofType(log, 'episode').find((event) => event.split === 'train')!
    let prompt = `${episode.opening}|`
    for (const step of episode.steps) {
      prompt += `${step.response}:${step.observation}|`
      expect(ports.reward.prompts).toContain(`${prompt}?`)
    }
    expect(encodeText('é>')).toHaveLength(2)
  })
})

describe('freezing', () => {
  it('does not update a frozen component, and reports its update metrics as 0', async () => {
    const ports = world()
    const log = await logOf(
      ports,
      request(smallSettings({ trainReward: false, adaptEnvironment: false }), { iterations: 2 }),
    )
    expect(ports.reward.updates).toHaveLength(0)
    expect(ports.policy.updates).toHaveLength(2)
    expect(ofType(log, 'rewrite-proposed')).toHaveLength(0)
    const { metrics } = ofType(log, 'iteration-finished')[0]!
    expect(metrics['reward/lr']).toBe(0)
    expect(metrics['reward/grad_norm']).toBe(0)
    expect(metrics['reward/entropy']).toBeGreaterThan(0)
  })

  it('reports nothing about what trains a model while it is frozen, although the advantages are logged', async () => {
    const measured = async (change: Partial<Settings>) => {
      const log = await logOf(world(), request(smallSettings(change), { iterations: 6 }))
      for (const advantages of [
        ofType(log, 'advantages').flatMap(({ policy }) => policy),
        ofType(log, 'advantages').flatMap(({ reward }) => reward.flat()),
      ])
        expect(Math.max(...advantages.map((advantage) => advantage ?? 0))).toBeGreaterThan(0)
      const names = new Set(ofType(log, 'iteration-finished').flatMap(({ metrics }) => Object.keys(metrics)))
      return { push: names.has('reward/push'), advantages: names.has('policy/advantages/mean') }
    }
    expect(await measured({})).toEqual({ push: true, advantages: true })
    expect(await measured({ trainReward: false })).toEqual({ push: false, advantages: true })
    expect(await measured({ trainPolicy: false })).toEqual({ push: true, advantages: false })
  })

  it('measures the entropy of all sampled tokens, also where few of them train', async () => {
    const settings = { adaptEnvironment: false, policyAccuracyLow: 0.2, policyAccuracyHigh: 0.8 }
    const ports = world({ lengths: [1, 3, 5, 9] })
    const log = await logOf(ports, request(smallSettings(settings), { iterations: 6 }))
    expect(ports.policy.updates.length).toBeGreaterThan(0)
    for (const { iteration, metrics } of ofType(log, 'iteration-finished')) {
      const episodes = ofType(log, 'episode').filter(
        (event) => event.iteration === iteration && event.split === 'train',
      )
      const entropies = episodes.flatMap(({ steps }) => steps.flatMap((step) => [...step.entropies]))
      expect(metrics['policy/entropy']).toBeCloseTo(entropies.reduce((a, b) => a + b) / entropies.length, 12)
    }
  })

  it.each(['policy', 'reward', 'environment'] as const)('trains or adapts the %s alone on request', async (only) => {
    const ports = world({ lengths: [1, 3, 5, 9] })
    const log = await logOf(ports, request(smallSettings(), { iterations: 2, only }))
    expect([
      ports.policy.updates.length > 0,
      ports.reward.updates.length > 0,
      ofType(log, 'rewrite-proposed').length > 0,
    ]).toEqual([only === 'policy', only === 'reward', only === 'environment'])
  })

  it.each([{}, { adaptEnvironment: true, rewrites: 'null' as const }])(
    'does not ask the reward model if nothing uses its answers: GRPO, with %j',
    async (change) => {
      const ports = world()
      const settings = smallSettings({ ...PRESETS.grpo, ...change })
      const log = await logOf(ports, request(settings, { iterations: 1 }))
      expect(ports.reward.generateCalls).toBe(0)
      expect(ofType(log, 'judged')).toHaveLength(0)
      expect(ofType(log, 'theory')[0]).toMatchObject({ pPlus: null, mu: null })
      expect(ofType(log, 'iteration-finished')[0]!.metrics).not.toHaveProperty('reward/process_acc')
    },
  )
})

describe('an evaluation', () => {
  it('plays held-out episodes for as many steps as in training, or for its own number', async () => {
    const longest = async (evaluationMaxSteps: number) => {
      const settings = smallSettings({ maxSteps: 3, evaluationMaxSteps })
      const log = await logOf(world({ lengths: [30] }), request(settings, { iterations: 1 }))
      const steps = (isHeldOut: boolean) =>
        ofType(log, 'episode').flatMap(({ split, steps: own }) =>
          (split !== 'train') === isHeldOut ? [own.length] : [],
        )
      return [new Set(steps(false)), new Set(steps(true))]
    }
    expect(await longest(0)).toEqual([new Set([3]), new Set([3])])
    expect(await longest(5)).toEqual([new Set([3]), new Set([5])])
  })
})

describe('the two updates', () => {
  it('run at the same time, and are logged policy first, whichever finishes first', async () => {
    const ports = world()
    let releasePolicy = () => {}
    const rewardHasBegun = new Promise<void>((resolve) => {
      releasePolicy = resolve
    })
    const updatePolicy = ports.policy.update.bind(ports.policy)
    const updateReward = ports.reward.update.bind(ports.reward)
    ports.policy.update = async (examples, options) => {
      await rewardHasBegun
      return updatePolicy(examples, options)
    }
    ports.reward.update = (examples, options) => {
      releasePolicy()
      return updateReward(examples, options)
    }
    const log = await logOf(ports, request(smallSettings({ tasksPerIteration: 6 }), { iterations: 1 }))
    expect(ofType(log, 'model-updated').map(({ role, version }) => [role, version])).toEqual([
      ['policy', 1],
      ['reward', 1],
    ])
  })

  it('get the settings of their own model', async () => {
    const ports = world()
    const settings = smallSettings({ tasksPerIteration: 6, rewardUpdatesPerIteration: 2, rewardTemperature: 0.5 })
    await logOf(ports, request(settings, { iterations: 1 }))
    expect(ports.policy.updates[0]!.options).toMatchObject({
      learningRate: 0.02,
      updatesPerIteration: 4,
      temperature: 1,
    })
    expect(ports.reward.updates[0]!.options).toMatchObject({
      learningRate: 0.01,
      updatesPerIteration: 2,
      temperature: 0.5,
    })
  })
})

describe('changes during a run', () => {
  it('applies a patch at the next iteration and logs it there', async () => {
    const patches: (LivePatch | null)[] = [null, { groupSize: 3, lambda: 2 }]
    const log = await logOf(
      world(),
      request(smallSettings(), { iterations: 2, takePatch: () => patches.shift() ?? null }),
    )
    const changed = ofType(log, 'settings-changed')
    expect(changed).toMatchObject([{ iteration: 2, patch: { groupSize: 3, lambda: 2 } }])
    expect(log[changed[0]!.seq + 1]?.type).toBe('iteration-started')
    const rollouts = (iteration: number) =>
      Math.max(
        ...ofType(log, 'episode')
          .filter((event) => event.iteration === iteration)
          .map((event) => event.rollout),
      ) + 1
    expect([rollouts(1), rollouts(2)]).toEqual([6, 3])
  })

  it('keeps a patch after a resume', async () => {
    const ports = world()
    const first = await logOf(ports, request(smallSettings(), { iterations: 1, takePatch: () => ({ groupSize: 2 }) }))
    const rest = await logOf(ports, request(smallSettings(), { iterations: 1, history: first }))
    expect(
      Math.max(
        ...ofType(rest, 'episode')
          .filter((event) => event.split === 'train')
          .map((event) => event.rollout),
      ),
    ).toBe(1)
  })
})

describe('the life of a rewrite', () => {
  const lengths = [3, 7]
  it('measures a candidate in the next iteration, then accepts or rejects it', async () => {
    const log = await logOf(
      world({ lengths, skill: 0.75 }),
      request(smallSettings({ policyLearningRate: 0 }), { iterations: 8 }),
    )
    const proposals = ofType(log, 'rewrite-proposed').filter((event) => event.candidate)
    const resolved = ofType(log, 'rewrite-resolved')
    expect(resolved.length).toBeGreaterThan(4)
    expect(new Set(resolved.map((event) => event.accepted)).size).toBe(2)
    for (const event of resolved) {
      const proposal = proposals.find((candidate) => candidate.proposalId === event.proposalId)!
      expect(event.iteration).toBe(proposal.iteration + 1)
      expect(event.policyVersionAfter).toBeGreaterThanOrEqual(event.policyVersionBefore)
      const measured = ofType(log, 'episode').filter(
        (episode) => episode.taskId === event.candidateId && episode.iteration === event.iteration,
      )
      expect(event.accuracyAfter).toBeCloseTo(
        measured.filter((episode) => episode.outcome === 1).length / measured.length,
      )
      const later = ofType(log, 'iteration-started')
        .filter((start) => start.iteration > event.iteration)
        .flatMap((start) => start.taskIds)
      expect(later.includes(event.accepted ? event.taskId : event.candidateId)).toBe(false)
    }
  })

  it('keeps a task with a pending candidate out of the active ones', async () => {
    const log = await logOf(world({ lengths }), request(smallSettings(), { iterations: 6 }))
    for (const start of ofType(log, 'iteration-started')) {
      const pending = ofType(log, 'rewrite-proposed').filter(
        (event) => event.candidate && event.iteration === start.iteration - 1,
      )
      expect(start.pendingTaskIds.toSorted()).toEqual(pending.map((event) => event.candidate!.id).toSorted())
      for (const { taskId } of pending) expect(start.taskIds).not.toContain(taskId)
    }
  })

  it("gives the author the reward model's reasons, keeps every attempt, and stops at the first valid one", async () => {
    const ports = world({ lengths })
    const log = await logOf(ports, request(smallSettings({ rewriteAttempts: 4 }), { iterations: 4 }))
    const proposals = ofType(log, 'rewrite-proposed')
    for (const { attempts, candidate } of proposals) {
      expect(attempts.map(({ ok }) => ok)).toEqual(
        attempts.map((_, index) => candidate !== null && index === attempts.length - 1),
      )
    }
    const easier = proposals.find((event) => event.direction === 'easier')!
    expect(easier.criticSummary).toMatch(/^nothing happened x\d+$/u)
    expect(ports.author.prompts.some((prompt) => prompt.endsWith(easier.criticSummary))).toBe(true)
  })

  it('does not train on the rollouts of a rejected candidate', async () => {
    const log = await logOf(
      world({ lengths, skill: 0.75 }),
      request(smallSettings({ policyLearningRate: 0 }), { iterations: 8 }),
    )
    const rejected = ofType(log, 'rewrite-resolved')
      .filter((event) => !event.accepted)
      .map((event) => event.candidateId)
    const episodes = ofType(log, 'episode')
      .filter((event) => rejected.includes(event.taskId))
      .map((event) => event.episodeId)
    const advantages = ofType(log, 'advantages').filter((event) => episodes.includes(event.episodeId))
    expect(advantages.length).toBeGreaterThan(0)
    expect(
      advantages.flatMap((event) => [...event.policy, ...event.reward.flat()]).every((value) => value === null),
    ).toBe(true)
  })

  it('keeps candidates pending while the environment is frozen, and continues with their tasks', async () => {
    const ports = world({ lengths })
    const settings = smallSettings({ taskPoolSize: 2, tasksPerIteration: 2 })
    const patches: LivePatch[] = [{}, { adaptEnvironment: false }, { adaptEnvironment: true }]
    const log = await logOf(ports, request(settings, { iterations: 3, takePatch: () => patches.shift() ?? null }))
    const [, frozen, again] = ofType(log, 'iteration-started')
    expect(frozen).toMatchObject({ pendingTaskIds: [] })
    expect(frozen!.taskIds.length).toBe(2)
    expect(again!.pendingTaskIds.length).toBeGreaterThan(0)
  })
})

describe('stopping', () => {
  it('ends with run-finished, and a resumed run starts the interrupted iteration again', async () => {
    const whole = await logOf(world(), request(smallSettings(), { iterations: 3 }))
    const controller = new AbortController()
    const ports = world({
      onGenerate: () => {
        if (++calls === 40) controller.abort()
      },
    })
    let calls = 0
    const checkpoints = new Map<string, [number, number]>()
    const cut: LoggedEvent[] = []
    for await (const event of runLoop(ports, request(smallSettings(), { iterations: 3, signal: controller.signal }))) {
      if (!isLogged(event)) continue
      cut.push(event)
      if (event.type === 'iteration-finished') checkpoints.set('last', [ports.policy.level, ports.reward.level])
    }
    expect(cut.at(-1)).toMatchObject({ type: 'run-finished', reason: 'stopped' })
    const finished = ofType(cut, 'iteration-finished').length
    expect(finished).toBeGreaterThan(0)
    expect(cut.some((event) => event.iteration === finished + 1 && event.type === 'episode')).toBe(true)

    ;[ports.policy.level, ports.reward.level] = checkpoints.get('last')!
    const rest = await logOf(ports, request(smallSettings(), { iterations: 3 - finished, history: cut }))
    const strip = (events: readonly LoggedEvent[]) => events.map(({ seq: _, ...body }) => body)
    expect(strip(rest)).toEqual(strip(whole.filter((event) => event.iteration > finished)))
  })

  it('interrupts nothing between two iterations', async () => {
    const controller = new AbortController()
    const log: LoggedEvent[] = []
    for await (const event of runLoop(world(), request(smallSettings(), { signal: controller.signal }))) {
      if (!isLogged(event)) continue
      log.push(event)
      if (event.type === 'iteration-finished') controller.abort()
    }
    expect(log.slice(-2).map((event) => event.type)).toEqual(['iteration-finished', 'run-finished'])
  })

  it('throws what a port throws', async () => {
    const ports = world({
      onGenerate: () => {
        throw new Error('The model is gone.')
      },
    })
    await expect(logOf(ports, request(smallSettings()))).rejects.toThrow('The model is gone.')
  })
})
