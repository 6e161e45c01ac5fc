/** Measures the household's models like the loop: by held-out games, judgements at temperature 1, and rewrites. */
import type { EpisodeFinished } from '../../method/events.ts'
import type { LanguageModelPort, RoleFormats } from '../../method/ports.ts'
import { taskTypes } from '../../worlds/household/engine/game.ts'
import { HouseholdEnvironment } from '../../worlds/household/environment.ts'
import { generatedGames } from '../../worlds/household/game-source.ts'
import { householdFormats } from '../../worlds/household/roles/plain-roles.ts'
import { measureAuthor, playedByEach, playEpisodes } from '../measure-roles.ts'
import { MAX_STEPS } from './recipes.ts'

const HELD_OUT = { split: 'id', maxSteps: MAX_STEPS, seed: 1 } as const
const GAMES = 200
/** Games of each player. */
const JUDGED_GAMES = 20
const AUTHOR_MEASURE = {
  easier: 'went to a place seen before x31; nothing happened x12',
  harder: 'searched a new place x30; the goal is done x8',
  maxSteps: MAX_STEPS,
  seed: 1,
}

function household(): HouseholdEnvironment {
  return new HouseholdEnvironment({ games: generatedGames({ sceneSize: 'compact' }) })
}

export async function policyStanding(
  policy: LanguageModelPort,
  formats: RoleFormats = householdFormats,
): Promise<string> {
  const play = async (temperature: number) =>
    accuracyText(await playEpisodes(policy, household(), formats, { ...HELD_OUT, tasks: GAMES, temperature }))
  return `held-out accuracy greedy ${await play(0)}; sampled ${await play(1)}`
}

/** "0.380 (pick_and_place_simple 19/20, …)". */
export function accuracyText(episodes: readonly Pick<EpisodeFinished, 'taskId' | 'outcome'>[]): string {
  const won = (some: typeof episodes) => some.filter(({ outcome }) => outcome === 1).length
  const byType = taskTypes.flatMap((type) => {
    const own = episodes.filter(({ taskId }) => taskId.startsWith(`${type}-`))
    return own.length > 0 ? [`${type} ${won(own)}/${own.length}`] : []
  })
  return `${(won(episodes) / episodes.length).toFixed(3)} (${byType.join(', ')})`
}

/** Held-out games of every player, to measure judges on. */
export function judgedEpisodes(
  players: readonly LanguageModelPort[],
  formats: RoleFormats = householdFormats,
): Promise<EpisodeFinished[]> {
  const options = { ...HELD_OUT, tasks: JUDGED_GAMES }
  return playedByEach(players, (player) => playEpisodes(player, household(), formats, options))
}

export async function authorStanding(author: LanguageModelPort): Promise<string> {
  const { valid, proposed } = await measureAuthor(author, household(), householdFormats, AUTHOR_MEASURE)
  return `valid attempts ${valid.toFixed(3)}, tasks with a valid one among 8 ${proposed.toFixed(3)}`
}
