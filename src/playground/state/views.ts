/**
 * The views of the page, and how an address names one: alone, or beside a configuration (link.ts).
 *
 *     #tasks                     #v1.<configuration>&view=tasks&hide=curves
 *     #episodes&at=12            #v1.<configuration>&view=loop&lesson=lambda
 *
 * A link without a view opens Learn for a lesson, Episodes for a step, and else the first view. Parts of the page have
 * addresses, too: `#theatre` opens its view and scrolls to it.
 */
import { isConfiguration, partsOf, type Field, type Hideable, type Section } from './link.ts'

export const VIEWS = {
  loop: 'Loop',
  episodes: 'Episodes',
  tasks: 'Tasks',
  learn: 'Learn',
  runs: 'Runs',
  results: 'Results',
  models: 'Models',
  cluster: 'Cluster',
  benchmark: 'Benchmark',
} as const
export type View = keyof typeof VIEWS
export const VIEW_NAMES = Object.keys(VIEWS) as View[]
export const FIRST_VIEW: View = 'loop'

/** The view of each part of the page that has its own address. */
const PARTS: Readonly<Record<string, View>> = {
  alarms: 'loop',
  theatre: 'episodes',
  equation: 'episodes',
  thresholds: 'tasks',
  games: 'tasks',
  lessons: 'learn',
  theory: 'learn',
}

/** A view disappears when all of its sections are hidden. */
const CONTENTS: Partial<Record<View, readonly Section[]>> = {
  episodes: ['trajectories'],
  tasks: ['tasks', 'games'],
  runs: ['runs'],
  results: ['results'],
  models: ['models'],
  cluster: ['cluster'],
  benchmark: ['benchmark'],
}

export interface Place {
  view: View
  /** Id of the part to scroll to; null keeps the view as it was left. */
  part: string | null
}

/** The place that the end of an address names. */
export function placeOf(hash: string): Place {
  const { head, fields } = partsOf(hash)
  const name = isConfiguration(head) || head === '' ? (fields.view ?? impliedBy(fields)) : head
  if (isView(name)) return { view: name, part: null }
  if (Object.hasOwn(PARTS, name)) return { view: PARTS[name]!, part: name }
  return { view: FIRST_VIEW, part: null }
}

function impliedBy({ lesson, at, run }: Partial<Record<Field, string>>): View {
  return at !== undefined || run !== undefined ? 'episodes' : lesson !== undefined ? 'learn' : FIRST_VIEW
}

/** Whether a hash consists only of a place. */
export function isPlace(hash: string): boolean {
  const name = hash.replace(/^#/, '')
  return name === '' || isView(name) || Object.hasOwn(PARTS, name)
}

/** Fields of an address besides view and configuration, as written there. */
export type AddressFields = Partial<Pick<Record<Field, string>, 'lesson' | 'at' | 'run'>>

/** The end of an address for a view, with a configuration (`#v1.…`, `#hide=…`) or without one (the empty string). */
export function addressOf(view: View, link: string, fields: AddressFields = {}): string {
  const rest = (['lesson', 'at', 'run'] as const)
    .filter((name) => fields[name] !== undefined)
    .map((name) => `&${name}=${fields[name]}`)
    .join('')
  const isSaid = view !== FIRST_VIEW || rest !== ''
  if (link === '') return isSaid ? `#${view}${rest}` : ''
  return link + (isSaid ? `&view=${view}` : '') + rest
}

/** The views that a link does not hide. The first view is always shown. */
export function shownViews(hidden: readonly Hideable[]): View[] {
  return VIEW_NAMES.filter((view) => {
    const sections = CONTENTS[view]
    return sections === undefined || sections.some((section) => !hidden.includes(section))
  })
}

function isView(name: string): name is View {
  return Object.hasOwn(VIEWS, name)
}
