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
import { groupAdvantages, type GroupAdvantages } from './advantages.ts'
import { decideRewrite, rewriteDirection } from './adaptation.ts'
import { criticSummary } from './critic-summary.ts'
import type {
  EpisodeFinished,
  EphemeralBody,
  LoggedBody,
  LoggedEvent,
  Phase,
  RewriteProposed,
  RewriteResolved,
  RunEvent,
} from './events.ts'
import { judge, type Judgement } from './judging.ts'
import type { Component, LoopPorts, LoopRequest, RunLoop } from './loop-contract.ts'
import { LoopState, type PendingRewrite, type TaskSlot } from './loop-state.ts'
import { finiteOnly, iterationMetrics, type RoleUpdate } from './metrics.ts'
import type { Score, Task, TrainingExample, UpdateMetrics, UpdateOptions } from './ports.ts'
import { deriveSeed, shuffled } from './random.ts'
import { rollOut, type EpisodeRequest, type Rollout } from './rollout.ts'
import { definedEntries, type Settings } from './settings.ts'
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

/** A task of this iteration with what became of it. */
interface Group {
  task: Task
  pending: PendingRewrite | null
  rollouts: Rollout[]
  /** Null when the reward model was not asked. */
  judgements: Judgement[] | null
}

class LoopRun {
  readonly #ports: LoopPorts
  readonly #request: LoopRequest
  readonly #state: LoopState
  #iteration: number
  #timings: Record<string, number> = {}

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
    const { runId, settings, preset, backend, models, history } = this.#request
    if (!history || history.length === 0)
      yield this.log({ type: 'run-started', runId, settings, preset, backend, models })
    if (this.#state.iteration > 0) return

    this.#request.signal?.throwIfAborted()
    const { seed, taskPoolSize, evaluateEvery } = this.#settings
    if (this.#state.slots.length < taskPoolSize) {
      const known = new Set(this.#state.slots.map((slot) => slot.original.id))
      const tasks = await this.#ports.environment.sampleTasks('train', taskPoolSize, deriveSeed(seed, 'tasks', 'train'))
      for (const task of tasks) {
        if (!known.has(task.id)) yield this.log({ type: 'task-added', task, split: 'train' })
        known.add(task.id)
      }
    }
    if (this.#state.slots.length === 0)
      throw new Error('The environment has no training tasks, so there is nothing to roll out.')
    if (evaluateEvery > 0 && !this.#state.isEvaluatedAtStart) yield* this.#evaluate()
  }

  async *iterate(): Events<void> {
    const start = this.#ports.now()
    this.#iteration = this.#state.iteration + 1
    this.#timings = {}
    const patch = definedEntries(this.#request.takePatch?.() ?? {})
    if (Object.keys(patch).length > 0) yield this.log({ type: 'settings-changed', patch })
    const settings = this.#settings

    const groups = yield* this.#rollOutTasks()
    if (this.#readsJudgements()) yield* this.#judge(groups)

    const decisions = groups.map((group) => this.#decide(group))
    const training = groups.filter((_, index) => decisions[index]?.accepted !== false)
    const advantages = new Map<Group, GroupAdvantages>()
    for (const group of groups) {
      const assigned = groupAdvantages(scoredTrajectories(group), settings)
      const trains = training.includes(group)
      if (trains) advantages.set(group, assigned)
      for (const [index, { episode }] of group.rollouts.entries()) {
        yield this.log({
          type: 'advantages',
          episodeId: episode.episodeId,
          feedback: assigned.feedback[index]!,
          policy: assigned.policy[index]!.map((advantage) => (trains ? advantage : null)),
          reward: assigned.reward[index]!.map((step) => step.map((advantage) => (trains ? advantage : null))),
        })
      }
    }
    for (const decision of decisions) if (decision) yield this.log(decision)

    const policyVersion = this.#state.policyVersion
    const updates = yield* this.#update(advantages)
    const proposed = this.#trains('environment') ? yield* this.#propose(groups, policyVersion) : 0

    const trajectories = groups.flatMap(scoredTrajectories)
    yield this.log({ type: 'theory', ...estimateVoteStatistics(trajectories, settings.evaluationsPerStep) })
    if (settings.evaluateEvery > 0 && this.#iteration % settings.evaluateEvery === 0) yield* this.#evaluate()

    const envSteps = trajectories.reduce((steps, { scores }) => steps + scores.length, 0)
    const sampledTokens = groups.reduce((total, group) => total + sampledTokensOf(group), 0)
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
      groups: [...advantages.values()],
      policyUpdate: updates.policy,
      rewardUpdate: updates.reward,
      envSteps,
      sampledTokens,
      proposed,
      accepted: decisions.filter((decision) => decision?.accepted).length,
    })
    yield this.#timingsEvent(start, envSteps, sampledTokens)
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

  async *#rollOutTasks(): Events<Group[]> {
    const settings = this.#settings
    const adapts = this.#trains('environment')
    const chosen = this.#state.chooseSlots(this.#iteration, settings.tasksPerIteration, adapts)
    const waiting = adapts
      ? this.#state.slots.filter((slot): slot is TaskSlot & { pending: PendingRewrite } => slot.pending !== null)
      : []
    const groups: Group[] = [
      ...chosen.map((slot) => ({ task: slot.active, pending: null, rollouts: [], judgements: null })),
      ...waiting.map(({ pending }) => ({ task: pending.candidate, pending, rollouts: [], judgements: null })),
    ]
    yield this.log({
      type: 'iteration-started',
      taskIds: chosen.map((slot) => slot.active.id),
      pendingTaskIds: waiting.map(({ pending }) => pending.candidate.id),
    })
    const requests: EpisodeRequest[] = groups.flatMap(({ task }) =>
      Array.from({ length: settings.groupSize }, (_, rollout) => ({
        episodeId: `i${this.#iteration}/${task.id}/${rollout}`,
        task,
        split: 'train' as const,
        rollout,
      })),
    )
    const rollouts = yield* this.#timed(
      'gen',
      this.#relay(
        rollOut(this.#ports, requests, {
          maxSteps: settings.maxSteps,
          temperature: settings.policyTemperature,
          topP: settings.topP,
          policyVersion: this.#state.policyVersion,
          seed: deriveSeed(settings.seed, this.#iteration, 'rollout'),
          showSteps: true,
          signal: this.#request.signal,
        }),
      ),
    )
    groups.forEach((group, index) => {
      group.rollouts = rollouts.slice(index * settings.groupSize, (index + 1) * settings.groupSize)
    })
    return groups
  }

  async *#judge(groups: readonly Group[]): Events<void> {
    const settings = this.#settings
    const episodes = groups.flatMap((group) => group.rollouts.map(({ episode }) => episode))
    const judgements = yield* this.#timed(
      'judge',
      this.#relay(
        judge(this.#ports, episodes, {
          evaluationsPerStep: settings.evaluationsPerStep,
          temperature: settings.rewardTemperature,
          topP: settings.topP,
          rewardVersion: this.#state.rewardVersion,
          seed: deriveSeed(settings.seed, this.#iteration, 'judge'),
          signal: this.#request.signal,
        }),
      ),
    )
    let next = 0
    for (const group of groups) {
      group.judgements = judgements.slice(next, next + group.rollouts.length)
      next += group.rollouts.length
    }
  }

