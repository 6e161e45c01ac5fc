/** Fewest acts inside Settings and inside the browser: controls and bookmarks are independent of each other, the way to them is not. */
import { BROWSER, MAIL, preferencesPage, SETTINGS, type SitePage } from '../engine/facts.ts'
import { isMenuOpen, type DesktopState } from '../engine/state.ts'
import { permutations } from './permutations.ts'

const CHOOSE_ACTS = 2
const BOOKMARK_ACTS = 3

/** Acts on the controls of an application, and the pages they are on, as bits. */
function controlWork(state: DesktopState, app: number): { acts: number; pages: number } {
  const { facts, game } = state
  const { goal, desktop } = game
  let acts = 0
  let pages = 0
  if (facts.values !== goal.values) {
    for (let index = 0; index < goal.values.length; index++) {
      const difference = Math.abs(facts.values[index]! - goal.values[index]!)
      const control = desktop.controls[index]!
      if (difference === 0 || control.app !== app) continue
      acts += control.kind === 'choice' ? CHOOSE_ACTS : difference
      pages |= 1 << (app === BROWSER ? preferencesPage(desktop) : control.section)
    }
  }
  return { acts, pages }
}

/** `unseen` are pages still to be looked at, as bits. */
export function settingsDistance(state: DesktopState, unseen: number): number {
  const work = controlWork(state, SETTINGS)
  let { acts } = work
  for (let left = (work.pages | unseen) & ~(1 << state.pages[SETTINGS]!); left !== 0; left >>= 1) acts += left & 1
  return acts
}

/** Acts on controls and bookmarks of the browser, and the pages they are on. */
function browserWork(state: DesktopState): { acts: number; stops: number[] } {
  const { facts, game } = state
  const { goal } = game
  const work = controlWork(state, BROWSER)
  let { acts, pages } = work
  let needsButton = false
  if (facts.bookmarks !== goal.bookmarks) {
    for (let at = 0; at < goal.bookmarks.length; at++) {
      const now = facts.bookmarks[at]!
      const wanted = goal.bookmarks[at]!
      if (now === wanted) continue
      // A bookmark in another folder is removed first.
      acts += (now >= 0 ? 1 : 0) + (wanted >= 0 ? BOOKMARK_ACTS : 0)
      pages |= 1 << at
      needsButton = true
    }
  }
  if (needsButton && game.layout.nested.includes('bookmark') && !isMenuOpen(state, BROWSER)) acts++
  const stops: number[] = []
  for (let page = 0, left = pages; left !== 0; page++, left >>= 1) if (left & 1) stops.push(page)
  return { acts, stops }
}

export function browserDistance(state: DesktopState): number {
  const { acts, stops } = browserWork(state)
  const { desktop, goalPage } = state.game
  return acts + tour(clicksOf(desktop.site), state.pages[BROWSER]!, stops, goalPage)
}

/**
 * The browser's work where a mail's link is followed on the way, which leads to the page `link`, and the dock clicks for it: to Mail
 * and, if something is done in the browser before, to the browser. Mail's own work is not counted.
 */
export function browserDistanceByLink(state: DesktopState, link: number): number {
  const { acts, stops } = browserWork(state)
  const { desktop, goalPage } = state.game
  const clicks = clicksOf(desktop.site)
  let best = tour(clicks, link, stops, goalPage) + (state.front === MAIL ? 0 : 1)
  for (let before = 1; before < 1 << stops.length; before++) {
    const first = stops.filter((_, index) => (before >> index) & 1)
    const rest = stops.filter((_, index) => !((before >> index) & 1))
    const docks = state.front === BROWSER ? 1 : 2
    const length = tour(clicks, state.pages[BROWSER]!, first, -1) + docks + tour(clicks, link, rest, goalPage)
    if (length < best) best = length
  }
  return acts + best
}

/** Fewest clicks to see all `stops`, and `last` at the end unless it is -1. */
function tour(clicks: readonly (readonly number[])[], from: number, stops: readonly number[], last: number): number {
  if (stops.length === 0) return last < 0 ? 0 : clicks[from]![last]!
  let best = Infinity
  for (const order of permutations(stops.length)) {
    let here = from
    let length = 0
    for (const stop of order) {
      length += clicks[here]![stops[stop]!]!
      here = stops[stop]!
    }
    if (last >= 0) length += clicks[here]![last]!
    if (length < best) best = length
  }
  return best
}

const known = new WeakMap<readonly SitePage[], readonly (readonly number[])[]>()

/** clicks[from][to]; the preferences come last. Links lead from page to page, a button to the preferences, and those to the first page. */
function clicksOf(site: readonly SitePage[]): readonly (readonly number[])[] {
  let clicks = known.get(site)
  if (!clicks) {
    const preferences = site.length
    const links = [...site.map((page) => [...page.links, preferences]), [0]]
    clicks = links.map((_, from) => {
      const distances = links.map(() => Infinity)
      distances[from] = 0
      const queue = [from]
      for (const here of queue) {
        for (const next of links[here]!) {
          if (distances[next] !== Infinity) continue
          distances[next] = distances[here]! + 1
          queue.push(next)
        }
      }
      return distances
    })
    known.set(site, clicks)
  }
  return clicks
}
