/**
 * A run as the page shows it: the log folded into tasks with their lineage, episodes with their later scores and advantages,
 * iterations, and series of metrics.
 *
 *     foldRun(events)                 a view of a whole log, or of its beginning
 *     view.apply(event)               one more event, in amortised constant time, for a live run
 *     view.at(iteration)              the same run at the end of an iteration, without folding again
 *     view.release(iteration)         frees an iteration's episodes; view.restore(events) puts them back
 *
 * A view changes in place. When an interrupted iteration starts again (history.ts), its first attempt is removed.
 */
import type {
  EpisodeFinished,
  EvaluationFinished,
  IterationStarted,
  LoggedEvent,
  Phase,
  RewriteProposed,
  RunFinished,
  RunStarted,
  TestsWritten,
} from '../method/events.ts'
import { metricPoints } from '../method/metric-points.ts'
import type { Role } from '../method/ports.ts'
import type { LivePatch, Settings } from '../method/settings.ts'
import type { LearningRole } from '../roles/learning.ts'
import { EpisodeViews } from './episode-views.ts'
import { groupSummaries } from './group-summaries.ts'
import { HeldOutOutcomes, type HeldOutChange } from './held-out-outcomes.ts'
import { MetricSeries, type Series } from './metric-series.ts'
import { TaskLineage } from './task-lineage.ts'
import type { EpisodeView, IterationView, RewriteView, TaskView, TestsView } from './views.ts'

export type { Series } from './metric-series.ts'
export type { EpisodeView, IterationView, RewriteView, TaskView, TestsView } from './views.ts'

export class RunView {
  started: RunStarted | null = null
  /** The current settings, with all changes. */
  settings: Settings | null = null
  readonly settingsChanges: { iteration: number; patch: LivePatch }[] = []
  readonly replacements: { iteration: number; role: Role; model: string }[] = []
  /** From iteration 1 on, in order. */
  readonly iterations: IterationView[] = []
  /** All evaluations, including the one before the first iteration. */
  readonly evaluations: (EvaluationFinished & { iteration: number })[] = []
  /** The phase of the last event; null before the first and after the last. */
  phase: Phase | null = null
  finished: RunFinished['reason'] | null = null
  eventCount = 0
  #lineage = new TaskLineage()
  #series = new MetricSeries()
  #heldOut = new HeldOutOutcomes()
  #episodes = new EpisodeViews()
  /** #ends[i]: `eventCount` after the last event of iteration i. */
  #ends: number[] = []

  /** Names of the current models, with all replacements; null before the run has started. */
  get models(): RunStarted['models'] | null {
    if (this.started === null) return null
    const replaced = this.replacements.map(({ role, model }) => [role, model])
    return { ...this.started.models, ...(Object.fromEntries(replaced) as Partial<RunStarted['models']>) }
  }

  /** Counts updates of the policy, and models that took its place. */
  get policyVersion(): number {
    return this.#version('policy')
  }

  get rewardVersion(): number {
    return this.#version('reward')
  }

  get isFinished(): boolean {
    return this.finished !== null
  }

  /** Training and held-out episodes by id, without those that were released. */
  get episodes(): ReadonlyMap<string, EpisodeView> {
    return this.#episodes.byId
  }

  get tasks(): ReadonlyMap<string, TaskView> {
    return this.#lineage.tasks
  }

  /** By proposal. */
  get rewrites(): ReadonlyMap<string, RewriteView> {
    return this.#lineage.rewrites
  }

  get current(): IterationView | null {
    return this.iterations.at(-1) ?? null
  }

  /** The view of an iteration by its number, which starts at 1. */
  iteration(number: number): IterationView | null {
    return this.iterations[number - 1] ?? null
  }

  /** Names of the metrics that have values. */
  get seriesNames(): string[] {
    return this.#series.names
  }

  /** Values of a metric (metric-points.ts). Do not modify. */
  series(name: string): Readonly<Series> {
    return this.#series.get(name)
  }

  /** What the last evaluation solves of the held-out tasks, against the first. Null before the second evaluation. */
  get heldOutChange(): HeldOutChange | null {
    return this.#heldOut.change
  }

