/** Which view is on show, which were opened, and how far each was scrolled. An opened view keeps its state. */
import { tick } from 'svelte'
import { FIRST_VIEW, placeOf, shownViews, type View } from '../state/views.ts'
import type { PageLink } from '../state/page-link.svelte.ts'

/** Milliseconds to wait for a part that is still loading, to scroll to it. */
const PATIENCE_MS = 5000

export class PageViews {
  #asked = $state.raw<View>(FIRST_VIEW)
  #opened = $state.raw<readonly View[]>([])
  readonly #link: PageLink
  /** Scroll position of each view in pixels. */
  readonly #left: Partial<Record<View, number>> = {}

  /** Scroll position for a view that is opened for the first time, in pixels. */
  readonly #start: () => number

  constructor(link: PageLink, start: () => number = () => 0) {
    this.#link = link
    this.#start = start
  }

  /** Views that the link does not hide, in the order of the navigation. */
  get shown(): View[] {
    return shownViews(this.#link.hidden)
  }
  get current(): View {
    return this.shown.includes(this.#asked) ? this.#asked : FIRST_VIEW
  }
  isOpened(view: View): boolean {
    return view === this.current || this.#opened.includes(view)
  }

  /** Shows what the address names. */
  lookAt(hash: string): void {
    const { view, part } = placeOf(hash)
    const before = this.current
    if (view !== before) this.#left[before] = scrollY
    this.#asked = view
    if (!this.#opened.includes(view)) this.#opened = [...this.#opened, view]
    if (part !== null) void scrollToPart(part)
    else if (view !== before) void tick().then(() => scrollTo(0, this.#left[view] ?? this.#start()))
  }

  /** Opens a view by its number in the navigation, from 1. No-op if there is none. */
  go(number: number): void {
    const view = this.shown[number - 1]
    if (view !== undefined) location.hash = `#${view}`
  }
}

async function scrollToPart(id: string): Promise<void> {
  await tick()
  const until = performance.now() + PATIENCE_MS
  let element = document.getElementById(id)
  while (!element && performance.now() < until) {
    await new Promise((resolve) => requestAnimationFrame(resolve))
    element = document.getElementById(id)
  }
  element?.scrollIntoView()
}
