/**
 * Translates a run of the release into our events. During a step the release writes only log lines; then a line of results, dumps of
 * all rollouts, and the state of the rewrites. So a step's events are reported together once its results are written. The step is
 * finished when both models have been trained and a due evaluation is done, or when the next step begins.
 *
 * A step of the release is an iteration.
 *
 * Advantages are computed as in the release (profile `reference`), with the step's λ. There is no `model-updated`, because the release
 * does not store gradient norm, losses or KL.
 */
import { decideRewrite } from '../../method/adaptation.ts'
import type { EphemeralEvent, LoggedBody, LoggedEvent, RunStarted } from '../../method/events.ts'
import type { ReleasedSystem } from '../protocol.ts'
import { groupEvents, type TextLimits } from './group-events.ts'
import type { ReleasedGroup } from './groups.ts'
import type { LogMark } from './job-log.ts'
import { type LiveChange, livePatch } from './live-changes.ts'
import { proposalIdOf, type ReleasedProposal } from './proposals.ts'
import { lineMetrics, type ResultsLine } from './results.ts'
import { TranslatorState } from './translator-state.ts'

export interface RunIdentity {
  system: ReleasedSystem
  started: Omit<RunStarted, 'type'>
  /** Split of the evaluations. */
  split: 'id' | 'ood'
  limits: TextLimits
}

/** A step, as read from the dumps. */
export interface StepSnapshot {
  taskIds: { rootId: string; taskId: string | null; isCandidate: boolean }[]
  /** Groups that are reported in full. */
  groups: ReleasedGroup[]
  /** Candidates that were measured in this step, reported in full or not. */
  resolved: ReleasedGroup[]
  metrics: Record<string, number>
}

export class RunTranslator {
  readonly #identity: RunIdentity
  readonly state: TranslatorState
  #events: LoggedEvent[] = []

  constructor(identity: RunIdentity) {
    this.#identity = identity
    this.state = new TranslatorState(identity.started.settings)
  }

  /** Takes the events since the last call. */
  drain(): LoggedEvent[] {
    const events = this.#events
    this.#events = []
    return events
  }

  begin(): void {
    if (!this.state.hasStarted) this.#report({ type: 'run-started', ...this.#identity.started }, 0)
  }

  /** Reports a training step once its results exist. `snapshot` is null if the dumps could not be read. */
  training(line: ResultsLine, snapshot: StepSnapshot | null, changes: readonly LiveChange[]): void {
    const { step } = line
    if (step <= this.state.iteration) return
    this.#finish()
    // A step without results was never reported, but iterations are numbered without gaps.
    for (let missing = this.state.iteration + 1; missing < step; missing++) {
      this.#report({ type: 'iteration-started', taskIds: [], pendingTaskIds: [] }, missing)
      this.#finish()
    }
    const patch = livePatch(this.#identity.system, this.state.settings, changes, step)
    if (Object.keys(patch).length > 0) this.#report({ type: 'settings-changed', patch }, step)
    const ids = (isCandidate: boolean) =>
      (snapshot?.taskIds ?? []).filter((task) => task.isCandidate === isCandidate).map((task) => this.#idOf(task))
    const pendingTaskIds = ids(true)
    this.#report({ type: 'iteration-started', taskIds: ids(false), pendingTaskIds }, step)
    for (const group of snapshot?.groups ?? []) this.#reportGroup(group, step)
    for (const group of snapshot?.resolved ?? []) this.#resolve(group, step)
    this.state.memory.metrics = {
      'training/global_step': step,
      ...(snapshot ? {} : { 'policy/acc': line.acc }),
      ...lineMetrics(line),
      ...snapshot?.metrics,
    }
    this.#finishIfDone()
  }

  #reportGroup(group: ReleasedGroup, step: number): void {
    const taskId = this.#idOf({ ...group, isCandidate: group.candidate !== null })
    if (!this.state.tasks.has(taskId) && !group.candidate) {
      const { rootId, instruction, kind } = group
      this.#report(
        { type: 'task-added', task: { id: taskId, rootId, instruction, kind, body: {} }, split: 'train' },
        step,
      )
    }
    for (const body of groupEvents(group, taskId, step, this.state.settings, this.#identity.limits))
      this.#report(body, step)
  }

  #resolve(group: ReleasedGroup, step: number): void {
    const { candidate } = group
    if (!candidate) return
    const candidateId = this.#idOf({ ...group, isCandidate: true })
    const proposalId = proposalIdOf(candidateId)
    let open = this.state.proposals.get(proposalId)
    if (!open) {
      // It was proposed while no gateway was running; the dump still names its task.
      const { rootId, instruction, kind } = group
      this.propose([
        {
          rootId,
          parentId: candidate.parentId,
          direction: candidate.direction,
          accuracy: candidate.accuracyBefore,
          createdStep: candidate.createdStep,
          criticSummary: '',
          text: '',
          candidate: { id: candidateId, rootId, instruction, kind, body: {} },
        },
      ])
      open = this.state.proposals.get(proposalId)
    }
    if (!open) return
    const won = group.episodes.filter(({ outcome }) => outcome === 1).length
    const accuracyAfter = group.episodes.length > 0 ? won / group.episodes.length : 0
    const { rule, accepted } = decideRewrite(candidate.direction, open.accuracy, accuracyAfter, this.state.settings)
    this.#report(
      {
        type: 'rewrite-resolved',
        proposalId,
        taskId: open.taskId,
        candidateId,
        direction: candidate.direction,
        accuracyBefore: open.accuracy,
        policyVersionBefore: open.policyVersion,
        accuracyAfter,
        policyVersionAfter: step - 1,
        accepted: candidate.isAccepted,
        // The cluster's decision counts, even if our rule differs.
        rule: accepted === candidate.isAccepted ? rule : `${rule}; the cluster decided otherwise`,
      },
      step,
    )
  }

