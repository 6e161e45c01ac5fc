/**
 * The address of the page as a configuration: followed when the page opens or a link is pasted, and kept up to date with
 * the settings on the controls, so that what stands in the address bar is always what Run would start.
 */
import { presetSettings, DEFAULT_PRESET } from '../../method/settings.ts'
import { addressOf, isPlace, type View } from '../views.ts'
import { DEFAULT_ITERATIONS, isLink, readLink, writeLink, type Hideable, type LinkContent } from '../link.ts'
import type { Playground } from './playground.svelte.ts'

/** Milliseconds for which nothing has changed: a slider that is dragged is not written with every pixel. */
const QUIET_MS = 250

interface HistoryEntry {
  epoch: string
}

export class PageLink {
  #hidden = $state.raw<readonly Hideable[]>([])
  #problem = $state.raw<string | null>(null)
  #wasFollowed = $state.raw(false)
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

  dismiss(): void {
    this.#problem = null
  }

  showAll(): void {
    this.#hidden = []
  }

  /**
   * Takes over what the address asks for; what it cannot mean is told and changes nothing. An address that this page wrote
   * itself, to which somebody goes back for its view, is not followed: the settings have gone on since.
   */
  async follow(hash: string, playground: Playground): Promise<void> {
    if (this.#wasFollowed && (history.state as HistoryEntry | null)?.epoch === this.#epoch) return
    const ticket = ++this.#ticket
    try {
      if (!isLink(hash)) return
      this.#epoch = `${performance.timeOrigin}/${ticket}`
      const { content, hidden, unknown } = await readLink(hash)
      if (ticket !== this.#ticket) return
      this.#problem = unknown.length > 0 ? `The link hides what is not on this page: ${unknown.join(', ')}.` : null
      this.#hidden = hidden
      if (content) await playground.follow(content)
    } catch (cause) {
      if (ticket === this.#ticket) this.#problem = cause instanceof Error ? cause.message : String(cause)
    } finally {
      this.#wasFollowed = true
    }
  }

  /** The whole address. */
  async address(content: LinkContent, hidden: Iterable<Hideable>): Promise<string> {
    return location.href.replace(/#.*$/s, '') + (await writeLink(content, [...hidden]))
  }

  /** Soon writes the configuration into the address bar, beside the view that is on show. */
  keep(content: LinkContent, view: View): void {
    const hidden = this.#hidden
    clearTimeout(this.#timer)
    this.#timer = window.setTimeout(() => {
      void writeLink(content, hidden).then((link) => {
        if (!isPlace(location.hash) && !isLink(location.hash)) return
        const isPlain = hidden.length === 0 && isDefault(content)
        const address = addressOf(view, isPlain ? '' : link)
        const entry: HistoryEntry = { epoch: this.#epoch }
        history.replaceState(entry, '', address === '' ? location.pathname + location.search : address)
      })
    }, QUIET_MS)
  }
}

function isDefault({ preset, settings, backend, iterations }: LinkContent): boolean {
  if (preset !== DEFAULT_PRESET || backend !== 'auto' || iterations !== DEFAULT_ITERATIONS) return false
  return JSON.stringify(settings) === JSON.stringify(presetSettings(preset))
}
