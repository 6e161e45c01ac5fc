/**
 * The address of the page. It is followed when the page opens or a link is pasted, and always shows the settings on the
 * controls, the open lesson and the step on show. Updates replace the current history entry, so Back leads from view to
 * view and to the step that was on show in each.
 */
import { presetSettings, DEFAULT_PRESET } from '../../method/presets.ts'
import { addressOf, FIRST_VIEW, isPlace, partOf, placeOf, type AddressFields, type View } from './views.ts'
import { isLink, partsOf, readLink, writeLink, type Hideable, type ReadLink } from './link.ts'
import { DEFAULT_ITERATIONS, type Configuration } from '../run/configuration.ts'
import { readSpot, writeSpot, type Spot } from '../run/spot.ts'
import type { Citation } from './citation.ts'
import type { Focus } from './focus.svelte.ts'
import type { Playground } from './playground.svelte.ts'
import { errorText } from '../../threads/error-text.ts'

/** Milliseconds without a change before the address is written, so that dragging a slider does not write every value. */
const QUIET_MS = 250

interface HistoryEntry {
  epoch: string
  /** Run of the step in this entry (Citation.of); missing if no step was chosen. */
  of?: string
}

/** What an address says about the page. */
export interface Shown {
  content: Configuration
  view: View
  /** Id of the open lesson. */
  lesson: string | null
  /** The chosen step. */
  citation: Citation | null
  /** The run on show by its name in an address; null if the page would open with it anyway, or cannot find it again. */
  run: string | null
}

/** A step of the first screen's episode, under a λ. */
export interface LinkedMoment {
  spot: Spot
  lambda: number
}

/** What a link changes besides the settings. */
export interface Targets {
  playground: Playground
  focus: Focus
  lessons: {
    /** Opens the lesson of that name. Returns why it cannot; null once it is open. */
    openNamed(id: string): Promise<string | null>
  }
}

export class PageLink {
  #hidden = $state.raw<readonly Hideable[]>([])
  #problem = $state.raw<string | null>(null)
  #wasFollowed = $state.raw(false)
  /** A followed link whose step is not on show yet. */
  #wanted = $state.raw<ReadLink | null>(null)
  /** The link whose run is being opened. */
  #arriving: ReadLink | null = null
  /** A link to a kept run that this browser lacks. It is shown once the run is imported. */
  #missing = $state.raw<ReadLink | null>(null)
  #moment = $state.raw<LinkedMoment | null>(null)
  /** What the address says of the first screen: the link's moment, until the first screen reports another. */
  #noted = $state.raw<LinkedMoment | null>(null)
  #timer = 0
  #ticket = 0
  /** The part of the address after #, as it was last followed or written. Another one is about to be followed. */
  #handled: string | null = null
  /** Identifies the link that was followed last, also across reloads. Every later history entry records it. */
  #epoch = `${performance.timeOrigin}`

