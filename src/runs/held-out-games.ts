/**
 * The held-out episodes of a run's first and latest evaluation, from its log: the same tasks, played by the policy before training
 * and as it is now. Both play at the evaluation temperature (0: greedy) and with the same random numbers.
 */
import type { EpisodeFinished, LoggedEvent } from '../method/events.ts'
import { withoutTokens } from './without-tokens.ts'

export interface HeldOutGames {
  /** 0 before training. */
  iteration: number
  /** Iterations without anything to learn do not raise it. */
  policyVersion: number
  /** Null in older logs, which do not say it. */
  temperature: number | null
  /** One for each task, of both splits. */
  episodes: EpisodeFinished[]
}

/** Reads a log event by event, and keeps two evaluations of it. */
export class HeldOutReader {
  #played: EpisodeFinished[] = []
  #first: HeldOutGames | null = null
  #latest: HeldOutGames | null = null

  take(event: LoggedEvent): void {
    if (event.type === 'run-started') this.#first = this.#latest = null
    if (event.type === 'iteration-started') this.#played = []
    if (event.type === 'episode' && event.split !== 'train' && event.rollout === 0) this.#played.push(event)
    if (event.type !== 'evaluation') return
    const episodes = this.#played
      .filter(({ split }) => split === event.split)
      .map((episode) => ({ ...episode, steps: withoutTokens(episode.steps) }))
    this.#played = []
    if (event.serves === 'training' || episodes.length === 0) return
    const { iteration, policyVersion, temperature = null } = event
    const isSame =
      this.#latest?.iteration === iteration && !this.#latest.episodes.some(({ split }) => split === event.split)
    if (isSame) this.#latest!.episodes.push(...episodes)
    else this.#latest = { iteration, policyVersion, temperature, episodes }
    if (this.#first === null || this.#first.iteration === iteration) this.#first = this.#latest
  }

  /** The first and the latest; fewer if the run has not evaluated twice. */
  games(): HeldOutGames[] {
    return [...new Set([this.#first, this.#latest])].filter((games) => games !== null)
  }
}

export type Change = 'better' | 'worse' | 'both' | 'neither'
export const CHANGES: readonly Change[] = ['better', 'worse', 'both', 'neither']

export interface HeldOutPair {
  before: EpisodeFinished
  after: EpisodeFinished
  /** Which of them solved the task; `better` if only the one after did. */
  change: Change
}

/** The tasks that both evaluations played, in their order. */
export function heldOutPairs(before: HeldOutGames, after: HeldOutGames): HeldOutPair[] {
  const key = ({ split, taskId }: EpisodeFinished) => `${split} ${taskId}`
  const later = new Map(after.episodes.map((episode) => [key(episode), episode]))
  return before.episodes.flatMap((episode): HeldOutPair[] => {
    const other = later.get(key(episode))
    return other === undefined ? [] : [{ before: episode, after: other, change: changeOf(episode, other) }]
  })
}

function changeOf(before: EpisodeFinished, after: EpisodeFinished): Change {
  if (before.outcome === after.outcome) return after.outcome === 1 ? 'both' : 'neither'
  return after.outcome === 1 ? 'better' : 'worse'
}

/** What happened to more tasks: whether they got better or worse. Null if none changed. */
export function usualChange(pairs: readonly HeldOutPair[]): 'better' | 'worse' | null {
  const count = (wanted: Change) => pairs.filter(({ change }) => change === wanted).length
  const [better, worse] = [count('better'), count('worse')]
  return better + worse === 0 ? null : better > worse ? 'better' : 'worse'
}

/** The first pair, in the order of the log, with the usual change; else the first. Null if there is none. */
export function tellingPair(pairs: readonly HeldOutPair[]): HeldOutPair | null {
  const usual = usualChange(pairs)
  return pairs.find(({ change }) => change === usual) ?? pairs[0] ?? null
}