  /** What becomes of a candidate, or null for an active task. */
  #decide({ task, pending }: Group): RewriteResolved | null {
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

  async *#update(advantages: ReadonlyMap<Group, GroupAdvantages>): Events<{ policy: RoleUpdate; reward: RoleUpdate }> {
    const { policy, reward } = this.#ports
    const settings = this.#settings
    const episodes = [...advantages].flatMap(([group, assigned]) =>
      group.rollouts.map((rollout, index) => ({ group, assigned, rollout, index })),
    )
    // Each optimiser step should see a mix of tasks. The released code goes through them in order.
    const order =
      settings.profile === 'reference'
        ? episodes
        : shuffled(episodes, deriveSeed(settings.seed, this.#iteration, 'update'))
    const policyExamples = !this.#trains('policy')
      ? []
      : order.flatMap(({ assigned, rollout, index }) => withAdvantages(rollout.samples, assigned.policy[index]!))
    const rewardExamples = !this.#trains('reward')
      ? []
      : order.flatMap(({ group, assigned, index }) =>
          (group.judgements?.[index]?.samples ?? []).flatMap((samples, step) =>
            withAdvantages(samples, assigned.reward[index]![step]!),
          ),
        )

    const options = updateOptions(settings)
    if (policyExamples.length > 0) yield this.#progress('update-policy', 0)
    if (rewardExamples.length > 0) yield this.#progress('update-reward', 0)
    const learn = async (role: 'policy' | 'reward', examples: TrainingExample[]): Promise<UpdateMetrics | null> => {
      if (examples.length === 0) return null
      const start = this.#ports.now()
      const metrics = await (role === 'policy' ? policy : reward).update(examples, options[role], this.#request.signal)
      this.#addTime(`update_${role}`, this.#ports.now() - start)
      return metrics
    }
    // Both have settled before anything is thrown, so that no model changes behind a run that has ended.
    const [policyResult, rewardResult] = await Promise.allSettled([
      learn('policy', policyExamples),
      learn('reward', rewardExamples),
    ])
    const learned = { policy: settledValue(policyResult), reward: settledValue(rewardResult) }
    this.#request.signal?.throwIfAborted()
    for (const role of ['policy', 'reward'] as const) {
      const metrics = learned[role]
      if (!metrics) continue
      const version = (role === 'policy' ? this.#state.policyVersion : this.#state.rewardVersion) + 1
      yield this.#progress(`update-${role}`, 1)
      yield this.log({
        type: 'model-updated',
        role,
        version,
        metrics,
        examples: (role === 'policy' ? policyExamples : rewardExamples).length,
      })
    }
    const groups = [...advantages.keys()]
    return {
      policy: {
        metrics: learned.policy,
        learningRate: this.#trains('policy') ? settings.policyLearningRate : 0,
        sampledEntropy: policyEntropy(groups),
      },
      reward: {
        metrics: learned.reward,
        learningRate: this.#trains('reward') ? settings.rewardLearningRate : 0,
        sampledEntropy: rewardEntropy(groups),
      },
    }
  }

  /** Asks the author for one candidate for each active task that left the band. Returns how many it wrote. */
  async *#propose(groups: readonly Group[], policyVersion: number): Events<number> {
    const start = this.#ports.now()
    const { author, environment, formats } = this.#ports
    const settings = this.#settings
    const outside = groups.flatMap((group) => {
      const accuracy = this.#state.accuracyOfTask(group.task.id)
      const direction = accuracy === null || group.pending ? null : rewriteDirection(accuracy, settings)
      const slot = this.#state.slots.find((candidate) => candidate.active.id === group.task.id)
      return direction && slot && !slot.pending ? [{ group, slot, direction, accuracy: accuracy! }] : []
    })
    if (outside.length === 0) return 0
    yield this.#progress('adapt', 0, outside.length)
    this.#request.signal?.throwIfAborted()

    const summaries = outside.map(({ group, direction }) =>
      criticSummary(
        group.rollouts.map(({ episode }, index) => ({
          outcome: episode.outcome,
          votes: group.judgements?.[index]?.votes ?? [],
        })),
        direction,
      ),
    )
    const descriptions = await Promise.all(outside.map(({ group }) => environment.describe(group.task)))
    const prompts = await author.encode(
      outside.map(({ direction, accuracy }, index) =>
        formats.author.prompt({
          description: descriptions[index]!,
          direction,
          accuracy,
          criticSummary: summaries[index]!,
        }),
      ),
    )
    const completions = await author.generate(
      prompts.map((prompt, index) => ({
        prompt,
        count: settings.rewriteAttempts,
        seed: deriveSeed(settings.seed, this.#iteration, 'rewrite', outside[index]!.slot.original.id),
      })),
      { temperature: settings.authorTemperature, topP: settings.topP, maxTokens: formats.author.maxTokens },
      this.#request.signal,
    )

    let proposed = 0
    for (const [index, { group, slot, direction, accuracy }] of outside.entries()) {
      this.#request.signal?.throwIfAborted()
      const texts = (completions[index] ?? []).map((completion) => completion.text)
      const { attempts, candidate } = await this.#firstValid(
        group.task,
        texts,
        `${slot.original.id}~${this.#iteration}`,
      )
      if (candidate) proposed++
      yield this.log({
        type: 'rewrite-proposed',
        proposalId: `${this.#iteration}/${slot.original.id}`,
        taskId: group.task.id,
        direction,
        accuracy,
        policyVersion,
        criticSummary: summaries[index]!,
        attempts,
        candidate,
      })
      yield this.#progress('adapt', index + 1, outside.length)
    }
    this.#addTime('adapt', this.#ports.now() - start)
    return proposed
  }

  async #firstValid(
    task: Task,
    texts: readonly string[],
    newId: string,
  ): Promise<Pick<RewriteProposed, 'attempts' | 'candidate'>> {
    const attempts: RewriteProposed['attempts'] = []
    for (const text of texts) {
      const {
        ok,
        task: candidate,
        message,
      } = await this.#ports.environment.rewrite(task, this.#ports.formats.author.parse(text), newId)
      const isValid = ok && candidate !== undefined
      attempts.push({ text, message, ok: isValid })
      if (isValid) return { attempts, candidate }
    }
    return { attempts, candidate: null }
  }

  /**
   * One rollout of each held-out task at the policy's temperature. Tasks and random numbers are the same every time, so
   * that the difference between two evaluations is the policy's.
   */
  async *#evaluate(): Events<void> {
    const settings = this.#settings
    const { policyVersion } = this.#state
    if (settings.evaluationTasks === 0) return
    for (const split of ['id', 'ood'] as const) {
      this.#request.signal?.throwIfAborted()
      const tasks = await this.#ports.environment.sampleTasks(
        split,
        settings.evaluationTasks,
        deriveSeed(settings.seed, 'tasks', split),
      )
      if (tasks.length === 0) continue
      const requests = tasks.map((task, index) => ({
        episodeId: `e${this.#iteration}/${split}/${index}`,
        task,
        split,
        rollout: 0,
      }))
      const rollouts = yield* this.#timed(
        'eval',
        this.#relay(
          rollOut(this.#ports, requests, {
            maxSteps: settings.maxSteps,
            temperature: settings.policyTemperature,
            topP: settings.topP,
            policyVersion,
            seed: deriveSeed(settings.seed, 'evaluate', split),
            seedKey: (request) => request.task.id,
            showSteps: false,
            signal: this.#request.signal,
          }),
        ),
      )
      const solved = rollouts.filter(({ episode }) => episode.outcome === 1).length
      yield this.log({
        type: 'evaluation',
        split,
        policyVersion,
        acc: solved / rollouts.length,
        episodes: rollouts.length,
      })
    }
  }

  /** Logs the record and shows the rest, as they come. */
  async *#relay<Result>(bodies: AsyncGenerator<LoggedBody | EphemeralBody, Result, void>): Events<Result> {
    for (;;) {
      const next = await bodies.next()
      if (next.done) return next.value
      const body = next.value
      yield isEphemeral(body) ? this.#show(body) : this.log(body)
    }
  }

  async *#timed<Result>(name: string, events: Events<Result>): Events<Result> {
    const start = this.#ports.now()
    const result = yield* events
    this.#addTime(name, this.#ports.now() - start)
    return result
  }

  #addTime(name: string, durationMs: number): void {
    const key = `timing_s/${name}`
    this.#timings[key] = (this.#timings[key] ?? 0) + durationMs / 1000
  }

  #progress(phase: Phase, done: number, total = 1): RunEvent {
    return this.#show({ type: 'progress', phase, done, total })
  }

  #timingsEvent(start: number, envSteps: number, sampledTokens: number): RunEvent {
    this.#addTime('step', this.#ports.now() - start)
    const generating = this.#timings['timing_s/gen'] ?? 0
    const judging = this.#timings['timing_s/judge'] ?? 0
    return this.#show({
      type: 'timings',
      metrics: finiteOnly({
        ...this.#timings,
        'perf/tokens_per_s': sampledTokens / (generating + judging),
        'perf/env_steps_per_s': envSteps / generating,
      }),
    })
  }
}

