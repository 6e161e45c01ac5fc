/**
 * A run as people look at it: the log folded into tasks with their lineage, episodes with what was learned about them
 * later, iterations, and series of metrics. The log is append-only and written once; everything that joins belongs here.
 *
 *     foldRun(events)                 a view of a whole log, or of its beginning, for scrubbing
 *     view.apply(event)               one more event, in amortised constant time, for a live run
 *     view.at(iteration)              the same run as it was at the end of an iteration, without folding anything again
 *     view.release(iteration)         lets go of an iteration's texts; view.restore(events) puts them back
 *
 * A view changes in place. When an iteration that was cut starts again (history.ts), what it left is taken out.
 */
import type {
  AdvantagesAssigned,
  EpisodeFinished,
  EpisodeJudged,
  Evaluation,
  EvaluationFinished,
  IterationStarted,
  LoggedEvent,
  ModelUpdated,
  Phase,
  RewriteProposed,
  RewriteResolved,
  RunFinished,
  RunStarted,
  TestAdvantagesAssigned,
  TestsWritten,
  TheoryEstimated,
} from '../method/events.ts'
import { metricPoints } from '../method/metric-points.ts'
import type { Task } from '../method/ports.ts'
import type { LivePatch, Settings } from '../method/settings.ts'

export interface EpisodeView {
  episode: EpisodeFinished
  iteration: number
  /**
   * votes[step][evaluation]; null until judged, in held-out episodes, which nobody judges, and where the reward model
   * writes tests: those score all programs of a task at once, and are under `RunView.testsFor`.
   */
  votes: Evaluation[][] | null
  /** R of every step; null until assigned. */
  feedback: number[] | null
  policyAdvantages: (number | null)[] | null
  /** rewardAdvantages[step][evaluation] */
  rewardAdvantages: (number | null)[][] | null
}

/** The tests that the reward model wrote for a task, on the programs of the task's group. */
export interface TestsView {
  written: TestsWritten
  iteration: number
  /** One entry for each test; null until assigned, where nothing tells what they are worth, and of held-out tasks. */
  feedback: number[] | null
  /** Likewise; an entry is null where the test does not train. */
  advantages: (number | null)[] | null
}

export interface TaskView {
  task: Task
  /** Successes and episodes of each iteration that rolled it out, in order. */
  history: { iteration: number; won: number; played: number; policyVersion: number }[]
  /** The rewrite that this task came from; null for an original task. */
  origin: RewriteView | null
  /** Rewrites tried on it, oldest first, refused and rejected ones included. */
  rewrites: RewriteView[]
  /** Active tasks are drawn from, a candidate waits for its measurement, a replaced task rests. */
  status: 'active' | 'candidate' | 'rejected' | 'replaced'
}

export interface RewriteView {
  proposal: RewriteProposed
  iteration: number
  /** Null while pending, and forever where the author found no valid candidate. */
  resolution: RewriteResolved | null
}

export interface IterationView {
  iteration: number
  taskIds: string[]
  pendingTaskIds: string[]
  /** Training episodes in the order in which they ended. */
  episodes: EpisodeView[]
  /** Of the training tasks, in the order in which they were written; none where the reward model judges steps. */
  writtenTests: TestsView[]
  policyUpdate: ModelUpdated | null
  rewardUpdate: ModelUpdated | null
  evaluations: EvaluationFinished[]
  proposed: RewriteProposed[]
  resolved: RewriteResolved[]
  theory: TheoryEstimated | null
  metrics: Record<string, number>
  isFinished: boolean
  /** Responses, votes and tests were let go of: the steps of its episodes are empty, and what they scored is null. */
  isReleased: boolean
}

/** One metric over the run; `iterations[i]` goes with `values[i]`. */
export interface Series {
  iterations: number[]
  values: number[]
}

const EMPTY_SERIES: Series = { iterations: [], values: [] }

