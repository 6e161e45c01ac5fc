/**
 * The state of the loop between iterations: a fold of its own log. Live events and the history of a resumed run go through the
 * same `apply`, so a resumed run cannot differ from one that never stopped.
 */
import type { JudgeEvaluated, LoggedEvent } from './events.ts'
import { settledHistory } from './history.ts'
import { nullAcceptance, poolPrior } from './null-acceptance.ts'
import type { Direction, Task } from './ports.ts'
import { deriveSeed } from './random.ts'
import { applyPatch, type Settings } from './settings.ts'

export interface PendingRewrite {
  proposalId: string
  candidate: Task
  direction: Direction
  /** Last measured accuracy of the task that it would replace. */
  accuracyBefore: number
  /** Rollouts that `accuracyBefore` is the mean of. */
  rolloutsBefore: number
  policyVersionBefore: number
}

/** A place in the pool: an original task and its current rewrite. */
export interface TaskSlot {
  original: Task
  active: Task
  /** Measured in the next iteration in which the environment adapts. */
  pending: PendingRewrite | null
  /**
   * Turns that this place has had: iterations that drew its active task. Measuring a candidate, or the task beside it, is no
   * turn. An accepted rewrite owes its turn of the current round: see chooseSlots.
   */
  visits: number
  /** The active task's last measured accuracy. */
  accuracy: number | null
}

export class LoopState {
  settings: Settings | null = null
  /** The last finished iteration; 0 before the first. */
  iteration = 0
  nextSeq = 0
  readonly slots: TaskSlot[] = []
  /** Counts updates of the policy, and models that took its place. */
  policyVersion = 0
  rewardVersion = 0
  rewritesResolved = 0
  rewritesAccepted = 0
  /** How many of the resolved rewrites would have been accepted if they had changed nothing: a sum of probabilities. */
  expectedNullAccepted = 0
  /** Since the run began. */
  envSteps = 0
  sampledTokens = 0
  /** Training episodes since the run began, those of candidates included. */
  rollouts = 0
  isEvaluatedAtStart = false
  /** The last measurement of the reward model on fixed trajectories; null before. */
  judgeEvaluation: JudgeEvaluated | null = null
  readonly #measured = new Map<string, { episodes: number; successes: number }>()
  /** Version of the policy that plays the rollouts of this iteration. */
  #playedVersion = 0

  static fromHistory(history: readonly LoggedEvent[]): LoopState {
    const state = new LoopState()
    for (const event of settledHistory(history)) state.apply(event)
    state.nextSeq = (history.at(-1)?.seq ?? -1) + 1
    return state
  }

  apply(event: LoggedEvent): void {
    this.nextSeq = event.seq + 1
    switch (event.type) {
      case 'run-started':
        this.settings = event.settings
        break
      case 'settings-changed':
        this.settings = applyPatch(this.knownSettings, event.patch)
        break
      case 'task-added':
        this.slots.push({ original: event.task, active: event.task, pending: null, visits: 0, accuracy: null })
        break
      case 'iteration-started': {
        this.#measured.clear()
        this.#playedVersion = this.policyVersion
        const drawn = new Set(event.taskIds)
        for (const slot of this.slots) if (drawn.has(slot.active.id)) slot.visits++
        break
      }
      case 'episode':
        if (event.split !== 'train') break
        this.rollouts++
        this.#count(event.taskId, event.outcome === 1)
        break
      case 'model-updated':
        if (event.role === 'policy') this.policyVersion = event.version
        else this.rewardVersion = event.version
        break
      case 'rewrite-proposed':
        this.#propose(event)
        break
      case 'rewrite-resolved':
        this.#resolve(event)
        break
      case 'evaluation':
        if (event.iteration === 0) this.isEvaluatedAtStart = true
        break
      case 'iteration-finished':
        for (const slot of this.slots) this.#measureSlot(slot)
        this.#measured.clear()
        this.iteration = event.iteration
        this.envSteps = event.metrics['training/env_steps'] ?? this.envSteps
        this.sampledTokens = event.metrics['training/num_tokens'] ?? this.sampledTokens
        this.rollouts = event.metrics['rollout/total'] ?? this.rollouts
        break
      case 'model-replaced':
        if (event.role === 'policy') this.policyVersion++
        if (event.role === 'reward') this.rewardVersion++
        break
      case 'judge-evaluation':
        this.judgeEvaluation = event
        break
      case 'judged':
      case 'tests-written':
      case 'advantages':
      case 'test-advantages':
      case 'theory':
      case 'run-finished':
        break
    }
  }