function isEphemeral(body: LoggedBody | EphemeralBody): body is EphemeralBody {
  return body.type === 'progress' || body.type === 'step' || body.type === 'timings'
}

function settledValue<Value>(result: PromiseSettledResult<Value>): Value {
  if (result.status === 'rejected') throw result.reason
  return result.value
}

function withAdvantages(
  samples: readonly Omit<TrainingExample, 'advantage'>[],
  advantages: readonly (number | null)[],
): TrainingExample[] {
  return samples.flatMap((sample, index) => {
    const advantage = advantages[index] ?? null
    return advantage === null ? [] : [{ ...sample, advantage }]
  })
}

function scoredTrajectories({
  rollouts,
  judgements,
}: Group): { outcome: EpisodeFinished['outcome']; scores: Score[][] }[] {
  return rollouts.map(({ episode }, index) => ({
    outcome: episode.outcome,
    scores: judgements?.[index]?.votes.map((votes) => votes.map(({ score }) => score)) ?? episode.steps.map(() => []),
  }))
}

function sampledTokensOf({ rollouts, judgements }: Group): number {
  const responses = rollouts.reduce(
    (total, { samples }) => total + samples.reduce((sum, { response }) => sum + response.length, 0),
    0,
  )
  return responses + (judgements ?? []).reduce((total, { tokenCount }) => total + tokenCount, 0)
}