  /** The tests written for a task in an iteration, 0 for the evaluation before the first. Held-out tasks have tests too. */
  testsFor(iteration: number, taskId: string): TestsView | null {
    return this.#episodes.testsFor(iteration, taskId)
  }

  /** Ancestors of a task, from the original to the task itself. */
  lineage(taskId: string): TaskView[] {
    return this.#lineage.ancestry(taskId)
  }

  /**
   * The run at the end of an iteration, 0 before the first, in time linear in tasks and iterations but not in events. Shares
   * what no longer changes: episodes, iterations, and `episodes` itself, which also holds later ones. The result is read-only
   * unless `canContinue`, which allows later events to be applied to it.
   */
  at(iteration: number, canContinue = false): RunView {
    const view = new RunView()
    const isPast = ({ iteration: own }: { iteration: number }) => own <= iteration
    const last = this.iterations.at(-1)?.iteration ?? 0
    view.started = this.started
    view.settingsChanges.push(...this.settingsChanges.filter(isPast))
    view.replacements.push(...this.replacements.filter(isPast))
    view.settings =
      this.started &&
      view.settingsChanges.reduce((settings, { patch }) => ({ ...settings, ...patch }), this.started.settings)
    view.iterations.push(...this.iterations.filter(isPast))
    view.evaluations.push(...this.evaluations.filter(isPast))
    view.#episodes = canContinue ? this.#episodes.copy() : this.#episodes
    view.#series = this.#series.until(iteration)
    view.#heldOut = this.#heldOut.until(iteration)
    view.#lineage = this.#lineage.at(
      iteration,
      view.iterations.flatMap(({ resolved }) => resolved),
    )
    if (iteration >= last) view.finished = this.finished
    view.eventCount = this.#ends[Math.min(iteration, this.#ends.length - 1)] ?? 0
    return view
  }

  /**
   * Frees the episodes and tests of an iteration, so that a run of any length fits into memory; outcomes by task and metrics
   * stay. No-op for an iteration that has not finished.
   */
  release(iteration: number): void {
    const released = this.iteration(iteration)
    if (!released || !released.isFinished || released.isReleased) return
    released.isReleased = true
    released.tallies = [...groupSummaries(released.episodes.map(({ episode }) => episode)).values()]
    this.#episodes.release(released)
    released.episodes = []
    released.writtenTests = []
  }

  /** Discards held-out episodes and the tests written for them; their accuracy is in `evaluations`. */
  releaseEvaluations(): void {
    this.#episodes.releaseEvaluations()
  }

  /**
   * Puts back what `release` freed; `events` are those of the iteration, as they were applied. Without all of them, the
   * iteration stays released and is marked as gone.
   */
  restore(iteration: number, events: readonly LoggedEvent[]): void {
    const released = this.iteration(iteration)
    if (!released?.isReleased) return
    released.isGone = !events.some(({ type }) => type === 'iteration-finished')
    if (released.isGone) return
    released.isReleased = false
    released.tallies = []
    // What precedes the last start belongs to an interrupted attempt.
    const start = events.findLastIndex(({ type }) => type === 'iteration-started')
    for (const event of events.slice(start + 1)) {
      if (event.type === 'episode' && event.split === 'train')
        released.episodes.push(this.#episodes.add(event, iteration))
      else if (event.type === 'tests-written' && event.split === 'train')
        released.writtenTests.push(this.#episodes.addTests(event, iteration))
      else if (event.type === 'judged') this.#episodes.judge(event)
      else if (event.type === 'advantages') this.#episodes.assign(event)
      else if (event.type === 'test-advantages') this.#episodes.assignTests(event, iteration)
    }
  }

  apply(event: LoggedEvent): void {
    const { iteration } = event
    this.#ends[iteration] = ++this.eventCount
    this.#heldOut.take(event)
    switch (event.type) {
      case 'run-started':
        this.started = event
        this.settings = event.settings
        break
      case 'settings-changed':
        if (this.settings) this.settings = { ...this.settings, ...event.patch }
        this.settingsChanges.push({ iteration, patch: event.patch })
        break
      case 'model-replaced':
        this.replacements.push({ iteration, role: event.role, model: event.model })
        break
      case 'task-added':
        this.#lineage.add(event.task)
        break
      case 'iteration-started':
        this.#start(event, iteration)
        break
      case 'episode':
        this.#addEpisode(event, iteration)
        break
      case 'group-summary':
        this.current?.leftOut.push(event)
        this.#lineage.count(event, iteration)
        break
      case 'judged':
        this.phase = 'judge'
        this.#episodes.judge(event)
        break
      case 'advantages':
        this.#episodes.assign(event)
        break
      case 'tests-written':
        this.#addTests(event, iteration)
        break
      case 'test-advantages':
        this.#episodes.assignTests(event, iteration)
        break
      case 'model-updated':
        this.phase = event.role === 'policy' ? 'update-policy' : 'update-reward'
        if (this.current) this.current[`${event.role}Update`] = event
        break
      case 'rewrite-proposed':
        this.#propose(event, iteration)
        break
      case 'rewrite-resolved':
        this.phase = 'adapt'
        this.current?.resolved.push(event)
        this.#lineage.resolve(event)
        break
      case 'theory':
        if (this.current) this.current.theory = event
        break
      case 'evaluation':
        this.phase = 'evaluate'
        this.evaluations.push(event)
        if (iteration > 0) this.current?.evaluations.push(event)
        break
      case 'judge-evaluation':
        this.phase = 'evaluate'
        break
      case 'iteration-finished':
        if (this.current) {
          this.current.metrics = event.metrics
          this.current.isFinished = true
        }
        break
      case 'run-finished':
        this.phase = null
        this.finished = event.reason
        break
    }
    for (const [name, value] of metricPoints(event)) this.#series.add(name, iteration, value)
  }

  #start(event: IterationStarted, iteration: number): void {
    if (this.current && !this.current.isFinished) this.#discard(this.current)
    this.phase = 'rollout'
    this.finished = null
    this.iterations.push({
      iteration,
      taskIds: event.taskIds,
      pendingTaskIds: event.pendingTaskIds,
      remeasuredTaskIds: event.remeasuredTaskIds ?? [],
      episodes: [],
      leftOut: [],
      writtenTests: [],
      policyUpdate: null,
      rewardUpdate: null,
      evaluations: [],
      proposed: [],
      resolved: [],
      theory: null,
      metrics: {},
      isFinished: false,
      isReleased: false,
      isGone: false,
      tallies: [],
    })
  }

  #addEpisode(episode: EpisodeFinished, iteration: number): void {
    const view = this.#episodes.add(episode, iteration)
    this.phase = episode.split === 'train' ? 'rollout' : 'evaluate'
    if (episode.split !== 'train') return
    this.current?.episodes.push(view)
    this.#lineage.count({ ...episode, played: 1, won: episode.outcome === 1 ? 1 : 0 }, iteration)
  }

  #addTests(written: TestsWritten, iteration: number): void {
    const view = this.#episodes.addTests(written, iteration)
    this.phase = written.split === 'train' ? 'judge' : 'evaluate'
    if (written.split === 'train') this.current?.writtenTests.push(view)
  }

  #propose(proposal: RewriteProposed, iteration: number): void {
    this.phase = 'adapt'
    this.current?.proposed.push(proposal)
    this.#lineage.propose(proposal, iteration)
  }

  /** Removes an interrupted iteration that is about to start again. */
  #discard(cut: IterationView): void {
    this.iterations.pop()
    this.#episodes.discard(cut.iteration)
    this.#lineage.discard(cut)
    while (this.evaluations.at(-1)?.iteration === cut.iteration) this.evaluations.pop()
    this.#series.discard(cut.iteration)
    this.#heldOut.discard(cut.iteration)
  }

  #version(role: LearningRole): number {
    const updated = this.iterations.findLast((each) => each[`${role}Update`] !== null)
    // Another model takes its place before the updates of its iteration, which count it.
    const since = this.replacements.filter((each) => each.role === role && each.iteration > (updated?.iteration ?? 0))
    return (updated?.[`${role}Update`]?.version ?? 0) + since.length
  }
}

export function foldRun(events: Iterable<LoggedEvent>): RunView {
  const view = new RunView()
  for (const event of events) view.apply(event)
  return view
}
