/**
 * RLAnything as one async generator of run events: policy, reward model and environment improve one another.
 *
 *     apply patch → choose tasks, add pending candidates → roll out → judge → feedback, advantages → accept or reject
 *     the candidates → update policy ∥ reward model → propose rewrites → estimate theory → evaluate every k iterations
 *
 * An accepted candidate's rollouts train at once, a rejected one's never (both as released). Candidates wait while the
 * environment is frozen, and their slots go on with the old task: frozen means that nothing changes.
 *
 * Judging is left out only where nobody would read it: the policy learns from outcomes alone, the reward model is frozen,
 * and no author needs a critic.
 *
 * Determinism: everything is drawn from hashes of (seed, iteration, purpose, ids), the state is a fold of the log
 * (loop-state.ts), and the two updates run at the same time but are logged policy first. Same seed, settings and models:
 * the same log.
 *
 * Stopping: an abort ends the generator with `run-finished`, reason `stopped`. Events of the iteration that was cut are in
 * the log but no longer count (history.ts); its models may have learned already, so a caller that goes on loads the
 * checkpoints that belong to the last `iteration-finished`. An abort while that event is being handled cuts nothing.
 */
import { groupAdvantages } from './advantages.ts'
import { decideRewrite, rewriteDirection } from './adaptation.ts'
import type { EphemeralBody, LoggedBody, LoggedEvent, RewriteResolved, RunEvent } from './events.ts'
import { judge } from './judging.ts'
import {
  LEARNERS,
  learningRate,
  trainingExamples,
  updateModels,
  type AdvantagedGroup,
  type Learner,
} from './learning.ts'
import type { Component, LoopPorts, LoopRequest, RunLoop } from './loop-contract.ts'
import { LoopState } from './loop-state.ts'
import { finiteOnly, iterationMetrics, type RoleUpdate } from './metrics.ts'
import { deriveSeed } from './random.ts'
import { proposeRewrites } from './rewriting.ts'
import { rollOut, type EpisodeRequest } from './rollout.ts'
import { definedEntries, type Settings } from './settings.ts'
import { policyEntropy, rewardEntropy, sampledTokens, scoredTrajectories, type TaskGroup } from './task-group.ts'
import { estimateVoteStatistics } from './theory.ts'

export const runLoop: RunLoop = async function* (ports, request) {
  const run = new LoopRun(ports, request)
  try {
    yield* run.prepare()
    for (let count = 0; count < request.iterations; count++) {
      request.signal?.throwIfAborted()
      yield* run.iterate()
    }
  } catch (error) {
    if (!request.signal?.aborted) throw error
    yield run.log({ type: 'run-finished', reason: 'stopped' })
    return
  }
  yield run.log({ type: 'run-finished', reason: 'completed' })
}

type Events<Result> = AsyncGenerator<RunEvent, Result, void>
/** What `timing_s/*` measures. `update` is both updates, which run at the same time. */
type Work = 'gen' | 'judge' | 'update' | 'adapt' | 'eval'

class LoopRun {
  readonly #ports: LoopPorts
  readonly #request: LoopRequest
  readonly #state: LoopState
  #iteration: number
  readonly #durationMs = new Map<Work | `update_${Learner}`, number>()

  constructor(ports: LoopPorts, request: LoopRequest) {
    this.#ports = ports
    this.#request = request
    this.#state = LoopState.fromHistory(request.history ?? [])
    this.#iteration = this.#state.iteration
  }

  /** Numbers a body, and lets the state learn from it exactly what a resumed run would read. */
  log(body: LoggedBody): LoggedEvent {
    const event: LoggedEvent = { ...body, seq: this.#state.nextSeq, iteration: this.#iteration }
    this.#state.apply(event)
    return event
  }

  #show(body: EphemeralBody): RunEvent {
    return { ...body, iteration: this.#iteration }
  }

  get #settings(): Settings {
    return this.#state.knownSettings
  }

