/**
 * The address of the page: followed when the page opens or a link is pasted, and kept up to date with the settings on the
 * controls, the lesson that is open and the step that is looked at, so that what stands in the address bar is always what
 * Run would start and what a person sees. It is replaced, never added to: the way back leads from view to view, and to the
 * step that was looked at in each.
 */
import { presetSettings, DEFAULT_PRESET } from '../../method/settings.ts'
import { WORLD_PRESETS, type World } from '../run/worlds.ts'
import { addressOf, isPlace, type View } from './views.ts'
import { isLink, partsOf, readLink, writeLink, type Hideable, type ReadLink } from './link.ts'
import { DEFAULT_ITERATIONS, type Configuration } from '../run/configuration.ts'
import { readSpot } from '../run/spot.ts'
import type { Citation } from './citation.svelte.ts'
import type { Playground } from './playground.svelte.ts'
import type { Selection } from './selection.svelte.ts'

/** Milliseconds for which nothing has changed: a slider that is dragged is not written with every pixel. */
const QUIET_MS = 250

interface HistoryEntry {
  epoch: string
  /** The run that the step of this entry is in (Citation.of); missing where nobody chose a step. */
  of?: string
}

/** What the page shows, as far as an address says it. */
export interface Shown {
  content: Configuration
  view: View
  /** Id of the open lesson. */
  lesson: string | null
  /** The step that somebody chose. */
  citation: Citation | null
}

/** What a link changes besides the settings. */
export interface Targets {
  playground: Playground
  selection: Selection
  lessons: {
    /** Opens the lesson of that name. Returns why it cannot; null once it is open. */
    openNamed(id: string): Promise<string | null>
  }
}

export class PageLink {
  #hidden = $state.raw<readonly Hideable[]>([])
  #problem = $state.raw<string | null>(null)
  #wasFollowed = $state.raw(false)
  /** What a link asks to look at, until it is looked at. */
  #wanted = $state.raw<ReadLink | null>(null)
  /** A link to a kept run that this browser does not have: it may be imported yet. */
  #missing = $state.raw<ReadLink | null>(null)
  #timer = 0
  #ticket = 0
  /** Which link was followed last, kept with every entry of the history that shows what came of it. */
  #epoch = `${performance.timeOrigin}`

  /** What the link leaves out of the page. */
  get hidden(): readonly Hideable[] {
    return this.#hidden
  }
  /** What was wrong with the link; null where nothing was. */
  get problem(): string | null {
    return this.#problem
  }
  /** False until the address that the page was opened with has been read. */
  get wasFollowed(): boolean {
    return this.#wasFollowed
  }
  /** Id of the kept run that the link is to, and that this browser does not have. */
  get missingRun(): string | null {
    return this.#missing?.run ?? null
  }

  dismiss(): void {
    this.#problem = this.#missing = null
  }

  showAll(): void {
    this.#hidden = []
  }

