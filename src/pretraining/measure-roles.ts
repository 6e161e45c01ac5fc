/** Measures policies and authors of any world the way the loop uses them, by rollouts and rewrites. */
import type { EpisodeFinished } from '../method/events.ts'
import type { Direction, EnvironmentPort, LanguageModelPort, RoleFormats, Split, Task } from '../method/ports.ts'
import { rollOut } from '../method/rollout.ts'

export interface MeasureOptions {
  split: Split
  tasks: number
  /** Rollouts of each task; 1 by default. */
  rollouts?: number
  maxSteps: number
  seed: number
  /** 1 by default; 0 is greedy. */
  temperature?: number
}

/** Episodes of a task are adjacent. */
export async function playEpisodes(
  policy: LanguageModelPort,
  environment: EnvironmentPort,
  formats: RoleFormats,
  { split, tasks, rollouts = 1, maxSteps, seed, temperature = 1 }: MeasureOptions,
): Promise<EpisodeFinished[]> {
  const sampled = await environment.sampleTasks(split, tasks, seed)
  const requests = sampled.flatMap((task) =>
    Array.from({ length: rollouts }, (_, rollout) => ({
      episodeId: rollout === 0 ? task.id : `${task.id}#${rollout}`,
      task,
      split,
      rollout,
    })),
  )
  const options = { maxSteps, temperature, topP: 1, policyVersion: 0, seed, showSteps: false }
  return (await lastOf(rollOut({ policy, environment, formats }, requests, options))).map(({ episode }) => episode)
}

/** Episodes of every player, in order. Players play the same tasks, so the episodes get other ids: judges are asked by id. */
export async function playedByEach<Player>(
  players: readonly Player[],
  play: (player: Player) => Promise<EpisodeFinished[]>,
): Promise<EpisodeFinished[]> {
  const episodes: EpisodeFinished[] = []
  for (const [index, player] of players.entries()) {
    for (const episode of await play(player)) {
      episodes.push({ ...episode, episodeId: `player ${index + 1}: ${episode.episodeId}` })
    }
  }
  return episodes
}

export interface AuthorValidity {
  /** Share of attempts that are valid rewrites. */
  valid: number
  /** Share of tasks with a valid one among eight attempts. */
  proposed: number
  /** The valid rewrites. */
  rewrites: { before: Task; after: Task; direction: Direction }[]
}

export interface AuthorMeasureOptions {
  /** The critic's summary of tasks that should become easier, and harder. */
  easier: string
  harder: string
  maxSteps: number
  seed: number
}

export async function measureAuthor(
  author: LanguageModelPort,
  environment: EnvironmentPort,
  formats: RoleFormats,
  { easier, harder, maxSteps, seed }: AuthorMeasureOptions,
): Promise<AuthorValidity> {
  const tasks = await environment.sampleTasks('train', 40, seed + 1_000_000)
  const inputs = tasks.map((_, index) =>
    index % 2 === 0
      ? { direction: 'easier' as const, accuracy: 0, criticSummary: easier }
      : { direction: 'harder' as const, accuracy: 1, criticSummary: harder },
  )
  const descriptions = await Promise.all(tasks.map((task) => environment.describe(task)))
  const prompts = await author.encode(
    inputs.map((input, index) => formats.author.prompt({ ...input, description: descriptions[index]! })),
  )
  const completions = await author.generate(
    prompts.map((prompt, index) => ({ prompt, count: 8, seed: seed + index })),
    { temperature: 0.8, topP: 0.95, maxTokens: formats.author.maxTokens },
  )
  const results = await Promise.all(
    tasks.map((task, index) =>
      Promise.all(
        completions[index]!.map(({ text }) =>
          environment.rewrite(task, formats.author.parse(text), `${task.id}/new`, maxSteps),
        ),
      ),
    ),
  )
  return {
    valid: results.flat().filter(({ ok }) => ok).length / results.flat().length,
    proposed: results.filter((attempts) => attempts.some(({ ok }) => ok)).length / tasks.length,
    rewrites: tasks.flatMap((before, index) =>
      results[index]!.flatMap(({ task: after }) =>
        after ? [{ before, after, direction: inputs[index]!.direction }] : [],
      ),
    ),
  }
}

/** Runs a generator to its end and returns its result. */
export async function lastOf<Result>(generator: AsyncGenerator<unknown, Result, void>): Promise<Result> {
  for (;;) {
    const { done, value } = await generator.next()
    if (done) return value
  }
}