  /** What the link hides. */
  get hidden(): readonly Hideable[] {
    return this.#hidden
  }
  /** What is wrong with the link; null if nothing is. */
  get problem(): string | null {
    return this.#problem
  }
  /** Whether the address that the page was opened with has been read. */
  get wasFollowed(): boolean {
    return this.#wasFollowed
  }
  /** What the first screen shows because the link names it; null if it names nothing there. */
  get moment(): LinkedMoment | null {
    return this.#moment
  }
  /** Reports that the first screen does not have what the link names. */
  missMoment(): void {
    this.#report('The link names a step that this episode does not have.')
  }
  /** Writes what a person chose on the first screen into its address; null if nothing was chosen. */
  note(moment: LinkedMoment | null): void {
    this.#noted = moment
  }
  /** Id of the kept run that the link names and this browser lacks. */
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
   * Applies the settings and opens the lesson in the address, or reports why it cannot. The step waits for `arrive`. Going back
   * to an address that this page wrote restores its step if it is in the run on show, but not its settings.
   */
  async follow(hash: string, targets: Targets, shown: Citation | null): Promise<void> {
    this.#handled = hash
    const entry = history.state as HistoryEntry | null
    if (this.#wasFollowed && entry?.epoch === this.#epoch) {
      const spot = readSpot(partsOf(hash).fields.at ?? '')
      if (spot && entry.of !== undefined && entry.of === shown?.of) targets.focus.lookAt(spot)
      return
    }
    const ticket = ++this.#ticket
    // After a reload, the entries that the page wrote before are still its own.
    const isReload = !this.#wasFollowed && entry !== null
    if (isReload) this.#epoch = entry.epoch
    try {
      if (!isLink(hash)) return
      if (!isReload) this.#epoch = `${performance.timeOrigin}/${ticket}`
      this.#wanted = this.#missing = null
      const link = await readLink(hash)
      if (ticket !== this.#ticket) return
      const { content, hidden, unknown, unreadable, spot } = link
      this.#problem =
        unknown.length > 0 ? `The link hides parts that this page does not have: ${unknown.join(', ')}.` : null
      if (unreadable !== null) this.#report(unreadableSpot(unreadable))
      this.#hidden = hidden
      const isMoment = spot !== null && placeOf(hash).view === FIRST_VIEW
      this.#wanted = isMoment ? { ...link, spot: null } : link
      // Before anything loads: a lesson that comes late would take the place of the one that is being read.
      if (link.lesson !== null) {
        const problem = await targets.lessons.openNamed(link.lesson)
        if (ticket !== this.#ticket) return
        this.#report(problem)
      }
      const lambda = link.lambda ?? (content?.settings ?? presetSettings(DEFAULT_PRESET)).lambda
      this.#moment = this.#noted = isMoment ? { spot, lambda } : null
      if (content) await targets.playground.follow(content)
      else if (isMoment) await targets.playground.chooseWorld(presetSettings(DEFAULT_PRESET).world)
    } catch (cause) {
      if (ticket === this.#ticket) this.#problem = errorText(cause)
    } finally {
      this.#wasFollowed = true
    }
  }

  /** Opens the run and the step of the followed link, once the page has its runs. No-op while they are being opened. */
  async arrive(targets: Targets): Promise<void> {
    const wanted = this.#wanted
    // A link that was followed before the page had its runs is waited for twice: as that link, and as the first.
    if (wanted === null || wanted === this.#arriving) return
    this.#arriving = wanted
    try {
      const { spot, run, content } = wanted
      if (run === null && spot === null) return
      const { showLinked } = await import('./linked-run.ts')
      const isWanted = () => this.#wanted === wanted
      const found = await showLinked({ spot, run, hasContent: content !== null }, targets, isWanted)
      if (!isWanted()) return
      this.#report(found.problem)
      if (found.isMissing) this.#missing = wanted
    } finally {
      if (this.#wanted === wanted) this.#wanted = null
      if (this.#arriving === wanted) this.#arriving = null
    }
  }

  /** Tries again after the missing run was imported. */
  async arriveLater(targets: Targets): Promise<void> {
    this.#problem = null
    this.#wanted = this.#missing
    this.#missing = null
    await this.arrive(targets)
  }

  #report(problem: string | null): void {
    if (problem !== null) this.#problem = this.#problem === null ? problem : `${this.#problem} ${problem}`
  }

  /** The complete address of a configuration. */
  async address(content: Configuration, hidden: Iterable<Hideable>): Promise<string> {
    return location.href.replace(/#.*$/s, '') + (await writeLink(content, [...hidden]))
  }

  /** Writes what is on show into the address bar soon, unless a followed link is still pending. */
  keep({ content, view, lesson, citation, run }: Shown): void {
    const hidden = this.#hidden
    const step = view === 'episodes' ? citation : null
    const moment = view === FIRST_VIEW ? this.#noted : null
    const runName = step ? step.run : run
    const fields: AddressFields = {
      ...(lesson !== null && { lesson }),
      ...(step && { at: step.at }),
      ...(moment && momentFields(moment)),
      ...(runName !== null && runName !== undefined && { run: runName }),
    }
    clearTimeout(this.#timer)
    this.#timer = 0
    if (this.#wanted !== null) return
    const timer = window.setTimeout(() => {
      void writeLink(content, hidden).then((link) => {
        // Packing takes a while, in which the page may have gone to another view.
        if (timer !== this.#timer) return
        // Written over, a link that was just pasted would never be followed.
        if (location.hash !== this.#handled) return
        if (!isPlace(location.hash) && !isLink(location.hash)) return
        const isPlain = hidden.length === 0 && isDefault(content)
        const address = addressOf(partOf(location.hash, view) ?? view, isPlain ? '' : link, fields)
        const entry: HistoryEntry = { epoch: this.#epoch, ...(step && !step.isFollowing && { of: step.of }) }
        history.replaceState(entry, '', address === '' ? location.pathname + location.search : address)
        this.#handled = location.hash
      })
    }, QUIET_MS)
    this.#timer = timer
  }
}

/** What an address of the first screen says of its moment. */
export function momentFields({ spot, lambda }: LinkedMoment): AddressFields {
  return { at: writeSpot(spot), lambda: String(lambda) }
}

function unreadableSpot(text: string): string {
  const shown = text.length > 60 ? `${text.slice(0, 60)}…` : text
  return `The link names the step “${shown}”, which cannot be read. Write iteration/task/rollout/step, counted from 1, such as 12/task-id/2/5.`
}

/** Whether the page opens with this configuration. */
export function isDefault({ preset, settings, backend, iterations }: Configuration): boolean {
  if (preset !== DEFAULT_PRESET || backend !== 'auto' || iterations !== DEFAULT_ITERATIONS) return false
  return JSON.stringify(settings) === JSON.stringify(presetSettings(preset))
}
