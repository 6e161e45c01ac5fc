/** The episodes that ship with the page for its first screen, one for each world. */
import type { World } from '../../method/settings.ts'
import type { RunView } from '../../runs/fold.ts'
import { tellingEpisode, type TellingEpisode } from '../../runs/telling-episode.ts'
import { FetchedParts } from './fetched-parts.svelte.ts'
import { readRecording } from './recording.ts'

export interface ShippedEpisode {
  /** The excerpt of the recorded run. */
  run: RunView
  episode: TellingEpisode
}

export type ShippedEpisodes = FetchedParts<World, ShippedEpisode>

export const createShippedEpisodes = (): ShippedEpisodes =>
  new FetchedParts((world) => fetchEpisode(`./runs/${world}-episode.jsonl.gz`))

/** Throws RunLogError for a damaged file, Error for a missing one, and TypeError without a network. */
async function fetchEpisode(address: string): Promise<ShippedEpisode> {
  const response = await fetch(address)
  // A development server answers an unknown address with the page itself.
  if (!response.ok || !response.body || response.headers.get('content-type')?.includes('text/html'))
    throw new Error(`${address} is missing.`)
  const { whole } = await readRecording(response.body)
  const episode = tellingEpisode(whole)
  if (episode === null) throw new Error(`${address} has no episode with advantages.`)
  return { run: whole, episode }
}
