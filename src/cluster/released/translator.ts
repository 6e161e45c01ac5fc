/**
 * Translates a run of the release into our events. During a step the release writes only log lines; then a line of results, dumps of
 * all rollouts, and the state of the rewrites. So a step's events are reported together once its results are written. The step is
 * finished when both models have been trained and a due evaluation is done, or when the next step begins.
 *
 * The translator's state follows from the events it has reported (`apply`) and from `memory`, which is small and stored beside them,
 * so it can be stopped anywhere and continue from its log. A step of the release is an iteration.
 *
 * Advantages are computed as in the release (profile `reference`), with the step's λ. There is no `model-updated`, because the release
 * does not store gradient norm, losses or KL.
 */
import { decideRewrite } from '../../method/adaptation.ts'
import { DOMAIN_ACCURACY } from '../../method/domain-accuracy.ts'
import type { EphemeralEvent, LoggedBody, LoggedEvent, RunStarted } from '../../method/events.ts'
import type { Settings } from '../../method/settings.ts'
import { LIVE_PARAMETERS, type LiveParameters, type ReleasedSystem } from '../protocol.ts'
import { groupEvents, type TextLimits } from './group-events.ts'
import type { ReleasedGroup } from './groups.ts'
import type { LogMark } from './job-log.ts'
import { isPatched } from './mapping.ts'
import type { ReleasedProposal } from './proposals.ts'
import type { ResultsLine } from './results.ts'

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

/** State that does not follow from the events. */
export interface TranslatorMemory {
  /** The log's current step; 0 before the first. */
  logStep: number
  /** Number of models trained in it. */
  trained: number
  /** Metrics of the open iteration. */
  metrics: Record<string, number>
}

/** Values of λ and α, and the first step that has them. */
export interface LiveChange {
  fromStep: number
  live: LiveParameters
}

/** The values in a step. */
export function liveAt(changes: readonly LiveChange[], step: number): LiveParameters | null {
  let best: LiveChange | null = null
  for (const change of changes) if (change.fromStep <= step) best = change
  return best?.live ?? null
}

interface OpenProposal {
  proposalId: string
  taskId: string
  accuracy: number
  policyVersion: number
  rootId: string
  createdStep: number
}

const MODELS_TRAINED = 2

export class RunTranslator {
  readonly #identity: RunIdentity
  memory: TranslatorMemory = { logStep: 0, trained: 0, metrics: {} }
  #settings: Settings
  #events: LoggedEvent[] = []
  #nextSeq = 0
  #hasStarted = false
  #isOver = false
  #iteration = 0
  #isOpen = false
  #evaluated = new Set<number>()
  readonly #tasks = new Set<string>()
  /** Active task of each rewritten root. */
  readonly #active = new Map<string, string>()
  readonly #proposals = new Map<string, OpenProposal>()
  #resolved = 0
  #accepted = 0

  constructor(identity: RunIdentity) {
    this.#identity = identity
    this.#settings = identity.started.settings
  }

