/** The first screen: one recorded episode, the λ that a person tries on it, and what is chosen, pointed at or lit up. */
import type { World } from '../../../method/settings.ts'
import { FLIP } from '../../../runs/telling-episode.ts'
import { WORLDS } from '../../../worlds/index.ts'
import type { SymbolId } from '../../run/equation.ts'
import type { ShippedEpisode } from '../../state/shipped-episodes.ts'
import { equationValues } from './equation-values.ts'
import { Player } from './player.svelte.ts'
import { falseTestsPassed, ribbons, verdict, type Tile } from '../../figures/ribbons.ts'

type Place = Pick<Tile, 'trajectory' | 'step'>

export class Start {
  readonly player = new Player()
  /** The symbol of the equation that is lit up, with its number and its place. */
  lit = $state.raw<SymbolId | null>(null)
  /** The tile under the pointer or the focus. */
  pointed = $state.raw<Place | null>(null)
  #lambda = $state.raw<number>(FLIP.from)
  #chosen = $state.raw<Place | null>(null)
  #shown = $state.raw<(ShippedEpisode & { world: World }) | null>(null)

  get shown(): ShippedEpisode | null {
    return this.#shown
  }
  get lambda(): number {
    return this.#lambda
  }

  readonly ribbons = $derived(this.#shown && ribbons(this.#shown.episode, this.#lambda))
  readonly #tiles = $derived(
    this.ribbons ? [...this.ribbons.own, ...this.ribbons.others.flatMap(({ tiles }) => tiles)] : [],
  )
  /** The tile whose numbers the equation shows: the telling one until a person chooses another. */
  readonly chosen = $derived.by(
    () => this.#find(this.#chosen) ?? this.#tiles.find(({ isTelling }) => isTelling) ?? null,
  )
  /** What is said of the tile under the pointer, or else of the chosen one. */
  readonly said = $derived.by(() => {
    const tile = this.#find(this.pointed) ?? this.chosen
    if (tile === null) return ''
    const isOwn = this.ribbons?.own.includes(tile) ?? false
    return isOwn ? tile.label : `Rollout ${tile.trajectory + 1}. ${tile.label}`
  })
  readonly values = $derived.by(() => {
    const { chosen } = this
    if (this.#shown === null || chosen === null) return {}
    const { group, settings } = this.#shown.episode
    const tried = { ...settings, lambda: this.#lambda }
    return equationValues(group, group.derive(tried), tried, chosen)
  })
  readonly verdict = $derived.by(() => {
    if (this.#shown === null) return null
    const { run, episode, world } = this.#shown
    const { iteration, group } = episode
    const written = run.testsFor(iteration.iteration, group.taskId)?.written.tests ?? []
    return verdict(episode, this.#lambda, WORLDS[world].noEffect, falseTestsPassed(episode, written))
  })

  /** Shows the episode of a world from its beginning. */
  open(world: World, { run, episode }: ShippedEpisode): void {
    this.#shown = { run, episode, world }
    this.#chosen = this.pointed = null
    this.#lambda = FLIP.from
    this.player.open(this.ribbons?.own.length ?? 0)
  }

  /** Shows nothing, because the episode of the chosen world could not be loaded. */
  close(): void {
    this.#shown = null
    this.#chosen = this.pointed = null
    this.player.open(0)
  }

  /** Tries a λ. The picture turns to the telling step, where the change is to be seen. */
  move(lambda: number): void {
    this.#lambda = lambda
    const telling = this.ribbons?.own.find(({ isTelling }) => isTelling)
    if (telling) this.choose(telling)
  }

  choose(tile: Tile): void {
    this.#chosen = tile
    if (this.ribbons?.own.includes(tile)) this.player.goTo(tile.number)
  }

  #find(place: Place | null): Tile | null {
    if (place === null) return null
    return this.#tiles.find(({ trajectory, step }) => trajectory === place.trajectory && step === place.step) ?? null
  }
}
