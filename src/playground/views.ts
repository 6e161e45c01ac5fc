/**
 * The views of the page, and how an address names one: alone, or beside a configuration (link.ts).
 *
 *     #tasks                     #v1.<configuration>&view=tasks&hide=curves
 *
 * A part of the page has an address, too: `#theatre` is the view that it stands in, scrolled to it. Whatever names no view
 * is the first one.
 */
import type { Hideable, Section } from './link.ts'

export const VIEWS = {
  loop: 'Loop',
  episodes: 'Episodes',
  tasks: 'Tasks',
  learn: 'Learn',
  runs: 'Runs',
  models: 'Models',
  cluster: 'Cluster',
  benchmark: 'Benchmark',
} as const
export type View = keyof typeof VIEWS
export const VIEW_NAMES = Object.keys(VIEWS) as View[]
export const FIRST_VIEW: View = 'loop'

/** Parts of the page that have an address of their own, by the view that they stand in. */
const PARTS: Readonly<Record<string, View>> = {
  alarms: 'loop',
  theatre: 'episodes',
  equation: 'episodes',
  thresholds: 'tasks',
  games: 'tasks',
  lessons: 'learn',
  theory: 'learn',
}

/** What has to be hidden before nothing of a view is left. */
const CONTENTS: Partial<Record<View, readonly Section[]>> = {
  episodes: ['trajectories'],
  tasks: ['tasks', 'games'],
  runs: ['runs'],
}

export interface Place {
  view: View
  /** Id of the part to scroll to; null for the view as it was left. */
  part: string | null
}

/** The place that the end of an address names. */
export function placeOf(hash: string): Place {
  const name = /^#v\d+\.|^#hide=/.test(hash) ? /&view=([^&]*)/.exec(hash)?.[1] : hash.replace(/^#/, '')
  if (name !== undefined && isView(name)) return { view: name, part: null }
  if (name !== undefined && Object.hasOwn(PARTS, name)) return { view: PARTS[name]!, part: name }
  return { view: FIRST_VIEW, part: null }
}

/** Whether the end of an address is nothing but a place. */
export function isPlace(hash: string): boolean {
  const name = hash.replace(/^#/, '')
  return name === '' || isView(name) || Object.hasOwn(PARTS, name)
}

/** The end of an address for a view, with a configuration (`#v1.…`, `#hide=…`) or without one (the empty string). */
export function addressOf(view: View, link: string): string {
  if (link === '') return view === FIRST_VIEW ? '' : `#${view}`
  return view === FIRST_VIEW ? link : `${link}&view=${view}`
}

/** The views that a link leaves; the first one always is. */
export function shownViews(hidden: readonly Hideable[]): View[] {
  return VIEW_NAMES.filter((view) => {
    const sections = CONTENTS[view]
    return sections === undefined || sections.some((section) => !hidden.includes(section))
  })
}

function isView(name: string): name is View {
  return Object.hasOwn(VIEWS, name)
}
