/** Accuracy of played episodes, by task and of all together. Episodes whose page failed are counted apart. */
import { wilsonInterval } from '../../../../results/wilson-interval.ts'
import type { PlayedPage } from '../../../../worlds/desktop/miniwob/evaluate.ts'

export interface Score {
  /** '' for all tasks together. */
  task: string
  won: number
  played: number
  /** Episodes whose page failed, which are not among the played. */
  failed: number
  /** Null without episodes, and for all tasks: episodes of different tasks are not independent draws of one chance. */
  interval: [low: number, high: number] | null
}

/** By name of the task. */
export function scoresOf(episodes: readonly PlayedPage[]): Score[] {
  const tasks = new Map<string, PlayedPage[]>()
  for (const episode of episodes) {
    const its = tasks.get(episode.instruction)
    if (its) its.push(episode)
    else tasks.set(episode.instruction, [episode])
  }
  return [...tasks].map(([task, its]) => scoreOf(task, its)).sort((a, b) => a.task.localeCompare(b.task))
}

export function scoreOf(task: string, episodes: readonly PlayedPage[]): Score {
  const sound = episodes.filter(({ failure }) => failure === null)
  const [won, played] = [sound.filter(({ outcome }) => outcome === 1).length, sound.length]
  const interval = task === '' ? null : wilsonInterval(won, played)
  return { task, won, played, failed: episodes.length - played, interval }
}
