/** The episodes that ship with the page for its first screen, one for each world. */
import type { World } from '../../method/settings.ts'
import type { RunView } from '../../runs/fold.ts'
import { tellingEpisode, type TellingEpisode } from '../../runs/telling-episode.ts'
import { FetchedParts } from './fetched-parts.svelte.ts'
import { readShipped } from './shipped-runs.ts'

export interface ShippedEpisode {
  /** The excerpt of the recorded run. */
  run: RunView
  episode: TellingEpisode
}

export type ShippedEpisodes = FetchedParts<World, ShippedEpisode>

export const createShippedEpisodes = (): ShippedEpisodes =>
  new FetchedParts((world) => fetchEpisode(`./runs/${world}-episode.jsonl.gz`))

/** Throws as readShipped does, and Error for a run without advantages. */
async function fetchEpisode(address: string): Promise<ShippedEpisode> {
  const { whole } = await readShipped(address)
  const episode = tellingEpisode(whole)
  if (episode === null) throw new Error(`${address} has no episode with advantages.`)
  return { run: whole, episode }
}
