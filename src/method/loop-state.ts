/**
 * The state of the loop between iterations: a fold of its own log. Live events and the history of a resumed run go through the
 * same `apply`, so a resumed run cannot differ from one that never stopped.
 */
import type { JudgeEvaluated, LoggedEvent } from './events.ts'
import { settledHistory } from './history.ts'
import type { Direction, Task } from './ports.ts'
import { deriveSeed } from './random.ts'
import { applyPatch, type Settings } from './settings.ts'

export interface PendingRewrite {
  proposalId: string
  candidate: Task
  direction: Direction
  accuracyBefore: number
  policyVersionBefore: number
}

/** A place in the pool: an original task and its current rewrite. */
export interface TaskSlot {
  original: Task
  active: Task
  /** Measured in the next iteration in which the environment adapts. */
  pending: PendingRewrite | null
  /** Iterations that rolled out this slot's active task or candidate. */
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
  policyVersion = 0
  rewardVersion = 0
  rewritesResolved = 0
  rewritesAccepted = 0
  /** Since the run began. */
  envSteps = 0
  sampledTokens = 0
  isEvaluatedAtStart = false
  /** The last measurement of the reward model on fixed trajectories. */
  judgeEvaluation: JudgeEvaluated | null = null
  readonly #measured = new Map<string, { episodes: number; successes: number }>()

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
        const visited = new Set([...event.taskIds, ...event.pendingTaskIds])
        for (const slot of this.slots) {
          if (visited.has(slot.active.id) || (slot.pending && visited.has(slot.pending.candidate.id))) slot.visits++
        }
        break
      }
      case 'episode':
        if (event.split === 'train') this.#count(event.taskId, event.outcome === 1)
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
        for (const slot of this.slots) slot.accuracy = this.accuracyOfSlot(slot)
        this.#measured.clear()
        this.iteration = event.iteration
        this.envSteps = event.metrics['training/env_steps'] ?? this.envSteps
        this.sampledTokens = event.metrics['training/num_tokens'] ?? this.sampledTokens
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

  #propose(event: LoggedEvent & { type: 'rewrite-proposed' }): void {
    const slot = this.slots.find((candidate) => candidate.active.id === event.taskId)
    if (!slot || !event.candidate) return
    slot.pending = {
      proposalId: event.proposalId,
      candidate: event.candidate,
      direction: event.direction,
      accuracyBefore: event.accuracy,
      policyVersionBefore: event.policyVersion,
    }
  }

  #resolve(event: LoggedEvent & { type: 'rewrite-resolved' }): void {
    this.rewritesResolved++
    const slot = this.slots.find((candidate) => candidate.pending?.proposalId === event.proposalId)
    if (!slot?.pending) return
    if (event.accepted) {
      this.rewritesAccepted++
      slot.active = slot.pending.candidate
      slot.accuracy = event.accuracyAfter
    }
    slot.pending = null
  }
}