  /** Reports each proposal once. */
  propose(proposals: readonly ReleasedProposal[]): void {
    for (const { candidate, parentId, rootId, direction, accuracy, createdStep, criticSummary, text } of proposals) {
      const proposalId = proposalIdOf(candidate.id)
      if (this.state.tasks.has(candidate.id) || this.state.iteration === 0) continue
      const { limits } = this.#identity
      this.#report(
        {
          type: 'rewrite-proposed',
          proposalId,
          taskId: parentId ?? this.state.activeTask(rootId),
          direction,
          accuracy,
          policyVersion: Math.max(0, createdStep - 1),
          criticSummary: criticSummary.slice(0, limits.characters),
          attempts:
            text === ''
              ? []
              : [{ text: text.slice(0, limits.characters), message: 'The first valid attempt.', ok: true }],
          candidate,
        },
        this.state.iteration,
      )
      const { metrics } = this.state.memory
      if (this.state.isOpen) metrics['env/proposed'] = (metrics['env/proposed'] ?? 0) + 1
    }
  }

  /** `episodes` is the number of episodes that the evaluation played; 0 if unknown. */
  evaluation(line: ResultsLine, episodes: number): void {
    const { step, acc, domains, tests } = line
    if (this.state.evaluated.has(step) || step > this.state.iteration) return
    const { evaluationTemperature, policyTemperature } = this.state.settings
    this.#report(
      {
        type: 'evaluation',
        split: this.#identity.split,
        // The first step evaluates the models that the run started with.
        policyVersion: step === 1 ? 0 : step,
        acc,
        ...(domains && { domains }),
        episodes,
        temperature: evaluationTemperature,
        serves: evaluationTemperature === policyTemperature ? 'both' : 'evaluation',
        ...(tests
          ? {
              tests: {
                ut: tests.ut,
                utTests: tests.utTests ?? 0,
                detect: tests.detect,
                detectTests: tests.detectTests ?? 0,
              },
            }
          : {}),
      },
      step,
    )
    this.#finishIfDone()
  }

  /** Takes in a line of the log, and returns what to show now. */
  mark(mark: LogMark): EphemeralEvent | null {
    const { memory, step: iteration } = this.state
    switch (mark.kind) {
      case 'step':
      case 'results':
        if (mark.step > memory.logStep) {
          memory.logStep = mark.step
          memory.trained = 0
        }
        if (mark.kind === 'step' && mark.step > this.state.iteration) this.#finish()
        return null
      case 'trained':
        memory.trained++
        this.#finishIfDone()
        return null
      case 'phase':
        return { type: 'progress', phase: mark.phase, done: mark.done, total: mark.total, iteration }
      case 'loss': {
        const role = memory.trained === 0 ? 'policy' : 'reward'
        if (this.state.isOpen) memory.metrics[`${role}/loss`] = mark.loss
        const phase = role === 'policy' ? 'update-policy' : 'update-reward'
        return { type: 'progress', phase, done: mark.done, total: mark.total, iteration }
      }
    }
  }

  /** Ends the run, after its job has ended. */
  end(reason: 'completed' | 'stopped'): void {
    if (this.state.isOver) return
    this.#finish()
    this.#report({ type: 'run-finished', reason }, this.state.iteration)
  }

  #finishIfDone(): void {
    if (this.state.isIterationDone) this.#finish()
  }

  #finish(): void {
    if (!this.state.isOpen) return
    const metrics = { ...this.state.memory.metrics }
    if (metrics['env/accepted'] !== undefined) {
      metrics['env/proposed'] ??= 0
      // Without a measured rewrite there is no share.
      if (this.state.resolved > 0) metrics['env/accept_rate'] = this.state.accepted / this.state.resolved
    }
    this.#report({ type: 'iteration-finished', metrics }, this.state.iteration)
    this.state.memory.metrics = {}
  }

  #idOf({ rootId, taskId, isCandidate }: { rootId: string; taskId: string | null; isCandidate: boolean }): string {
    if (taskId !== null) return taskId
    return isCandidate ? `${rootId}@?` : this.state.activeTask(rootId)
  }

  #report(body: LoggedBody, iteration: number): void {
    const event: LoggedEvent = { ...body, seq: this.state.nextSeq, iteration }
    this.state.apply(event)
    this.#events.push(event)
  }
}
