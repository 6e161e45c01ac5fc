/**
 * MiniWoB++ on this page: the wheel that a person brings, and what the check of its pages found. The first load has none of what reads
 * it.
 */
import { errorText } from '../../../../threads/error-text.ts'
import { createContext } from 'svelte'
import type { PickedFile } from '../../../../storage/dropped-files.ts'
import type { PageCheck } from '../../../../worlds/desktop/miniwob/check-page.ts'
import type { KeptWheel } from '../../../../worlds/desktop/miniwob/wheel-library.ts'
import type { Wheel } from '../../../../worlds/desktop/miniwob/wheel.ts'
import type { ShelfNews, WorldShelf } from '../../../state/world-shelf.ts'
import type { Evaluation } from './evaluation.svelte.ts'
import type { Stage } from './stage.ts'

type Tools = typeof import('./wheel-tools.ts')

const loadTools = (): Promise<Tools> =>
  import('./wheel-tools.ts').catch((cause: unknown) => {
    throw new Error('A part of this page could not be loaded. Reload the page to try again.', { cause })
  })

/** The page's wheel, for the components of this world. */
export const [miniwobOfPage, provideMiniwob] = createContext<MiniWob>()

/** Pages between two writes of what their check found, each of which writes the wheel. */
const KEEP_EVERY = 20

export const isWheel = (path: string) => /\.whl$/i.test(path)

export class MiniWob implements WorldShelf {
  #kept = $state.raw<KeptWheel | null>(null)
  #wheel = $state.raw<Wheel | null>(null)
  #reading = $state.raw<string | null>(null)
  #failure = $state.raw<string | null>(null)
  #passedOver = $state.raw<readonly string[]>([])
  #checked = $state.raw<{ done: number; total: number } | null>(null)
  #hasLooked = false
  readonly #load: () => Promise<Tools>
  /** Outlives the view that shows it. */
  evaluation: Evaluation | null = null

  constructor(load: () => Promise<Tools> = loadTools) {
    this.#load = load
  }

  /** A run draws the desktop's own tasks. */
  readonly areThere = false
  readonly news: ShelfNews = { failures: [], imports: [] }

  get wheel(): Wheel | null {
    return this.#wheel
  }
  get checks(): Readonly<Record<string, PageCheck>> {
    return this.#kept?.checks ?? {}
  }
  /** Name of the file that is being read. */
  get reading(): string | null {
    return this.#reading
  }
  /** Why the wheel cannot be read or kept; null if it can. */
  get failure(): string | null {
    return this.#failure
  }
  /** Sentences on wheels of the last drop that were not read. */
  get passedOver(): readonly string[] {
    return this.#passedOver
  }
  /** How far the check of the pages is; null while none runs. */
  get checked(): { done: number; total: number } | null {
    return this.#checked
  }

  /** The panel looks when it is shown. */
  async look(): Promise<void> {}

  async open(): Promise<void> {
    if (this.#hasLooked) return
    this.#hasLooked = true
    try {
      const { library, readWheel } = await this.#load()
      const kept = await library.get()
      if (kept === null || this.#kept !== null) return
      this.#wheel = await readWheel(new Blob([kept.bytes]))
      this.#kept = kept
    } catch (cause) {
      this.#failure = errorText(cause)
    }
    void this.check()
  }

  async takeDropped(_texts: readonly File[], others: AsyncGenerator<PickedFile> | null): Promise<boolean> {
    if (others === null) return false
    const wheels: File[] = []
    const unopened: string[] = []
    for await (const picked of others) {
      if (!isWheel(picked.path)) continue
      if (picked.file === null) unopened.push(`${picked.path} could not be opened: ${picked.reason}`)
      else wheels.push(picked.file)
    }
    if (wheels.length + unopened.length === 0) return false
    const taken = wheels.find(({ name }) => /^miniwob\b/i.test(name)) ?? wheels[0]
    if (taken) void this.take(taken)
    const rest = wheels.filter((file) => file !== taken).map(({ name }) => name)
    this.#passedOver = [...unopened, ...(rest.length === 0 ? [] : [oneOf(taken!.name, rest)])]
    return true
  }

  /** Reads a wheel, which replaces the one before. */
  async take(file: File): Promise<void> {
    this.#hasLooked = true
    this.#reading = file.name
    this.#failure = null
    this.#passedOver = []
    try {
      const { library, readWheel } = await this.#load()
      const wheel = await readWheel(file)
      const kept = { file: file.name, bytes: new Uint8Array(await file.arrayBuffer()), checks: {} }
      this.evaluation?.clear()
      this.#wheel = wheel
      this.#kept = kept
      await library.put(kept)
    } catch (cause) {
      this.#failure = errorText(cause)
    } finally {
      this.#reading = null
    }
    void this.check()
  }

  async remove(): Promise<void> {
    this.evaluation?.clear()
    this.#wheel = null
    this.#kept = null
    this.#failure = null
    this.#passedOver = []
    try {
      const { library } = await this.#load()
      await library.remove()
    } catch (cause) {
      this.#failure = errorText(cause)
    }
  }

  /** Checks the pages that have not been checked, one after another, and keeps what it finds. */
  async check(): Promise<void> {
    const [wheel, kept] = [this.#wheel, this.#kept]
    if (wheel === null || kept === null || this.#checked !== null) return
    const total = wheel.pages.length
    const done = () => Object.keys(this.checks).length
    const unchecked = wheel.pages.filter(({ name }) => !(name in kept.checks))
    if (unchecked.length === 0) return
    // Before anything is waited for: another wheel may come in between.
    this.#checked = { done: done(), total }
    let stage: Stage | null = null
    try {
      const { library, checkOf, openStage } = await this.#load()
      stage = openStage()
      for (const page of unchecked) {
        if (this.#wheel !== wheel) break
        this.#checked = { done: done(), total }
        const found = await checkOf(stage, wheel, page)
        // Another wheel has come, or this one is gone.
        if (this.#wheel !== wheel) break
        this.#kept = { ...kept, checks: { ...this.checks, [page.name]: found } }
        if (done() % KEEP_EVERY === 0) await library.put(this.#kept)
      }
      if (this.#wheel === wheel) await library.put(this.#kept!)
    } catch (cause) {
      this.#failure ??= errorText(cause)
    } finally {
      stage?.close()
      this.#checked = null
    }
    if (this.#wheel !== wheel) await this.check()
  }
}

function oneOf(taken: string, rest: readonly string[]): string {
  const names = new Intl.ListFormat('en').format(rest)
  return `Only ${taken} was read, because the page keeps one wheel. Not read: ${names}. Drop one alone to use it instead.`
}
