/** Which view is on show, which were opened, and how far each was scrolled. An opened view keeps its state. */
import { tick } from 'svelte'
import { FIRST_VIEW, LINK_VIEW, placeOf, shownGroups, shownViews, type View, type ViewGroup } from '../state/views.ts'
import type { PageLink } from '../state/page-link.svelte.ts'

/** Milliseconds to wait for a part that is still loading, to scroll to it. */
const PATIENCE_MS = 5000

const EXPLAINING: readonly View[] = [FIRST_VIEW, 'story', 'judge']
/** Views with the controls of a run, which show nothing of it. */
const APART: readonly View[] = ['results', 'models', 'games', 'cluster', 'benchmark']

export class PageViews {
  #asked = $state.raw<View>(FIRST_VIEW)
  #opened = $state.raw<readonly View[]>([])
  /** Every view that was on show, the latest first. */
  #latest = $state.raw<readonly View[]>([])
  readonly #link: PageLink
  /** Scroll position of each view in pixels. */
  readonly #left: Partial<Record<View, number>> = {}

  constructor(link: PageLink) {
    this.#link = link
  }

  /** Views that the link does not hide. */
  get shown(): View[] {
    return shownViews(this.#link.hidden)
  }
  /** The groups of these views, in the order of the navigation. */
  get groups(): ViewGroup[] {
    return shownGroups(this.#link.hidden)
  }
  get current(): View {
    return this.shown.includes(this.#asked) ? this.#asked : LINK_VIEW
  }
  get isStart(): boolean {
    return this.current === FIRST_VIEW
  }
  /** Whether the view on show explains, without the controls of a run. */
  get isExplaining(): boolean {
    return EXPLAINING.includes(this.current)
  }
  /** Whether the view on show is about the run on show. */
  get isOfRun(): boolean {
    return !this.isExplaining && !APART.includes(this.current)
  }
  /** The view that a group opens: the one that was on show last, at first its first. */
  latestOf({ views }: ViewGroup): View {
    return [this.current, ...this.#latest].find((view) => views.includes(view)) ?? views[0]!
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
    this.#latest = [view, ...this.#latest.filter((other) => other !== view)]
    if (!this.#opened.includes(view)) this.#opened = [...this.#opened, view]
    if (part !== null) void scrollToPart(part)
    else if (view !== before) void tick().then(() => scrollTo(0, this.#left[view] ?? 0))
  }

  /** Opens a group by its number in the navigation, from 1. No-op if there is none. */
  go(number: number): void {
    const group = this.groups[number - 1]
    if (group !== undefined) location.hash = `#${this.latestOf(group)}`
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