export class RunView {
  started: RunStarted | null = null
  /** As they are now, with all changes. */
  settings: Settings | null = null
  readonly settingsChanges: { iteration: number; patch: LivePatch }[] = []
  /** From iteration 1 on, in order. */
  readonly iterations: IterationView[] = []
  /** Training and held-out episodes by id. */
  episodes = new Map<string, EpisodeView>()
  readonly tasks = new Map<string, TaskView>()
  readonly rewrites = new Map<string, RewriteView>()
  /** Of the whole run, the one before the first iteration included. */
  readonly evaluations: (EvaluationFinished & { iteration: number })[] = []
  policyVersion = 0
  rewardVersion = 0
  /** What the last event was part of; null before the first and after the last. */
  phase: Phase | null = null
  finished: RunFinished['reason'] | null = null
  eventCount = 0
  #series = new Map<string, Series>()
  /** By iteration and task. */
  #tests = new Map<string, TestsView>()
  /** #ends[i]: `eventCount` after the last event of iteration i. */
  #ends: number[] = []

  get isFinished(): boolean {
    return this.finished !== null
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
    return [...this.#series.keys()]
  }

  /**
   * Values of a metric, or of `eval/<split>/acc`, `eval/<split>/ut` and `eval/<split>/detect` with split `id` or `ood`, or
   * of `theory/pPlus`, `theory/pMinus`, `theory/mu`. Not to be changed.
   */
  series(name: string): Readonly<Series> {
    return this.#series.get(name) ?? EMPTY_SERIES
  }

  /** The tests written for a task in an iteration, 0 for the evaluation before the first; held-out tasks have theirs too. */
  testsFor(iteration: number, taskId: string): TestsView | null {
    return this.#tests.get(testsKey(iteration, taskId)) ?? null
  }

  /** A task's forebears from the original to the task itself. */
  lineage(taskId: string): TaskView[] {
    const chain: TaskView[] = []
    let view = this.tasks.get(taskId)
    while (view) {
      chain.push(view)
      view = view.origin ? this.tasks.get(view.origin.proposal.taskId) : undefined
    }
    return chain.reverse()
  }

  /**
   * The run at the end of an iteration, 0 before the first. Takes time for the tasks and iterations, not for the events.
   * What no longer changes is shared: episodes, iterations, and `episodes` itself, which has the later ones as well. The
   * result is to be looked at, unless `goesOn`: then the events that follow may be applied to it.
   */
  at(iteration: number, goesOn = false): RunView {
    const view = new RunView()
    const isPast = ({ iteration: own }: { iteration: number }) => own <= iteration
    const last = this.iterations.at(-1)?.iteration ?? 0
    view.started = this.started
    view.settingsChanges.push(...this.settingsChanges.filter(isPast))
    view.settings =
      this.started &&
      view.settingsChanges.reduce((settings, { patch }) => ({ ...settings, ...patch }), this.started.settings)
    view.iterations.push(...this.iterations.filter(isPast))
    view.evaluations.push(...this.evaluations.filter(isPast))
    view.episodes = goesOn ? new Map(this.episodes) : this.episodes
    view.#tests = goesOn ? new Map(this.#tests) : this.#tests
    for (const [name, { iterations, values }] of this.#series) {
      const count = iterations.findLastIndex((own) => own <= iteration) + 1
      if (count > 0) view.#series.set(name, { iterations: iterations.slice(0, count), values: values.slice(0, count) })
    }
    for (const [id, rewrite] of this.rewrites)
      if (isPast(rewrite)) view.rewrites.set(id, { ...rewrite, resolution: null })
    for (const [id, task] of this.tasks) {
      if (task.origin && !isPast(task.origin)) continue
      view.tasks.set(id, {
        task: task.task,
        history: task.history.filter(isPast),
        origin: task.origin && view.rewrites.get(task.origin.proposal.proposalId)!,
        rewrites: task.rewrites.filter(isPast).map(({ proposal }) => view.rewrites.get(proposal.proposalId)!),
        status: task.origin ? 'candidate' : 'active',
      })
    }
    for (const { resolved, policyUpdate, rewardUpdate } of view.iterations) {
      for (const event of resolved) view.#resolve(event, event)
      view.policyVersion = policyUpdate?.version ?? view.policyVersion
      view.rewardVersion = rewardUpdate?.version ?? view.rewardVersion
    }
    if (iteration >= last) view.finished = this.finished
    view.eventCount = this.#ends[Math.min(iteration, this.#ends.length - 1)] ?? 0
    return view
  }

  /**
   * Lets go of what was said in an iteration, so that a run of any length fits the memory: outcomes, advantages and metrics
   * stay. Its held-out episodes are forgotten. An iteration under way is left as it is.
   */
  release(iteration: number): void {
    const released = this.iteration(iteration)
    if (!released || !released.isFinished || released.isReleased) return
    released.isReleased = true
    for (const view of released.episodes) {
      view.episode = { ...view.episode, opening: '', steps: [] }
      view.votes = view.rewardAdvantages = null
    }
    for (const view of released.writtenTests) {
      view.written = { ...view.written, tests: [], results: [] }
      view.feedback = view.advantages = null
    }
  }

  /** Forgets held-out episodes and the tests written for them: their accuracy is an event of its own. */
  releaseEvaluations(): void {
    for (const [id, { episode }] of this.episodes) if (episode.split !== 'train') this.episodes.delete(id)
    for (const [key, { written }] of this.#tests) if (written.split !== 'train') this.#tests.delete(key)
  }

  /** Puts back what `release` let go of; `events` are those of the iteration, as they were applied. */
  restore(iteration: number, events: readonly LoggedEvent[]): void {
    const released = this.iteration(iteration)
    if (!released?.isReleased) return
    for (const event of events) {
      if (event.type === 'episode') {
        const view = this.episodes.get(event.episodeId)
        if (view) view.episode = event
      } else if (event.type === 'tests-written') {
        const view = this.testsFor(iteration, event.taskId)
        if (view) view.written = event
      } else if (event.type === 'judged' || event.type === 'advantages') this.#learn(event)
      else if (event.type === 'test-advantages') this.#assignTests(event, iteration)
    }
    released.isReleased = false
  }

  apply(event: LoggedEvent): void {
    const { iteration } = event
    this.#ends[iteration] = ++this.eventCount
    switch (event.type) {
      case 'run-started':
        this.started = event
        this.settings = event.settings
        break
      case 'settings-changed':
        if (this.settings) this.settings = { ...this.settings, ...event.patch }
        this.settingsChanges.push({ iteration, patch: event.patch })
        break
      case 'task-added':
        this.tasks.set(event.task.id, { task: event.task, history: [], origin: null, rewrites: [], status: 'active' })
        break
      case 'iteration-started':
        this.#start(event, iteration)
        break
      case 'episode':
        this.#addEpisode(event, iteration)
        break
      case 'judged':
        this.phase = 'judge'
        this.#learn(event)
        break
      case 'advantages':
        this.#learn(event)
        break
      case 'tests-written':
        this.#addTests(event, iteration)
        break
      case 'test-advantages':
        this.#assignTests(event, iteration)
        break
      case 'model-updated':
        this.phase = event.role === 'policy' ? 'update-policy' : 'update-reward'
        if (event.role === 'policy') this.policyVersion = event.version
        else this.rewardVersion = event.version
        if (this.current) this.current[event.role === 'policy' ? 'policyUpdate' : 'rewardUpdate'] = event
        break
      case 'rewrite-proposed':
        this.#propose(event, iteration)
        break
      case 'rewrite-resolved':
        this.phase = 'adapt'
        this.current?.resolved.push(event)
        this.#resolve(event, event)
        break
      case 'theory':
        if (this.current) this.current.theory = event
        break
      case 'evaluation':
        this.phase = 'evaluate'
        this.evaluations.push(event)
        if (iteration > 0) this.current?.evaluations.push(event)
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
    for (const [name, value] of metricPoints(event)) this.#addPoint(name, iteration, value)
  }

  #start(event: IterationStarted, iteration: number): void {
    if (this.current && !this.current.isFinished) this.#discard(this.current)
    this.phase = 'rollout'
    this.finished = null
    this.iterations.push({
      iteration,
      taskIds: event.taskIds,
      pendingTaskIds: event.pendingTaskIds,
      episodes: [],
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
    })
  }

  #addEpisode(episode: EpisodeFinished, iteration: number): void {
    const view: EpisodeView = {
      episode,
      iteration,
      votes: null,
      feedback: null,
      policyAdvantages: null,
      rewardAdvantages: null,
    }
    this.episodes.set(episode.episodeId, view)
    this.phase = episode.split === 'train' ? 'rollout' : 'evaluate'
    if (episode.split !== 'train') return
    this.current?.episodes.push(view)
    const history = this.tasks.get(episode.taskId)?.history
    if (!history) return
    let entry = history.at(-1)
    if (entry?.iteration !== iteration) {
      entry = { iteration, won: 0, played: 0, policyVersion: episode.policyVersion }
      history.push(entry)
    }
    entry.played++
    if (episode.outcome === 1) entry.won++
  }

  #learn(event: EpisodeJudged | AdvantagesAssigned): void {
    const view = this.episodes.get(event.episodeId)
    if (!view) return
    if (event.type === 'judged') {
      view.votes = event.votes
      return
    }
    view.feedback = event.feedback
    view.policyAdvantages = event.policy
    view.rewardAdvantages = event.reward
  }

