/**
 * Which held-out tasks a run solves at its evaluation temperature, before training and at each later evaluation. The tasks are
 * always the same, so the gain is measured task by task.
 */
import type { EpisodeFinished, EvaluationFinished, LoggedEvent } from '../method/events.ts'
import { servesOf } from '../method/metric-points.ts'

interface Outcomes {
  iteration: number
  split: EvaluationFinished['split']
  /** By task, of its first rollout. */
  wins: ReadonlyMap<string, boolean>
}

/** Tasks that only the later evaluation solved, that only the first solved, and all of them. */
export interface HeldOutChange {
  /** When the later evaluation took place. */
  iteration: number
  better: number
  worse: number
  tasks: number
}

export class HeldOutOutcomes {
  #measured: Outcomes[] = []
  /** Held-out episodes since the last evaluation, without their steps. */
  #played: Pick<EpisodeFinished, 'taskId' | 'rollout' | 'outcome'>[] = []

  take(event: LoggedEvent): void {
    if (event.type === 'iteration-started') this.#played = []
    if (event.type === 'episode') this.#play(event)
    if (event.type === 'evaluation') this.#measure(event)
  }

  #play({ split, taskId, rollout, outcome }: EpisodeFinished): void {
    if (split !== 'train') this.#played.push({ taskId, rollout, outcome })
  }

  #measure(event: EvaluationFinished & { iteration: number }): void {
    const played = this.#played
    this.#played = []
    // A published log has left some episodes out.
    const isWhole = played.length === event.episodes
    if (servesOf(event) === 'training' || !isWhole) return
    const first = played.filter(({ rollout }) => rollout === 0)
    const wins = new Map(first.map(({ taskId, outcome }) => [taskId, outcome === 1]))
    this.#measured.push({ iteration: event.iteration, split: event.split, wins })
  }

  /** Those up to an iteration. */
  until(iteration: number): HeldOutOutcomes {
    const earlier = new HeldOutOutcomes()
    earlier.#measured = this.#measured.filter((each) => each.iteration <= iteration)
    return earlier
  }

  /** Forgets an iteration that starts again. */
  discard(iteration: number): void {
    this.#measured = this.#measured.filter((each) => each.iteration !== iteration)
  }

  /** The last evaluation against the first, in all splits that both have. Null without two. */
  get change(): HeldOutChange | null {
    const [first, last] = [this.#measured.at(0), this.#measured.at(-1)]
    if (!first || !last || first.iteration === last.iteration) return null
    const { iteration } = last
    const change = { iteration, better: 0, worse: 0, tasks: 0 }
    for (const { split, wins } of this.#measured.filter((each) => each.iteration === first.iteration)) {
      const later = this.#measured.find((each) => each.iteration === iteration && each.split === split)
      for (const [task, before] of wins) {
        const after = later?.wins.get(task)
        if (after === undefined) continue
        change.tasks++
        if (after && !before) change.better++
        if (before && !after) change.worse++
      }
    }
    return change
  }
}
