/**
 * What a log shows about stability beyond its metrics, event by event:
 *
 *     contradicting   share of single votes that equal the step's label, over steps whose label contradicts the outcome of their
 *                     trajectory, in the last fifth of the iterations; `agreeing` for the other steps
 *     conflict, correlation            gradient-conflict.ts, over all iterations
 *     oscillation     standard deviation of policy/acc around its straight line, over iterations
 *     valid           share of attempts at rewriting that gave a valid task
 *     distinct        different instructions in the pool at the end, as a share of the pool
 *
 * Only training episodes count. Values that cannot be measured are left out.
 */
import type { EpisodeFinished, EpisodeJudged, LoggedEvent } from '../../../method/events.ts'
import { GradientConflict, type ConflictStep } from './gradient-conflict.ts'

interface VoteCount {
  right: number
  of: number
}
interface IterationVotes {
  contradicting: VoteCount
  agreeing: VoteCount
}

const LATE_SHARE = 0.2

export class LogChecks {
  readonly #conflict = new GradientConflict()
  #episodes = new Map<string, EpisodeFinished>()
  #steps: ConflictStep[] = []
  #votes: IterationVotes = noVotes()
  readonly #votesOf: IterationVotes[] = []
  readonly #accuracies: number[] = []
  #attempts: VoteCount = { right: 0, of: 0 }
  /** Instructions by slot, whose name is the task that it started with. */
  readonly #pool = new Map<string, string>()
  /** The slot of each task, and the instruction of each candidate. */
  readonly #slots = new Map<string, string>()
  readonly #instructions = new Map<string, string>()

  take(event: LoggedEvent): void {
    switch (event.type) {
      case 'iteration-started':
        // An interrupted attempt at this iteration does not count.
        this.#episodes = new Map()
        this.#steps = []
        this.#votes = noVotes()
        break
      case 'episode':
        if (event.split === 'train') this.#episodes.set(event.episodeId, event)
        break
      case 'judged':
        this.#judge(event)
        break
      case 'task-added':
        this.#pool.set(event.task.id, event.task.instruction)
        this.#slots.set(event.task.id, event.task.id)
        break
      case 'rewrite-proposed':
        this.#attempts.of += event.attempts.length
        this.#attempts.right += event.attempts.filter(({ ok }) => ok).length
        if (event.candidate !== null) this.#instructions.set(event.candidate.id, event.candidate.instruction)
        break
      case 'rewrite-resolved':
        if (event.accepted) this.#replace(event.taskId, event.candidateId)
        break
      case 'iteration-finished':
        this.#conflict.add(this.#steps)
        this.#votesOf.push(this.#votes)
        if (event.metrics['policy/acc'] !== undefined) this.#accuracies.push(event.metrics['policy/acc'])
        break
    }
  }

  #judge({ episodeId, votes }: EpisodeJudged): void {
    const episode = this.#episodes.get(episodeId)
    if (episode === undefined) return
    votes.forEach((ofStep, index) => {
      const scores = ofStep.map(({ score }) => score).filter((score) => score !== 0)
      const label = episode.steps[index]?.trueLabel ?? null
      if (scores.length > 0) {
        const score = scores.reduce<number>((sum, each) => sum + each, 0) / scores.length
        this.#steps.push({ task: episode.taskId, index, outcome: episode.outcome, score })
      }
      if (label === null) return
      const count = this.#votes[label === episode.outcome ? 'agreeing' : 'contradicting']
      count.of += ofStep.length
      count.right += ofStep.filter(({ score }) => score === label).length
    })
  }

  #replace(taskId: string, candidateId: string): void {
    const slot = this.#slots.get(taskId)
    const instruction = this.#instructions.get(candidateId)
    if (slot === undefined || instruction === undefined) return
    this.#slots.set(candidateId, slot)
    this.#pool.set(slot, instruction)
  }

  values(): Record<string, number> {
    const lateVotes = this.#votesOf.slice(-Math.ceil(LATE_SHARE * this.#votesOf.length))
    const { right, of } = this.#attempts
    const found: Record<string, number | null> = {
      contradicting: share(lateVotes.map(({ contradicting }) => contradicting)),
      agreeing: share(lateVotes.map(({ agreeing }) => agreeing)),
      conflict: this.#conflict.conflict,
      correlation: this.#conflict.correlation,
      oscillation: deviationFromLine(this.#accuracies),
      valid: of > 0 ? right / of : null,
      distinct: this.#pool.size > 0 ? new Set(this.#pool.values()).size / this.#pool.size : null,
    }
    return Object.fromEntries(Object.entries(found).filter((entry): entry is [string, number] => entry[1] !== null))
  }
}

function noVotes(): IterationVotes {
  return { contradicting: { right: 0, of: 0 }, agreeing: { right: 0, of: 0 } }
}

function share(counts: readonly VoteCount[]): number | null {
  const of = counts.reduce((sum, count) => sum + count.of, 0)
  return of > 0 ? counts.reduce((sum, { right }) => sum + right, 0) / of : null
}

/** Spread of values at x = 0, 1, … around their least-squares line, with its two degrees of freedom; null for fewer than three. */
export function deviationFromLine(values: readonly number[]): number | null {
  const n = values.length
  if (n < 3) return null
  const middle = (n - 1) / 2
  const mean = values.reduce((sum, value) => sum + value, 0) / n
  const spread = values.reduce((sum, _, x) => sum + (x - middle) ** 2, 0)
  const slope = values.reduce((sum, value, x) => sum + (x - middle) * (value - mean), 0) / spread
  const squares = values.reduce((sum, value, x) => sum + (value - mean - slope * (x - middle)) ** 2, 0)
  return Math.sqrt(squares / (n - 2))
}