  #addTests(written: TestsWritten, iteration: number): void {
    const view: TestsView = { written, iteration, feedback: null, advantages: null }
    this.#tests.set(testsKey(iteration, written.taskId), view)
    this.phase = written.split === 'train' ? 'judge' : 'evaluate'
    if (written.split === 'train') this.current?.writtenTests.push(view)
  }

  #assignTests({ taskId, feedback, reward }: TestAdvantagesAssigned, iteration: number): void {
    const view = this.testsFor(iteration, taskId)
    if (!view) return
    view.feedback = feedback
    view.advantages = reward
  }

  #propose(proposal: RewriteProposed, iteration: number): void {
    this.phase = 'adapt'
    const rewrite: RewriteView = { proposal, iteration, resolution: null }
    this.rewrites.set(proposal.proposalId, rewrite)
    this.tasks.get(proposal.taskId)?.rewrites.push(rewrite)
    this.current?.proposed.push(proposal)
    if (!proposal.candidate) return
    this.tasks.set(proposal.candidate.id, {
      task: proposal.candidate,
      history: [],
      origin: rewrite,
      rewrites: [],
      status: 'candidate',
    })
  }

  /** Settles a rewrite, or, with null, unsettles it. */
  #resolve(event: RewriteResolved, resolution: RewriteResolved | null): void {
    const rewrite = this.rewrites.get(event.proposalId)
    if (rewrite) rewrite.resolution = resolution
    const candidate = this.tasks.get(event.candidateId)
    if (candidate) candidate.status = resolution === null ? 'candidate' : resolution.accepted ? 'active' : 'rejected'
    const task = this.tasks.get(event.taskId)
    if (task) task.status = resolution?.accepted ? 'replaced' : 'active'
  }

  #addPoint(name: string, iteration: number, value: number): void {
    let series = this.#series.get(name)
    if (!series) this.#series.set(name, (series = { iterations: [], values: [] }))
    series.iterations.push(iteration)
    series.values.push(value)
  }

  /** Takes out what an iteration left that was cut and is about to start again. */
  #discard(cut: IterationView): void {
    this.iterations.pop()
    for (const [id, { iteration }] of this.episodes) if (iteration === cut.iteration) this.episodes.delete(id)
    for (const [key, { iteration }] of this.#tests) if (iteration === cut.iteration) this.#tests.delete(key)
    for (const event of cut.resolved) this.#resolve(event, null)
    for (const proposal of cut.proposed) {
      this.rewrites.delete(proposal.proposalId)
      if (proposal.candidate) this.tasks.delete(proposal.candidate.id)
      const rewrites = this.tasks.get(proposal.taskId)?.rewrites
      if (rewrites?.at(-1)?.proposal === proposal) rewrites.pop()
    }
    for (const taskId of [...cut.taskIds, ...cut.pendingTaskIds]) {
      const history = this.tasks.get(taskId)?.history
      if (history?.at(-1)?.iteration === cut.iteration) history.pop()
    }
    while (this.evaluations.at(-1)?.iteration === cut.iteration) this.evaluations.pop()
    for (const series of this.#series.values()) {
      if (series.iterations.at(-1) !== cut.iteration) continue
      series.iterations.pop()
      series.values.pop()
    }
    if (cut.policyUpdate) this.policyVersion = cut.policyUpdate.version - 1
    if (cut.rewardUpdate) this.rewardVersion = cut.rewardUpdate.version - 1
  }
}

function testsKey(iteration: number, taskId: string): string {
  return `${iteration}/${taskId}`
}

export function foldRun(events: Iterable<LoggedEvent>): RunView {
  const view = new RunView()
  for (const event of events) view.apply(event)
  return view
}