function policyEntropy(groups: readonly Group[]): number | null {
  const entropies = groups.flatMap((group) =>
    group.rollouts.flatMap(({ episode }) => episode.steps.flatMap((step) => step.entropies)),
  )
  return entropies.length > 0 ? entropies.reduce((sum, entropy) => sum + entropy, 0) / entropies.length : null
}

function rewardEntropy(groups: readonly Group[]): number | null {
  const judgements = groups.flatMap((group) => group.judgements ?? [])
  const tokens = judgements.reduce((total, { tokenCount }) => total + tokenCount, 0)
  return tokens > 0 ? judgements.reduce((total, { entropySum }) => total + entropySum, 0) / tokens : null
}

function updateOptions(settings: Settings): { policy: UpdateOptions; reward: UpdateOptions } {
  const { clipRatioLow, clipRatioHigh, klCoefficient, klEstimator, lossAggregation, maxGradNorm, weightDecay } =
    settings
  const shared = { clipRatioLow, clipRatioHigh, klCoefficient, klEstimator, lossAggregation, maxGradNorm, weightDecay }
  return {
    policy: {
      ...shared,
      learningRate: settings.policyLearningRate,
      temperature: settings.policyTemperature,
      updatesPerIteration: settings.policyUpdatesPerIteration,
    },
    reward: {
      ...shared,
      learningRate: settings.rewardLearningRate,
      temperature: settings.rewardTemperature,
      updatesPerIteration: settings.rewardUpdatesPerIteration,
    },
  }
}