  /**
   * Takes over what the address asks for; what it cannot mean is told and changes nothing. What it asks to look at waits
   * for `arrive`. An address that this page wrote itself, to which somebody goes back for its view, is not followed: the
   * settings have gone on since. Its step is looked at again, if it is one of the run on show.
   */
  async follow(hash: string, targets: Targets, shown: Citation | null): Promise<void> {
    const entry = history.state as HistoryEntry | null
    if (this.#wasFollowed && entry?.epoch === this.#epoch) {
      const spot = readSpot(partsOf(hash).fields.at ?? '')
      if (spot && entry.of !== undefined && entry.of === shown?.of) targets.selection.lookAt(spot)
      return
    }
    const ticket = ++this.#ticket
    try {
      if (!isLink(hash)) return
      this.#epoch = `${performance.timeOrigin}/${ticket}`
      this.#wanted = this.#missing = null
      const link = await readLink(hash)
      if (ticket !== this.#ticket) return
      const { content, hidden, unknown, unreadable } = link
      this.#problem = unknown.length > 0 ? `The link hides what is not on this page: ${unknown.join(', ')}.` : null
      if (unreadable !== null) this.#tell(unreadableSpot(unreadable))
      this.#hidden = hidden
      this.#wanted = link
      if (content) await targets.playground.follow(content)
    } catch (cause) {
      if (ticket === this.#ticket) this.#problem = cause instanceof Error ? cause.message : String(cause)
    } finally {
      this.#wasFollowed = true
    }
  }

  /** Looks at what the link asks to look at, once the page has its runs. */
  async arrive(targets: Targets): Promise<void> {
    const wanted = this.#wanted
    if (wanted === null) return
    try {
      const { lesson, spot, run, content } = wanted
      if (lesson !== null) this.#tell(await targets.lessons.openNamed(lesson))
      if (run === null && spot === null) return
      const { showLinked } = await import('./linked-run.ts')
      const found = await showLinked({ spot, run, hasContent: content !== null }, targets)
      this.#tell(found.problem)
      if (found.isMissing) this.#missing = { ...wanted, lesson: null }
    } finally {
      if (this.#wanted === wanted) this.#wanted = null
    }
  }

  /** The run that was missing has been imported. */
  async arriveLater(targets: Targets): Promise<void> {
    this.#problem = null
    this.#wanted = this.#missing
    this.#missing = null
    await this.arrive(targets)
  }

  #tell(problem: string | null): void {
    if (problem !== null) this.#problem = this.#problem === null ? problem : `${this.#problem} ${problem}`
  }

  /** The whole address. */
  async address(content: Configuration, hidden: Iterable<Hideable>): Promise<string> {
    return location.href.replace(/#.*$/s, '') + (await writeLink(content, [...hidden]))
  }

  /** The whole address of a step, whatever is on the controls: of the recorded run of a world, or of a kept run. */
  async addressOfStep({ at, run }: Citation, world: World): Promise<string> {
    const preset = WORLD_PRESETS[world]
    const base = { preset, settings: presetSettings(preset), backend: 'auto', iterations: DEFAULT_ITERATIONS } as const
    const link = run !== undefined || isDefault(base) ? '' : await writeLink(base)
    const address = addressOf('episodes', link, { at, ...(run !== undefined && { run }) })
    return location.href.replace(/#.*$/s, '') + address
  }

  /** The whole address of a lesson, with its settings and without what it does not need. */
  async addressOfLesson(lesson: string, content: Configuration, hidden: readonly Hideable[]): Promise<string> {
    return location.href.replace(/#.*$/s, '') + addressOf('learn', await writeLink(content, hidden), { lesson })
  }

  /** Soon writes what is shown into the address bar. A link that has not arrived yet is left as it is. */
  keep({ content, view, lesson, citation }: Shown): void {
    const hidden = this.#hidden
    clearTimeout(this.#timer)
    if (this.#wanted !== null) return
    this.#timer = window.setTimeout(() => {
      void writeLink(content, hidden).then((link) => {
        if (!isPlace(location.hash) && !isLink(location.hash)) return
        const isPlain = hidden.length === 0 && isDefault(content)
        const step = view === 'episodes' ? citation : null
        const address = addressOf(view, isPlain ? '' : link, {
          ...(lesson !== null && { lesson }),
          ...(step && { at: step.at }),
          ...(step?.run !== undefined && { run: step.run }),
        })
        const entry: HistoryEntry = { epoch: this.#epoch, ...(step && !step.isFollowing && { of: step.of }) }
        history.replaceState(entry, '', address === '' ? location.pathname + location.search : address)
      })
    }, QUIET_MS)
  }
}

function unreadableSpot(text: string): string {
  const shown = text.length > 60 ? `${text.slice(0, 60)}…` : text
  return `The link names a place in a run that cannot be read: “${shown}”. It is written as iteration/task/rollout/step, all counted from 1, such as 12/task-id/2/5.`
}

function isDefault({ preset, settings, backend, iterations }: Configuration): boolean {
  if (preset !== DEFAULT_PRESET || backend !== 'auto' || iterations !== DEFAULT_ITERATIONS) return false
  return JSON.stringify(settings) === JSON.stringify(presetSettings(preset))
}
