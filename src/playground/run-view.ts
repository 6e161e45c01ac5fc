/**
 * A run as the page sees it: the log folded, event by event. Objects change in place; whoever shows them keeps a
 * revision that rises when events have been applied.
 */
import type {
  EpisodeFinished, Evaluation, EvaluationFinished, LoggedEvent, ModelUpdated, Phase, RewriteProposed, RewriteResolved, RunStarted, TheoryEstimated,
} from '../method/events.ts'
import type { Split, Task } from '../method/ports.ts'
import type { Settings } from '../method/settings.ts'

export interface EpisodeView {
  episode: EpisodeFinished
  iteration: number
  /** votes[step][evaluation]; null until judged. */
  votes: Evaluation[][] | null
  /** R of every step; null until assigned. */
  feedback: number[] | null
  policyAdvantages: (number | null)[] | null
  /** [step][evaluation] */
  rewardAdvantages: (number | null)[][] | null
}

export interface IterationView {
  iteration: number
  taskIds: string[]
  pendingTaskIds: string[]
  episodes: EpisodeView[]
  policyUpdate: ModelUpdated | null
  rewardUpdate: ModelUpdated | null
  evaluations: EvaluationFinished[]
  proposed: RewriteProposed[]
  resolved: RewriteResolved[]
  theory: TheoryEstimated | null
  metrics: Record<string, number>
  isFinished: boolean
}

export interface TaskView {
  task: Task
  /** Accuracy of its rollouts in each iteration that played it. */
  history: { iteration: number; won: number; played: number }[]
  /** The rewrite that this task came from; null for an original task. */
  origin: RewriteView | null
  /** Rewrites that were tried on it, oldest first. */
  rewrites: RewriteView[]
  /** Active tasks are drawn from; a candidate waits for its first rollouts; a replaced task rests. */
  status: 'active' | 'candidate' | 'rejected' | 'replaced'
}

export interface RewriteView {
  proposal: RewriteProposed
  iteration: number
  resolution: RewriteResolved | null
}

export class RunView {
  started: RunStarted | null = null
  settings: Settings | null = null
  readonly iterations: IterationView[] = []
  readonly episodes = new Map<string, EpisodeView>()
  readonly tasks = new Map<string, TaskView>()
  readonly rewrites = new Map<string, RewriteView>()
  readonly settingsChanges: { iteration: number; keys: string[] }[] = []
  phase: Phase | null = null
  isFinished = false
  eventCount = 0

  get current(): IterationView | null {
    return this.iterations.at(-1) ?? null
  }

  /** The view of an iteration by its number, which starts at 1. */
  iteration(number: number): IterationView | null {
    const first = this.iterations[0]
    return first ? (this.iterations[number - first.iteration] ?? null) : null
  }

  apply(event: LoggedEvent): void {
    this.eventCount++
    switch (event.type) {
      case 'run-started':
        this.started = event
        this.settings = { ...event.settings }
        return
      case 'settings-changed':
        if (this.settings) this.settings = { ...this.settings, ...event.patch }
        this.settingsChanges.push({ iteration: event.iteration, keys: Object.keys(event.patch) })
        return
      case 'task-added':
        this.tasks.set(event.task.id, { task: event.task, history: [], origin: null, rewrites: [], status: 'active' })
        return
      case 'iteration-started':
        this.phase = 'rollout'
        this.iterations.push({
          iteration: event.iteration, taskIds: event.taskIds, pendingTaskIds: event.pendingTaskIds, episodes: [], policyUpdate: null,
          rewardUpdate: null, evaluations: [], proposed: [], resolved: [], theory: null, metrics: {}, isFinished: false,
        })
        return
      case 'episode':
        return this.#addEpisode(event, event.split, event.iteration)
      case 'judged': {
        this.phase = 'judge'
        const episode = this.episodes.get(event.episodeId)
        if (episode) episode.votes = event.votes
        return
      }
      case 'advantages': {
        const episode = this.episodes.get(event.episodeId)
        if (!episode) return
        episode.feedback = event.feedback
        episode.policyAdvantages = event.policy
        episode.rewardAdvantages = event.reward
        return
      }
      case 'model-updated': {
        this.phase = event.role === 'policy' ? 'update-policy' : 'update-reward'
        const iteration = this.current
        if (!iteration) return
        if (event.role === 'policy') iteration.policyUpdate = event
        else iteration.rewardUpdate = event
        return
      }
      case 'rewrite-proposed': {
        this.phase = 'adapt'
        const rewrite: RewriteView = { proposal: event, iteration: event.iteration, resolution: null }
        this.rewrites.set(event.proposalId, rewrite)
        this.current?.proposed.push(event)
        this.tasks.get(event.taskId)?.rewrites.push(rewrite)
        if (event.candidate) {
          this.tasks.set(event.candidate.id, { task: event.candidate, history: [], origin: rewrite, rewrites: [], status: 'candidate' })
        }
        return
      }
      case 'rewrite-resolved': {
        this.phase = 'adapt'
        const rewrite = this.rewrites.get(event.proposalId)
        if (rewrite) rewrite.resolution = event
        this.current?.resolved.push(event)
        const candidate = this.tasks.get(event.candidateId)
        if (candidate) candidate.status = event.accepted ? 'active' : 'rejected'
        const original = this.tasks.get(event.taskId)
        if (original && event.accepted) original.status = 'replaced'
        return
      }
      case 'theory':
        if (this.current) this.current.theory = event
        return
      case 'evaluation':
        this.phase = 'evaluate'
        this.current?.evaluations.push(event)
        return
      case 'iteration-finished':
        if (this.current) {
          this.current.metrics = event.metrics
          this.current.isFinished = true
        }
        return
      case 'run-finished':
        this.phase = null
        this.isFinished = true
    }
  }

  #addEpisode(episode: EpisodeFinished, split: Split, iteration: number): void {
    this.phase = split === 'train' ? 'rollout' : 'evaluate'
    if (split !== 'train') return
    const view: EpisodeView = { episode, iteration, votes: null, feedback: null, policyAdvantages: null, rewardAdvantages: null }
    this.episodes.set(episode.episodeId, view)
    this.current?.episodes.push(view)
    const task = this.tasks.get(episode.taskId)
    if (!task) return
    let last = task.history.at(-1)
    if (!last || last.iteration !== iteration) task.history.push((last = { iteration, won: 0, played: 0 }))
    last.played++
    if (episode.outcome === 1) last.won++
  }
}
