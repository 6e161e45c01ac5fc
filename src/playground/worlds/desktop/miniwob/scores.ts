/** Accuracy of played episodes, by task and of all together. */
import type { EpisodeFinished } from '../../../../method/events.ts'
import { wilsonInterval } from '../../../../results/wilson-interval.ts'

export interface Score {
  /** '' for all tasks together. */
  task: string
  won: number
  played: number
  interval: [low: number, high: number] | null
}

/** By name of the task. */
export function scoresOf(episodes: readonly EpisodeFinished[]): Score[] {
  const tasks = new Map<string, EpisodeFinished[]>()
  for (const episode of episodes) {
    const its = tasks.get(episode.instruction)
    if (its) its.push(episode)
    else tasks.set(episode.instruction, [episode])
  }
  return [...tasks].map(([task, its]) => scoreOf(task, its)).sort((a, b) => a.task.localeCompare(b.task))
}

export function scoreOf(task: string, episodes: readonly EpisodeFinished[]): Score {
  const won = episodes.filter(({ outcome }) => outcome === 1).length
  return { task, won, played: episodes.length, interval: wilsonInterval(won, episodes.length) }
}