  /** A new run's beginning: settings, tasks, and an evaluation before anything has learned. A resumed run has it. */
  async *prepare(): Events<void> {
    const { runId, settings, preset, backend, models, history, signal } = this.#request
    if (!history || history.length === 0) {
      yield this.log({ type: 'run-started', runId, settings, preset, backend, models })
    }
    if (this.#state.iteration > 0) return

    signal?.throwIfAborted()
    const { seed, taskPoolSize, evaluateEvery } = this.#settings
    if (this.#state.slots.length < taskPoolSize) {
      const known = new Set(this.#state.slots.map((slot) => slot.original.id))
      const tasks = await this.#ports.environment.sampleTasks('train', taskPoolSize, deriveSeed(seed, 'tasks', 'train'))
      for (const task of tasks) {
        if (!known.has(task.id)) yield this.log({ type: 'task-added', task, split: 'train' })
        known.add(task.id)
      }
    }
    if (this.#state.slots.length === 0) {
      throw new Error('The environment has no training tasks, so there is nothing to roll out.')
    }
    if (evaluateEvery > 0 && !this.#state.isEvaluatedAtStart) yield* this.#evaluate()
  }

  async *iterate(): Events<void> {
    this.#iteration = this.#state.iteration + 1
    this.#durationMs.clear()
    const patch = definedEntries(this.#request.takePatch?.() ?? {})
    if (Object.keys(patch).length > 0) yield this.log({ type: 'settings-changed', patch })
    const settings = this.#settings

    const groups = yield* this.#rollOutTasks()
    if (this.#readsJudgements()) yield* this.#judge(groups)

    const decisions = groups.map((group) => this.#decide(group))
    const training = yield* this.#assignAdvantages(groups, decisions)
    for (const decision of decisions) if (decision) yield this.log(decision)

    const policyVersion = this.#state.policyVersion
    const updates = yield* this.#update(training)
    const proposed = this.#trains('environment') ? yield* this.#propose(groups, policyVersion) : 0

    const trajectories = groups.flatMap(scoredTrajectories)
    yield this.log({ type: 'theory', ...estimateVoteStatistics(trajectories, settings.evaluationsPerStep) })
    if (settings.evaluateEvery > 0 && this.#iteration % settings.evaluateEvery === 0) yield* this.#evaluate()

    const work = {
      envSteps: trajectories.reduce((steps, { scores }) => steps + scores.length, 0),
      sampledTokens: groups.reduce((total, group) => total + sampledTokens(group), 0),
    }
    const metrics = iterationMetrics({
      iteration: this.#iteration,
      settings,
      state: this.#state,
      episodes: groups.flatMap((group) =>
        group.rollouts.map(({ episode, clippedResponses }, index) => ({
          episode,
          clippedResponses,
          votes: group.judgements?.[index]?.votes ?? null,
          isCandidate: group.pending !== null,
        })),
      ),
      groups: training.map(({ advantages }) => advantages),
      policyUpdate: updates.policy,
      rewardUpdate: updates.reward,
      ...work,
      proposed,
      accepted: decisions.filter((decision) => decision?.accepted).length,
    })
    yield this.#timingsEvent(work)
    yield this.log({ type: 'iteration-finished', metrics })
  }

  #trains(component: Component): boolean {
    if (this.#request.only) return this.#request.only === component
    const { trainPolicy, trainReward, adaptEnvironment } = this.#settings
    return { policy: trainPolicy, reward: trainReward, environment: adaptEnvironment }[component]
  }

  #readsJudgements(): boolean {
    return this.#settings.signal !== 'outcome' || this.#trains('reward') || this.#trains('environment')
  }

  async *#rollOutTasks(): Events<TaskGroup[]> {
    const settings = this.#settings
    const adapts = this.#trains('environment')
    const active = this.#state
      .chooseSlots(this.#iteration, settings.tasksPerIteration, adapts)
      .map((slot) => slot.active)
    const waiting = adapts ? this.#state.slots.flatMap(({ pending }) => (pending ? [pending] : [])) : []
    const groups: TaskGroup[] = [
      ...active.map((task) => ({ task, pending: null, rollouts: [], judgements: null })),
      ...waiting.map((pending) => ({ task: pending.candidate, pending, rollouts: [], judgements: null })),
    ]
    yield this.log({
      type: 'iteration-started',
      taskIds: active.map((task) => task.id),
      pendingTaskIds: waiting.map(({ candidate }) => candidate.id),
    })
    const requests = groups.flatMap(({ task }) =>
      Array.from({ length: settings.groupSize }, (_, rollout): EpisodeRequest => ({
        episodeId: `i${this.#iteration}/${task.id}/${rollout}`,
        task,
        split: 'train',
        rollout,
      })),
    )
    const rollouts = yield* this.#relay(
      'gen',
      rollOut(this.#ports, requests, {
        ...this.#rolloutOptions(),
        seed: deriveSeed(settings.seed, this.#iteration, 'rollout'),
        showSteps: true,
      }),
    )
    groups.forEach((group, index) => {
      group.rollouts = rollouts.slice(index * settings.groupSize, (index + 1) * settings.groupSize)
    })
    return groups
  }

  #rolloutOptions() {
    const { maxSteps, policyTemperature, topP } = this.#settings
    return {
      maxSteps,
      topP,
      temperature: policyTemperature,
      policyVersion: this.#state.policyVersion,
      signal: this.#request.signal,
    }
  }

  async *#judge(groups: readonly TaskGroup[]): Events<void> {
    const settings = this.#settings
    const format = this.#ports.formats.reward
    if (format.kind !== 'step-judge') throw new Error('A reward model that writes tests is not part of the loop yet.')
    const episodes = groups.flatMap((group) => group.rollouts.map(({ episode }) => episode))
    const judgements = yield* this.#relay(
      'judge',
      judge(this.#ports.reward, format, episodes, {
        evaluationsPerStep: settings.evaluationsPerStep,
        temperature: settings.rewardTemperature,
        topP: settings.topP,
        rewardVersion: this.#state.rewardVersion,
        seed: deriveSeed(settings.seed, this.#iteration, 'judge'),
        signal: this.#request.signal,
      }),
    )
    let next = 0
    for (const group of groups) {
      group.judgements = judgements.slice(next, next + group.rollouts.length)
      next += group.rollouts.length
    }
  }

  /** What becomes of a candidate, or null for an active task. */
  #decide({ task, pending }: TaskGroup): RewriteResolved | null {
    if (!pending) return null
    const accuracyAfter = this.#state.accuracyOfTask(task.id) ?? 0
    const slot = this.#state.slots.find((candidate) => candidate.pending === pending)!
    return {
      type: 'rewrite-resolved',
      proposalId: pending.proposalId,
      taskId: slot.active.id,
      candidateId: task.id,
      direction: pending.direction,
      accuracyBefore: pending.accuracyBefore,
      policyVersionBefore: pending.policyVersionBefore,
      accuracyAfter,
      policyVersionAfter: this.#state.policyVersion,
      ...decideRewrite(pending.direction, pending.accuracyBefore, accuracyAfter, this.#settings),
    }
  }

  /** Logs what every episode is worth, and returns the groups that train: not those of rejected candidates. */
  async *#assignAdvantages(
    groups: readonly TaskGroup[],
    decisions: readonly (RewriteResolved | null)[],
  ): Events<AdvantagedGroup[]> {
    const training: AdvantagedGroup[] = []
    for (const [index, group] of groups.entries()) {
      const advantages = groupAdvantages(scoredTrajectories(group), this.#settings)
      const isRejected = decisions[index]?.accepted === false
      if (!isRejected) training.push({ group, advantages })
      for (const [rollout, { episode }] of group.rollouts.entries()) {
        yield this.log({
          type: 'advantages',
          episodeId: episode.episodeId,
          feedback: advantages.feedback[rollout]!,
          policy: advantages.policy[rollout]!.map((advantage) => (isRejected ? null : advantage)),
          reward: advantages.reward[rollout]!.map((step) => step.map((advantage) => (isRejected ? null : advantage))),
        })
      }
    }
    return training
  }

  async *#update(training: readonly AdvantagedGroup[]): Events<Record<Learner, RoleUpdate>> {
    const settings = this.#settings
    const seed = deriveSeed(settings.seed, this.#iteration, 'update')
    const examples = trainingExamples(training, settings, seed)
    for (const learner of LEARNERS) {
      if (!this.#trains(learner)) examples[learner] = []
      if (examples[learner].length > 0)
        yield this.#show({ type: 'progress', phase: `update-${learner}`, done: 0, total: 1 })
    }
    const start = this.#ports.now()
    const results = await updateModels(this.#ports, examples, settings, this.#request.signal)
    this.#addTime('update', this.#ports.now() - start)
    this.#request.signal?.throwIfAborted()

    for (const learner of LEARNERS) {
      const result = results[learner]
      if (!result) continue
      this.#addTime(`update_${learner}`, result.durationMs)
      const version = 1 + (learner === 'policy' ? this.#state.policyVersion : this.#state.rewardVersion)
      yield this.#show({ type: 'progress', phase: `update-${learner}`, done: 1, total: 1 })
      yield this.log({
        type: 'model-updated',
        role: learner,
        version,
        examples: examples[learner].length,
        metrics: result.metrics,
      })
    }
    const groups = training.map(({ group }) => group)
    const update = (learner: Learner, sampledEntropy: number | null): RoleUpdate => ({
      metrics: results[learner]?.metrics ?? null,
      learningRate: this.#trains(learner) ? learningRate(learner, settings) : 0,
      sampledEntropy,
    })
    return { policy: update('policy', policyEntropy(groups)), reward: update('reward', rewardEntropy(groups)) }
  }

  /** One proposal for each active task that left the band. Returns how many became candidates. */
  async *#propose(groups: readonly TaskGroup[], policyVersion: number): Events<number> {
    const settings = this.#settings
    const requests = groups.flatMap((group) => {
      const accuracy = group.pending ? null : this.#state.accuracyOfTask(group.task.id)
      const direction = accuracy === null ? null : rewriteDirection(accuracy, settings)
      const slot = this.#state.slots.find((candidate) => candidate.active.id === group.task.id)
      if (accuracy === null || direction === null || !slot) return []
      const proposalId = `${this.#iteration}/${slot.original.id}`
      return [{ proposalId, candidateId: `${slot.original.id}~${this.#iteration}`, group, direction, accuracy }]
    })
    const seed = deriveSeed(settings.seed, this.#iteration, 'rewrite')
    yield* this.#relay(
      'adapt',
      proposeRewrites(this.#ports, requests, {
        settings,
        policyVersion,
        seed,
        signal: this.#request.signal,
      }),
    )
    const proposed = new Set(requests.map((request) => request.proposalId))
    return this.#state.slots.filter(({ pending }) => pending && proposed.has(pending.proposalId)).length
  }

  /**
   * One rollout of each held-out task at the policy's temperature. Tasks and random numbers are the same every time, so
   * that the difference between two evaluations is the policy's.
   */
  async *#evaluate(): Events<void> {
    const { seed, evaluationTasks } = this.#settings
    if (evaluationTasks === 0) return
    for (const split of ['id', 'ood'] as const) {
      this.#request.signal?.throwIfAborted()
      const tasks = await this.#ports.environment.sampleTasks(split, evaluationTasks, deriveSeed(seed, 'tasks', split))
      if (tasks.length === 0) continue
      const requests = tasks.map((task, index) => ({
        episodeId: `e${this.#iteration}/${split}/${index}`,
        task,
        split,
        rollout: 0,
      }))
      const options = this.#rolloutOptions()
      const rollouts = yield* this.#relay(
        'eval',
        rollOut(this.#ports, requests, {
          ...options,
          seed: deriveSeed(seed, 'evaluate', split),
          seedKey: (request) => request.task.id,
          showSteps: false,
        }),
      )
      const solved = rollouts.filter(({ episode }) => episode.outcome === 1).length
      yield this.log({
        type: 'evaluation',
        split,
        policyVersion: options.policyVersion,
        acc: solved / rollouts.length,
        episodes: rollouts.length,
      })
    }
  }