  get knownSettings(): Settings {
    if (this.settings === null)
      throw new Error('The history does not begin with run-started, so its settings are unknown.')
    return this.settings
  }

  /** acc of a task in this iteration; null if it was not rolled out. */
  accuracyOfTask(taskId: string): number | null {
    const count = this.#measured.get(taskId)
    return count ? count.successes / count.episodes : null
  }

  accuracyOfSlot(slot: TaskSlot): number | null {
    return this.accuracyOfTask(slot.active.id) ?? slot.accuracy
  }

  /**
   * The least visited slots, equal visits in an order drawn from the seed. This rotates through a shuffled pool without a
   * cursor, so it tolerates pending slots and a changed number of tasks.
   *
   * An accepted rewrite counts as visited as seldom as the least visited slot. It is a new task, chosen for suiting the policy of
   * now, so it stands among the tasks that still have a turn in this round, with the same chance as they; if it kept the turn
   * of the task that it replaced, it would wait a whole round, longer than many a run. It gains one turn, not all those that
   * the pool has had. A run from before this rule draws by it from where it resumes.
   */
  chooseSlots(iteration: number, count: number, adapts: boolean): TaskSlot[] {
    const { seed } = this.knownSettings
    return this.slots
      .map((slot) => ({ slot, order: deriveSeed(seed, 'order', iteration, slot.original.id) }))
      .filter(({ slot }) => !(adapts && slot.pending))
      .sort((a, b) => a.slot.visits - b.slot.visits || a.order - b.order)
      .slice(0, count)
      .map(({ slot }) => slot)
  }

  #count(taskId: string, isSuccess: boolean): void {
    const count = this.#measured.get(taskId) ?? { episodes: 0, successes: 0 }
    count.episodes++
    if (isSuccess) count.successes++
    this.#measured.set(taskId, count)
  }

  /** A candidate that stays pending, while the environment is frozen, is later compared with the task as it was played last. */
  #measureSlot(slot: TaskSlot): void {
    slot.accuracy = this.accuracyOfSlot(slot)
    const count = this.#measured.get(slot.active.id)
    if (!count || !slot.pending) return
    slot.pending.accuracyBefore = count.successes / count.episodes
    slot.pending.rolloutsBefore = count.episodes
    slot.pending.policyVersionBefore = this.#playedVersion
  }

  #propose(event: LoggedEvent & { type: 'rewrite-proposed' }): void {
    const slot = this.slots.find((candidate) => candidate.active.id === event.taskId)
    if (!slot || !event.candidate) return
    slot.pending = {
      proposalId: event.proposalId,
      candidate: event.candidate,
      direction: event.direction,
      accuracyBefore: event.accuracy,
      rolloutsBefore: this.knownSettings.groupSize,
      policyVersionBefore: event.policyVersion,
    }
  }

  #resolve(event: LoggedEvent & { type: 'rewrite-resolved' }): void {
    this.rewritesResolved++
    const slot = this.slots.find((candidate) => candidate.pending?.proposalId === event.proposalId)
    if (!slot?.pending) return
    this.expectedNullAccepted += this.#nullAcceptance(slot.pending)
    if (event.accepted) {
      this.rewritesAccepted++
      slot.active = slot.pending.candidate
      slot.accuracy = event.accuracyAfter
      slot.visits = Math.min(...this.slots.map(({ visits }) => visits))
    }
    slot.pending = null
  }

  #nullAcceptance({ direction, accuracyBefore, rolloutsBefore }: PendingRewrite): number {
    const { groupSize, remeasure } = this.knownSettings
    const accuracies = this.slots.map((slot) => this.accuracyOfSlot(slot)).filter((accuracy) => accuracy !== null)
    const measurement = {
      direction,
      accuracy: accuracyBefore,
      rollouts: rolloutsBefore,
      rolloutsAfter: groupSize,
      remeasures: remeasure,
    }
    return nullAcceptance(measurement, poolPrior(accuracies, groupSize), this.knownSettings)
  }
}
