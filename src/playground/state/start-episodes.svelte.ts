/**
 * The episodes of the first screen: those that ship with the page and, for a world from a file, the most telling one of the run on
 * show. It is chosen when the first screen opens, and stays while the run continues.
 */
import type { World } from '../../method/settings.ts'
import type { RunView } from '../../runs/fold.ts'
import { tellingEpisode } from '../../runs/telling-episode.ts'
import { isShippedWorld, SHIPPED_WORLDS } from '../../worlds/index.ts'
import type { FetchedPart } from './fetched-parts.svelte.ts'
import type { ShippedEpisode, ShippedEpisodes } from './shipped-episodes.ts'

export class StartEpisodes {
  readonly #shipped: ShippedEpisodes
  #own = $state.raw<ShippedEpisode | null>(null)

  constructor(shipped: ShippedEpisodes) {
    this.#shipped = shipped
  }

  /** Those with an episode. */
  get worlds(): readonly World[] {
    return this.#own ? [...SHIPPED_WORLDS, 'own'] : SHIPPED_WORLDS
  }

  of(world: World): FetchedPart<ShippedEpisode> {
    if (isShippedWorld(world)) return this.#shipped.of(world)
    return this.#own ? { state: 'ready', value: this.#own } : { state: 'loading' }
  }

  async load(world: World): Promise<void> {
    if (isShippedWorld(world)) await this.#shipped.load(world)
  }

  /** Takes over what a run has shown so far, if it plays a world from a file. */
  look(run: RunView): void {
    if (run.started?.settings.world !== 'own') return
    const episode = tellingEpisode(run)
    if (episode) this.#own = { run, episode }
  }
}