  /** Logs the record and shows the rest, as they come. Only the work is timed, not how long a watcher looks at an event. */
  async *#relay<Result>(work: Work, bodies: AsyncGenerator<LoggedBody | EphemeralBody, Result, void>): Events<Result> {
    for (;;) {
      const start = this.#ports.now()
      const next = await bodies.next()
      this.#addTime(work, this.#ports.now() - start)
      if (next.done) return next.value
      yield isEphemeral(next.value) ? this.#show(next.value) : this.log(next.value)
    }
  }

  #addTime(work: Work | `update_${Learner}`, durationMs: number): void {
    this.#durationMs.set(work, (this.#durationMs.get(work) ?? 0) + durationMs)
  }

  #timingsEvent(work: { envSteps: number; sampledTokens: number }): RunEvent {
    const seconds = (name: Work | `update_${Learner}`) => (this.#durationMs.get(name) ?? 0) / 1000
    return this.#show({
      type: 'timings',
      metrics: finiteOnly({
        'timing_s/gen': seconds('gen'),
        'timing_s/judge': seconds('judge'),
        'timing_s/update_policy': seconds('update_policy'),
        'timing_s/update_reward': seconds('update_reward'),
        'timing_s/adapt': seconds('adapt'),
        'timing_s/eval': seconds('eval'),
        'timing_s/step': seconds('gen') + seconds('judge') + seconds('update') + seconds('adapt') + seconds('eval'),
        'perf/tokens_per_s': work.sampledTokens / (seconds('gen') + seconds('judge')),
        'perf/env_steps_per_s': work.envSteps / seconds('gen'),
      }),
    })
  }
}

function isEphemeral(body: LoggedBody | EphemeralBody): body is EphemeralBody {
  return body.type === 'progress' || body.type === 'step' || body.type === 'timings'
}
