/** Measures the models of a world from a file like the loop: by held-out tasks, judgements at temperature 1, and rewrites. */
import type { EpisodeFinished } from '../../method/events.ts'
import type { LanguageModelPort, Split } from '../../method/ports.ts'
import { OwnEnvironment } from '../../worlds/own/environment.ts'
import type { OwnGuest } from '../../worlds/own/guest.ts'
import { ownFormats } from '../../worlds/own/roles/plain-roles.ts'
import { measureAuthor, playedByEach, playEpisodes } from '../measure-roles.ts'
import type { Reasons } from './corpus.ts'
import { MAX_STEPS } from './recipes.ts'

const TASKS = 100
/** Tasks of each player. */
const JUDGED_TASKS = 30

function play(guest: OwnGuest, player: LanguageModelPort, split: Split, tasks: number, temperature: number) {
  const options = { split, tasks, maxSteps: MAX_STEPS, seed: 1, temperature }
  return playEpisodes(player, new OwnEnvironment(guest), ownFormats, options)
}

/** Share of tasks of the training split that are won at temperature 1. */
export async function trainingAccuracy(guest: OwnGuest, policy: LanguageModelPort, tasks: number): Promise<number> {
  const episodes = await play(guest, policy, 'train', tasks, 1)
  return episodes.filter(({ outcome }) => outcome === 1).length / episodes.length
}

export async function policyStanding(guest: OwnGuest, policy: LanguageModelPort): Promise<string> {
  const accuracy = async (split: Split, temperature: number) => {
    const episodes = await play(guest, policy, split, TASKS, temperature)
    return (episodes.filter(({ outcome }) => outcome === 1).length / episodes.length).toFixed(3)
  }
  return `held-out accuracy greedy ${await accuracy('id', 0)}; sampled ${await accuracy('id', 1)}; unseen, greedy ${await accuracy('ood', 0)}`
}

/** Held-out tasks of every player, to measure judges on. */
export function judgedEpisodes(guest: OwnGuest, players: readonly LanguageModelPort[]): Promise<EpisodeFinished[]> {
  return playedByEach(players, (player) => play(guest, player, 'id', JUDGED_TASKS, 1))
}

export async function authorStanding(guest: OwnGuest, author: LanguageModelPort, reasons: Reasons): Promise<string> {
  const summaries = { easier: `${reasons.bad[0]!} x31`, harder: `${reasons.good[0]!} x30` }
  const options = { ...summaries, maxSteps: MAX_STEPS, seed: 1 }
  const { valid, proposed } = await measureAuthor(author, new OwnEnvironment(guest), ownFormats, options)
  return `valid attempts ${valid.toFixed(3)}, tasks with a valid one among 8 ${proposed.toFixed(3)}`
}
