/**
 * The views of the page, and how an address names one: alone, or beside a configuration (link.ts).
 *
 *     #tasks                     #v1.<configuration>&view=tasks&hide=curves
 *     #episodes&at=12            #v1.<configuration>&view=loop&lesson=lambda
 *
 * A link without a view opens Lessons for a lesson, Episodes for a step, and else the loop; an empty address opens the first
 * screen. Parts of the page have addresses, too: `#theatre` opens its view and scrolls to it.
 *
 * The navigation shows groups of views. A group has no address: its link opens the view in it that was on show last.
 */
import { isConfiguration, partsOf, type Field, type Hideable, type Section } from './link.ts'

export const VIEWS = {
  start: 'Start',
  loop: 'Loop',
  episodes: 'Episodes',
  tasks: 'Tasks',
  runs: 'Runs',
  results: 'Results',
  models: 'Models',
  games: 'Games and problems',
  cluster: 'Cluster',
  benchmark: 'Benchmark',
  story: 'Story',
  judge: 'You are the judge',
  learn: 'Lessons',
  theory: 'Theory',
} as const
export type View = keyof typeof VIEWS

export interface ViewGroup {
  title: string
  views: readonly View[]
}

/** In the order of the navigation. Every view is in one group. */
export const GROUPS: readonly ViewGroup[] = [
  { title: 'Start', views: ['start'] },
  { title: 'Watch', views: ['loop', 'episodes'] },
  { title: 'Tasks', views: ['tasks', 'theory'] },
  { title: 'Compare', views: ['runs', 'results'] },
  { title: 'Set up', views: ['models', 'games', 'cluster', 'benchmark'] },
  { title: 'Learn', views: ['story', 'judge', 'learn'] },
]
export const VIEW_NAMES = Object.keys(VIEWS) as View[]
/** Shown when the page is opened without a link. */
export const FIRST_VIEW: View = 'start'
/** Shown by a link that names neither a view nor anything that implies one, and in place of a view that it hides. */
export const LINK_VIEW: View = 'loop'

/** The view of each page that a view shows one at a time: one for each step of the story (story-steps.ts). */
const PAGES: Readonly<Record<string, View>> = {
  'story-outcome': 'story',
  'story-votes': 'story',
  'story-judge': 'story',
  'story-tasks': 'story',
  'story-loop': 'story',
  'story-breaks': 'story',
}

/** The view of each part of the page that has its own address. */
const PARTS: Readonly<Record<string, View>> = {
  alarms: 'loop',
  theatre: 'episodes',
  'before-after': 'episodes',
  equation: 'episodes',
  thresholds: 'tasks',
  lessons: 'learn',
  ...PAGES,
}

/** A view disappears when all of its sections are hidden. */
const CONTENTS: Partial<Record<View, readonly Section[]>> = {
  episodes: ['trajectories'],
  tasks: ['tasks'],
  runs: ['runs'],
  results: ['results'],
  models: ['models'],
  games: ['games'],
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
  return { view: /^#?$/.test(hash) ? FIRST_VIEW : LINK_VIEW, part: null }
}

/** The empty string if nothing is implied. */
function impliedBy({ lesson, at, run }: Partial<Record<Field, string>>): View | '' {
  return at !== undefined || run !== undefined ? 'episodes' : lesson !== undefined ? 'learn' : ''
}

/** Whether a hash consists only of a place. */
export function isPlace(hash: string): boolean {
  const name = hash.replace(/^#/, '')
  return name === '' || isView(name) || Object.hasOwn(PARTS, name)
}

/** Fields of an address besides view and configuration, as written there. */
export type AddressFields = Partial<Pick<Record<Field, string>, 'lesson' | 'at' | 'lambda' | 'run'>>

/** The part of this view that the end of an address names; null if it names none. */
export function partOf(hash: string, view: View): string | null {
  const place = placeOf(hash)
  return place.view === view ? place.part : null
}

/** The end of an address for a view or a page of one, with a configuration (`#v1.…`, `#hide=…`) or without one (the empty string). */
export function addressOf(view: string, link: string, fields: AddressFields = {}): string {
  const rest = (['lesson', 'at', 'lambda', 'run'] as const)
    .filter((name) => fields[name] !== undefined)
    .map((name) => `&${name}=${fields[name]}`)
    .join('')
  const isSaid = view !== (link === '' ? FIRST_VIEW : LINK_VIEW) || rest !== ''
  if (link === '') return isSaid ? `#${view}${rest}` : ''
  return link + (isSaid ? `&view=${view}` : '') + rest
}

/** The views that a link does not hide. The first screen and the loop are always shown. */
export function shownViews(hidden: readonly Hideable[]): View[] {
  return VIEW_NAMES.filter((view) => {
    const sections = CONTENTS[view]
    return sections === undefined || sections.some((section) => !hidden.includes(section))
  })
}

/**
 * The groups with the views that a link does not hide. A group without any is left out, and one without its first view has the title of
 * the next.
 */
export function shownGroups(hidden: readonly Hideable[]): ViewGroup[] {
  const shown = shownViews(hidden)
  return GROUPS.flatMap(({ title, views }) => {
    const left = views.filter((view) => shown.includes(view))
    if (left[0] === undefined) return []
    return [{ title: left[0] === views[0] ? title : VIEWS[left[0]], views: left }]
  })
}

function isView(name: string): name is View {
  return Object.hasOwn(VIEWS, name)
}