  get settings(): Settings {
    return this.#settings
  }
  get isOver(): boolean {
    return this.#isOver
  }
  get nextSeq(): number {
    return this.#nextSeq
  }
  /** The last step whose results have been reported. */
  get iteration(): number {
    return this.#iteration
  }
  /** The latest step seen in the log or the results; 0 before the first. */
  get step(): number {
    return Math.max(this.memory.logStep, this.#iteration)
  }

  /** The open proposal of a root, if any. */
  openProposal(rootId: string): { createdStep: number; accuracy: number } | null {
    for (const proposal of this.#proposals.values()) if (proposal.rootId === rootId) return proposal
    return null
  }

  /** Takes the events since the last call. */
  drain(): LoggedEvent[] {
    const events = this.#events
    this.#events = []
    return events
  }

  begin(): void {
    if (!this.#hasStarted) this.#report({ type: 'run-started', ...this.#identity.started }, 0)
  }

  /** Reports a training step once its results exist. `snapshot` is null if the dumps could not be read. */
  training(line: ResultsLine, snapshot: StepSnapshot | null, changes: readonly LiveChange[]): void {
    const { step } = line
    if (step <= this.#iteration) return
    this.#finish()
    // A step without results was never reported, but iterations are numbered without gaps.
    for (let missing = this.#iteration + 1; missing < step; missing++) {
      this.#report({ type: 'iteration-started', taskIds: [], pendingTaskIds: [] }, missing)
      this.#finish()
    }
    this.#changeLive(changes, step)
    const ids = (isCandidate: boolean) =>
      (snapshot?.taskIds ?? []).filter((task) => task.isCandidate === isCandidate).map((task) => this.#idOf(task))
    const pendingTaskIds = ids(true)
    this.#report({ type: 'iteration-started', taskIds: ids(false), pendingTaskIds }, step)
    for (const group of snapshot?.groups ?? []) this.#reportGroup(group, step)
    for (const group of snapshot?.resolved ?? []) this.#resolve(group, step)
    this.memory.metrics = {
      'training/global_step': step,
      ...(snapshot ? {} : { 'policy/acc': line.acc }),
      ...lineMetrics(line),
      ...snapshot?.metrics,
    }
    this.#finishIfDone()
  }

  /** Reports λ and α of this step, if they have changed. */
  #changeLive(changes: readonly LiveChange[], step: number): void {
    const live = liveAt(changes, step)
    if (live === null) return
    const patch: Partial<LiveParameters> = {}
    for (const name of LIVE_PARAMETERS) {
      if (isPatched(this.#identity.system, name) && live[name] !== this.#settings[name]) patch[name] = live[name]
    }
    if (Object.keys(patch).length > 0) this.#report({ type: 'settings-changed', patch }, step)
  }

  #reportGroup(group: ReleasedGroup, step: number): void {
    const taskId = this.#idOf({ ...group, isCandidate: group.candidate !== null })
    if (!this.#tasks.has(taskId) && !group.candidate) {
      const { rootId, instruction, kind } = group
      this.#report(
        { type: 'task-added', task: { id: taskId, rootId, instruction, kind, body: {} }, split: 'train' },
        step,
      )
    }
    for (const body of groupEvents(group, taskId, step, this.#settings, this.#identity.limits)) this.#report(body, step)
  }

  #resolve(group: ReleasedGroup, step: number): void {
    const { candidate } = group
    if (!candidate) return
    const candidateId = this.#idOf({ ...group, isCandidate: true })
    const proposalId = proposalIdOf(candidateId)
    let open = this.#proposals.get(proposalId)
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
      open = this.#proposals.get(proposalId)
    }
    if (!open) return
    const won = group.episodes.filter(({ outcome }) => outcome === 1).length
    const accuracyAfter = group.episodes.length > 0 ? won / group.episodes.length : 0
    const { rule, accepted } = decideRewrite(candidate.direction, open.accuracy, accuracyAfter, this.#settings)
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
      if (this.#tasks.has(candidate.id) || this.#iteration === 0) continue
      const { limits } = this.#identity
      this.#report(
        {
          type: 'rewrite-proposed',
          proposalId,
          taskId: parentId ?? this.#active.get(rootId) ?? rootId,
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
        this.#iteration,
      )
      if (this.#isOpen) this.memory.metrics['env/proposed'] = (this.memory.metrics['env/proposed'] ?? 0) + 1
    }
  }

  /** `episodes` is the number of episodes that the evaluation played; 0 if unknown. */
  evaluation(line: ResultsLine, episodes: number): void {
    const { step, acc, domains, tests } = line
    if (this.#evaluated.has(step) || step > this.#iteration) return
    const { evaluationTemperature, policyTemperature } = this.#settings
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
    switch (mark.kind) {
      case 'step':
      case 'results':
        if (mark.step > this.memory.logStep) {
          this.memory.logStep = mark.step
          this.memory.trained = 0
        }
        if (mark.kind === 'step' && mark.step > this.#iteration) this.#finish()
        return null
      case 'trained':
        this.memory.trained++
        this.#finishIfDone()
        return null
      case 'phase':
        return { type: 'progress', phase: mark.phase, done: mark.done, total: mark.total, iteration: this.step }
      case 'loss': {
        const role = this.memory.trained === 0 ? 'policy' : 'reward'
        if (this.#isOpen) this.memory.metrics[`${role}/loss`] = mark.loss
        const phase = role === 'policy' ? 'update-policy' : 'update-reward'
        return { type: 'progress', phase, done: mark.done, total: mark.total, iteration: this.step }
      }
    }
  }

  /** Ends the run, after its job has ended. */
  end(reason: 'completed' | 'stopped'): void {
    if (this.#isOver) return
    this.#finish()
    this.#report({ type: 'run-finished', reason }, this.#iteration)
  }

  #finishIfDone(): void {
    const isTrained = this.memory.logStep > this.#iteration || this.memory.trained >= MODELS_TRAINED
    const every = this.#settings.evaluateEvery
    const isDue = every > 0 && this.#iteration % every === 0
    if (this.#isOpen && isTrained && (!isDue || this.#evaluated.has(this.#iteration))) this.#finish()
  }

  #finish(): void {
    if (!this.#isOpen) return
    const metrics = { ...this.memory.metrics }
    if (metrics['env/accepted'] !== undefined) {
      metrics['env/proposed'] ??= 0
      // Without a measured rewrite there is no share.
      if (this.#resolved > 0) metrics['env/accept_rate'] = this.#accepted / this.#resolved
    }
    this.#report({ type: 'iteration-finished', metrics }, this.#iteration)
    this.memory.metrics = {}
  }

  #idOf({ rootId, taskId, isCandidate }: { rootId: string; taskId: string | null; isCandidate: boolean }): string {
    if (taskId !== null) return taskId
    return isCandidate ? `${rootId}@?` : (this.#active.get(rootId) ?? rootId)
  }

  #report(body: LoggedBody, iteration: number): void {
    const event: LoggedEvent = { ...body, seq: this.#nextSeq, iteration }
    this.apply(event)
    this.#events.push(event)
  }

  /** Updates the state by an event; also called for the stored events after a restart. */
  apply(event: LoggedEvent): void {
    this.#nextSeq = event.seq + 1
    switch (event.type) {
      case 'run-started':
        this.#hasStarted = true
        this.#settings = event.settings
        break
      case 'settings-changed':
        this.#settings = { ...this.#settings, ...event.patch }
        break
      case 'task-added':
        this.#tasks.add(event.task.id)
        break
      case 'iteration-started':
        this.#iteration = event.iteration
        this.#isOpen = true
        break
      case 'rewrite-proposed':
        if (event.candidate) {
          this.#tasks.add(event.candidate.id)
          this.#proposals.set(event.proposalId, {
            proposalId: event.proposalId,
            taskId: event.taskId,
            accuracy: event.accuracy,
            policyVersion: event.policyVersion,
            rootId: event.candidate.rootId,
            createdStep: event.policyVersion + 1,
          })
        }
        break
      case 'rewrite-resolved': {
        const open = this.#proposals.get(event.proposalId)
        this.#proposals.delete(event.proposalId)
        this.#resolved++
        if (!event.accepted) break
        this.#accepted++
        if (open) this.#active.set(open.rootId, event.candidateId)
        break
      }
      case 'evaluation':
        this.#evaluated.add(event.iteration)
        break
      case 'iteration-finished':
        this.#isOpen = false
        break
      case 'run-finished':
        this.#isOver = true
        break
      default:
        break
    }
  }
}

function proposalIdOf(candidateId: string): string {
  return `rewrite:${candidateId}`
}

function lineMetrics(line: ResultsLine): Record<string, number> {
  const metrics: Record<string, number> = {}
  for (const [domain, acc] of Object.entries(line.domains ?? {})) metrics[DOMAIN_ACCURACY + domain] = acc
  if (line.responseLength !== undefined && Number.isFinite(line.responseLength)) {
    metrics['rollout/response_length/mean'] = line.responseLength
  }
  if (line.tests) {
    metrics['reward/ut'] = line.tests.ut
    metrics['reward/detect'] = line.tests.detect
    if (line.tests.utTests !== null) metrics['reward/ut_tests'] = line.tests.utTests
    if (line.tests.detectTests !== null) metrics['reward/detect_tests'] = line.tests.detectTests
  }
  return metrics
}
