/** The first screen: one recorded episode, the λ that a person tries on it, and what is chosen, pointed at or lit up. */
import type { World } from '../../../method/settings.ts'
import { FLIP } from '../../../runs/telling-episode.ts'
import { WORLDS } from '../../../worlds/index.ts'
import { SYMBOLS } from '../../run/equation.ts'
import { Links } from '../../kit/math/links.svelte.ts'
import { capital } from '../../kit/format.ts'
import type { ShippedEpisode } from '../../state/shipped-episodes.ts'
import { equationValues } from '../../figures/equation/equation-values.ts'
import { Player } from '../../figures/player.svelte.ts'
import type { Moment } from '../../figures/moment.ts'
import { falseTestsPassed, ribbons, verdict, type Tile } from '../../figures/ribbons.ts'
import { nearestStop } from '../../run/lambda-stops.ts'
import type { LinkedMoment } from '../../state/page-link.svelte.ts'

type Place = Pick<Tile, 'trajectory' | 'step'>

export class Start {
  readonly player = new Player()
  readonly links = new Links(SYMBOLS)
  /** The tile under the pointer or the focus. */
  pointed = $state.raw<Place | null>(null)
  #lambda = $state.raw<number>(FLIP.from)
  #chosen = $state.raw<Place | null>(null)
  #isAsOpened = $state.raw(true)
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
  /** What is said of the tile under the pointer, or else of the symbol that is lit up, or else of the chosen tile. */
  readonly said = $derived.by(() => {
    const { told } = this.links
    if (told !== null && this.pointed === null) return `${capital(told.means)}: ${this.values[told.id] ?? '–'}`
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
  readonly verdict = $derived(this.#verdictAt(this.#lambda))
  /** What of the screen can be shared; null before its episode has loaded. */
  readonly moment = $derived.by((): (Moment & LinkedMoment) | null => {
    const { chosen } = this
    if (this.#shown === null || chosen === null) return null
    const { world } = this.#shown
    const { trajectory, step, isTelling } = chosen
    const episode = { ...this.#shown.episode, trajectory, step }
    const { iteration, group } = episode
    return {
      episode,
      lambda: this.#lambda,
      title: isTelling ? `Should the ${tellingNoun(world)} be encouraged?` : undefined,
      say: isTelling ? (lambda) => this.#saidAt(lambda) : undefined,
      spot: {
        iteration: iteration.iteration,
        taskId: group.taskId,
        rollout: trajectory,
        step,
        test: null,
        isOnHeads: false,
      },
    }
  })

  /** What a person or a link chose; null while the screen is as it opened. */
  get noted(): LinkedMoment | null {
    return this.#isAsOpened ? null : this.moment
  }

  #verdictAt(lambda: number) {
    if (this.#shown === null) return null
    const { run, episode, world } = this.#shown
    const { iteration, group } = episode
    const written = run.testsFor(iteration.iteration, group.taskId)?.written.tests ?? []
    return verdict(episode, lambda, WORLDS[world].noEffect, falseTestsPassed(episode, written))
  }

  #saidAt(lambda: number): string {
    const found = this.#verdictAt(lambda)
    if (found === null) return ''
    const { start, action, effect, end } = found
    return `${start}${action === '' ? '' : ` “${action}”`} is ${effect} ${end}`
  }

  isShowing({ run }: ShippedEpisode): boolean {
    return this.#shown?.run === run
  }

  /** Shows the episode of a world from its beginning. */
  open(world: World, { run, episode }: ShippedEpisode): void {
    this.#shown = { run, episode, world }
    this.#chosen = this.pointed = null
    this.#lambda = FLIP.from
    this.#isAsOpened = true
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
    this.#isAsOpened = false
    const telling = this.ribbons?.own.find(({ isTelling }) => isTelling)
    if (telling) this.choose(telling)
  }

  choose(tile: Tile): void {
    this.#isAsOpened = false
    this.#chosen = tile
    if (this.ribbons?.own.includes(tile)) this.player.goTo(tile.number)
  }

  /** Shows what a link names. Returns whether this episode has it. */
  showLinked({ spot, lambda }: LinkedMoment): boolean {
    const episode = this.#shown?.episode
    if (episode?.iteration.iteration !== spot.iteration || episode.group.taskId !== spot.taskId) return false
    this.#lambda = nearestStop(lambda)
    const tile = this.#find({ trajectory: spot.rollout, step: spot.step })
    if (tile !== null) this.choose(tile)
    return tile !== null
  }

  #find(place: Place | null): Tile | null {
    if (place === null) return null
    return this.#tiles.find(({ trajectory, step }) => trajectory === place.trajectory && step === place.step) ?? null
  }
}

/** What the telling tile of a world is called. */
export function tellingNoun(world: World): string {
  return WORLDS[world].evidence === 'votes' ? 'wasted step' : 'wrong program'
}
