/** What the page reports as wrong, until somebody dismisses it. */
import type { RunFailure } from '../../sessions/messages.ts'
import { WORLD_NAMES } from '../../worlds/index.ts'
import type { Playground } from '../state/playground.svelte.ts'
import type { WorldShelf } from '../state/world-shelf.ts'
import type { World } from '../../method/settings.ts'

type Shown = Pick<Playground, 'world' | 'source' | 'live' | 'recorded'>

export class Failures {
  readonly #page: Shown
  readonly #shelves: Readonly<Record<World, Pick<WorldShelf, 'news'>>>
  #dismissed = $state.raw<readonly RunFailure[]>([])

  constructor(page: Shown, shelves: Readonly<Record<World, Pick<WorldShelf, 'news'>>>) {
    this.#page = page
    this.#shelves = shelves
  }

  /** Why the run in this tab failed, while it is on show; null once dismissed. */
  get ofRun(): RunFailure | null {
    const { source, live } = this.#page
    return source === 'live' && live.status.state === 'failed' ? this.#open(live.status.failure) : null
  }

  get all(): readonly RunFailure[] {
    const { world, recorded } = this.#page
    // Tasks can be dropped for a world that is not chosen, whose panel is not on show.
    const elsewhere = WORLD_NAMES.filter((name) => name !== world).flatMap((name) => this.#shelves[name].news.failures)
    const others = [recorded.failure, ...elsewhere].map((failure) => failure && this.#open(failure))
    return [this.ofRun, ...others].filter((failure) => failure !== null)
  }

  dismiss(failure: RunFailure): void {
    if (failure === this.ofRun) this.#page.live.forgetFailedStart()
    this.#dismissed = [...this.#dismissed, failure]
  }

  #open(failure: RunFailure): RunFailure | null {
    return this.#dismissed.includes(failure) ? null : failure
  }
}
