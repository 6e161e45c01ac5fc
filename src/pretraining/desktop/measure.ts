/** Measures the desktop's models like the loop: by held-out tasks, judgements at temperature 1, and rewrites. */
import type { EpisodeFinished } from '../../method/events.ts'
import type { LanguageModelPort, RoleFormats, Split } from '../../method/ports.ts'
import { DesktopEnvironment } from '../../worlds/desktop/environment.ts'
import { domainOf } from '../../worlds/desktop/generator/templates.ts'
import { desktopFormats } from '../../worlds/desktop/roles/plain-roles.ts'
import { measureAuthor, playedByEach, playEpisodes } from '../measure-roles.ts'
import { MAX_STEPS } from './recipes.ts'

const TASKS = 200
/** Tasks of each player. */
const JUDGED_TASKS = 40
const AUTHOR_MEASURE = {
  easier: 'opened a useless place x31; picked the wrong thing x12',
  harder: 'opened the right place x30; the goal is met x8',
  maxSteps: MAX_STEPS,
  seed: 1,
}

interface HeldOut {
  split: Split
  tasks: number
  temperature: number
}

function playHeldOut(player: LanguageModelPort, formats: RoleFormats, heldOut: HeldOut) {
  const options = { ...heldOut, maxSteps: MAX_STEPS, seed: 1 }
  return playEpisodes(player, new DesktopEnvironment(), formats, options)
}

export async function policyStanding(
  policy: LanguageModelPort,
  formats: RoleFormats = desktopFormats,
): Promise<string> {
  const play = async (split: Split, temperature: number) =>
    accuracyText(await playHeldOut(policy, formats, { split, tasks: TASKS, temperature }))
  return `held-out accuracy greedy ${await play('id', 0)}; sampled ${await play('id', 1)}; unseen, greedy ${await play('ood', 0)}`
}

/** "0.380 (files 19/20, …)". */
export function accuracyText(episodes: readonly Pick<EpisodeFinished, 'taskId' | 'outcome'>[]): string {
  const byDomain = new Map<string, { won: number; all: number }>()
  for (const { taskId, outcome } of episodes) {
    const domain = domainOf(taskId.slice(0, taskId.indexOf('/')))
    const count = byDomain.get(domain) ?? { won: 0, all: 0 }
    byDomain.set(domain, { won: count.won + (outcome === 1 ? 1 : 0), all: count.all + 1 })
  }
  const won = episodes.filter(({ outcome }) => outcome === 1).length
  const domains = [...byDomain].map(([domain, count]) => `${domain} ${count.won}/${count.all}`)
  return `${(won / episodes.length).toFixed(3)} (${domains.join(', ')})`
}

/** Held-out tasks of every player, to measure judges on. */
export function judgedEpisodes(
  players: readonly LanguageModelPort[],
  formats: RoleFormats = desktopFormats,
): Promise<EpisodeFinished[]> {
  const heldOut: HeldOut = { split: 'id', tasks: JUDGED_TASKS, temperature: 1 }
  return playedByEach(players, (player) => playHeldOut(player, formats, heldOut))
}

export async function authorStanding(author: LanguageModelPort): Promise<string> {
  const { valid, proposed } = await measureAuthor(author, new DesktopEnvironment(), desktopFormats, AUTHOR_MEASURE)
  return `valid attempts ${valid.toFixed(3)}, tasks with a valid one among 8 ${proposed.toFixed(3)}`
}
