/** The episodes that ship with the page for its first screen, one for each world, fetched when they are wanted. */
import type { World } from '../../method/settings.ts'
import type { RunView } from '../../runs/fold.ts'
import { tellingEpisode, type TellingEpisode } from '../../runs/telling-episode.ts'
import { readRecording } from './recording.ts'

export interface ShippedEpisode {
  /** The excerpt of the recorded run. */
  run: RunView
  episode: TellingEpisode
}

type Entry = { state: 'loading' } | { state: 'failed'; problem: string } | ({ state: 'ready' } & ShippedEpisode)

export class ShippedEpisodes {
  #entries = $state.raw<Partial<Record<World, Entry>>>({})

  of(world: World): Entry {
    return this.#entries[world] ?? { state: 'loading' }
  }

  /** Does nothing while the episode is loading, or once it is there. */
  async load(world: World): Promise<void> {
    const before = this.#entries[world]?.state
    if (before === 'loading' || before === 'ready') return
    this.#set(world, { state: 'loading' })
    try {
      this.#set(world, { state: 'ready', ...(await fetchEpisode(`./runs/${world}-episode.jsonl.gz`)) })
    } catch (cause) {
      this.#set(world, { state: 'failed', problem: cause instanceof Error ? cause.message : String(cause) })
    }
  }

  #set(world: World, entry: Entry): void {
    this.#entries = { ...this.#entries, [world]: entry }
  }
}

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
