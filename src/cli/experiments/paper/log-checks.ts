/**
 * What a log shows about stability beyond its metrics, event by event:
 *
 *     good-in-failed, bad-in-solved    share of single votes that equal the step's label, over good steps of failed rollouts and over
 *                                      bad steps of solved ones: a judge that approves more gains in one what it loses in the other
 *     against-outcome                  the mean of these two
 *     conflict, correlation            of outcomes and votes (gradient-conflict.ts), over the tasks that train the policy
 *     label-conflict                   conflict on the same steps if every vote were the true label
 *     oscillation                      of training accuracy (oscillation.ts), over the last `WINDOW` iterations
 *     valid                            share of attempts at rewriting that gave a valid task
 *     distinct-instructions            different ones in the pool at the end, as a share of the pool; equal ones are about different rooms
 *
 * Votes and attempts count in the last fifth of the iterations. Only training episodes count. Values that cannot be measured are left
 * out.
 */
import { groupBy } from '../../../method/advantages.ts'
import type { EpisodeFinished, EpisodeJudged, LoggedEvent, RewriteResolved } from '../../../method/events.ts'
import type { Outcome } from '../../../method/ports.ts'
import { GradientConflict, type ConflictStep } from './gradient-conflict.ts'
import { oscillation } from './oscillation.ts'

interface Count {
  right: number
  of: number
}

interface Counts {
  goodInFailed: Count
  badInSolved: Count
  attempts: Count
}

interface JudgedStep extends ConflictStep {
  label: Outcome | null
}

const LATE_SHARE = 0.2
/** Iterations of the short runs, so that the bend of a longer run's curve does not count as oscillation. */
const WINDOW = 40

class Iteration {
  readonly counts: Counts = { goodInFailed: none(), badInSolved: none(), attempts: none() }
  readonly episodes = new Map<string, EpisodeFinished>()
  readonly steps: JudgedStep[] = []
  /** Tasks of which something trains the policy: neither filtered out by their accuracy, nor rejected candidates. */
  readonly training = new Set<string>()
  readonly resolved: RewriteResolved[] = []
  readonly #drawn: ReadonlySet<string>

  constructor(drawn: readonly string[] = []) {
    this.#drawn = new Set(drawn)
  }

  judge({ episodeId, votes }: EpisodeJudged): void {
    const episode = this.episodes.get(episodeId)
    if (episode === undefined) return
    const { outcome, taskId } = episode
    votes.forEach((ofStep, index) => {
      const label = episode.steps[index]?.trueLabel ?? null
      const scores = ofStep.map(({ score }) => score).filter((score) => score !== 0)
      if (scores.length > 0) {
        const score = scores.reduce<number>((sum, each) => sum + each, 0) / scores.length
        this.steps.push({ task: taskId, index, outcome, score, label })
      }
      if (label === null || label === outcome) return
      const count = this.counts[label === 1 ? 'goodInFailed' : 'badInSolved']
      count.of += ofStep.length
      count.right += ofStep.filter(({ score }) => score === label).length
    })
  }

  /** Accuracy of each task whose turn it was. */
  accuracies(): number[] {
    const drawn = [...this.episodes.values()].filter(({ taskId }) => this.#drawn.has(taskId))
    return groupBy(drawn.map(({ taskId, outcome }) => ({ key: taskId, outcome }))).map(
      (rollouts) => rollouts.filter(({ outcome }) => outcome === 1).length / rollouts.length,
    )
  }
}

export class LogChecks {
  readonly #conflict = new GradientConflict()
  readonly #labelConflict = new GradientConflict()
  #iteration = new Iteration()
  readonly #counts: Counts[] = []
  readonly #accuracies: number[][] = []
  /** Instructions by slot, whose name is the task that it started with. */
  readonly #pool = new Map<string, string>()
  /** The slot of each task, and the instruction of each candidate. */
  readonly #slots = new Map<string, string>()
  readonly #instructions = new Map<string, string>()

  take(event: LoggedEvent): void {
    switch (event.type) {
      case 'iteration-started':
        // An interrupted attempt at this iteration does not count.
        this.#iteration = new Iteration(event.taskIds)
        break
      case 'episode':
        if (event.split === 'train') this.#iteration.episodes.set(event.episodeId, event)
        break
      case 'judged':
        this.#iteration.judge(event)
        break
      case 'advantages': {
        const episode = this.#iteration.episodes.get(event.episodeId)
        if (episode && event.policy.some((advantage) => advantage !== null))
          this.#iteration.training.add(episode.taskId)
        break
      }
      case 'task-added':
        this.#pool.set(event.task.id, event.task.instruction)
        this.#slots.set(event.task.id, event.task.id)
        break
      case 'rewrite-proposed': {
        const { attempts } = this.#iteration.counts
        attempts.of += event.attempts.length
        attempts.right += event.attempts.filter(({ ok }) => ok).length
        if (event.candidate !== null) this.#instructions.set(event.candidate.id, event.candidate.instruction)
        break
      }
      case 'rewrite-resolved':
        this.#iteration.resolved.push(event)
        break
      case 'iteration-finished':
        this.#finish(this.#iteration)
        break
    }
  }

  #finish(iteration: Iteration): void {
    const steps = iteration.steps.filter(({ task }) => iteration.training.has(task))
    this.#conflict.add(steps)
    this.#labelConflict.add(steps.flatMap(({ label, ...step }) => (label === null ? [] : { ...step, score: label })))
    this.#counts.push(iteration.counts)
    this.#accuracies.push(iteration.accuracies())
    for (const { taskId, candidateId, accepted } of iteration.resolved) {
      if (accepted) this.#replace(taskId, candidateId)
    }
  }

  #replace(taskId: string, candidateId: string): void {
    const slot = this.#slots.get(taskId)
    const instruction = this.#instructions.get(candidateId)
    if (slot === undefined || instruction === undefined) return
    this.#slots.set(candidateId, slot)
    this.#pool.set(slot, instruction)
  }

  values(): Record<string, number> {
    const late = this.#counts.slice(-Math.ceil(LATE_SHARE * this.#counts.length))
    const share = (name: keyof Counts) => shareOf(late.map((counts) => counts[name]))
    const [good, bad] = [share('goodInFailed'), share('badInSolved')]
    const found: Record<string, number | null> = {
      'good-in-failed': good,
      'bad-in-solved': bad,
      'against-outcome': good === null || bad === null ? null : (good + bad) / 2,
      conflict: this.#conflict.conflict,
      'label-conflict': this.#labelConflict.conflict,
      correlation: this.#conflict.correlation,
      oscillation: oscillation(this.#accuracies.slice(-WINDOW)),
      valid: share('attempts'),
      'distinct-instructions': this.#pool.size > 0 ? new Set(this.#pool.values()).size / this.#pool.size : null,
    }
    return Object.fromEntries(Object.entries(found).filter((entry): entry is [string, number] => entry[1] !== null))
  }
}

function none(): Count {
  return { right: 0, of: 0 }
}

function shareOf(counts: readonly Count[]): number | null {
  const of = counts.reduce((sum, count) => sum + count.of, 0)
  return of > 0 ? counts.reduce((sum, { right }) => sum + right, 0) / of : null
}
