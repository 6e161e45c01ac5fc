/**
 * Worlds from files on this page, with their models: reads, checks and keeps them. Where the browser keeps nothing, they last as
 * long as the page. Tabs notify each other of changes.
 */
import { createContext } from 'svelte'
import { openTabChannel } from '../../../storage/browser-storage.ts'
import { chosenFiles, type PickedFile } from '../../../storage/dropped-files.ts'
import type { KeptWorld } from '../../../worlds/own/library/indexeddb-library.ts'
import { readLocal, writeLocal } from '../../kit/local-text.ts'
import type { ShelfNews, WorldShelf, WorldSupplies } from '../../state/world-shelf.ts'
import type { OpenChecker } from './check-worker.ts'
import { modelsOf, sortFiles } from './world-models.ts'

const CHOSEN = 'playground.own-world'
/** The first load has none of it. */
const loadImport = () => import('./world-import.ts')

/** The page's worlds, for the components of this world. */
export const [ownWorldsOfPage, provideOwnWorlds] = createContext<OwnWorlds>()

export class OwnWorlds implements WorldShelf {
  readonly #open: OpenChecker
  readonly #tabs = openTabChannel('own-worlds')
  #worlds = $state.raw<readonly KeptWorld[]>([])
  #folders = $state.raw<readonly string[]>([])
  #chosenFile = $state.raw<string | null>(readLocal(CHOSEN))
  #obstacle = $state.raw<string | null>(null)
  #reading = $state.raw<string | null>(null)
  #failures = $state.raw<readonly { what: string; why: string }[]>([])
  /** Settles when every import so far has ended; never rejects. */
  #imported: Promise<void> = Promise.resolve()

  /** Panels show what became of an import; dropping a file chooses this world. */
  readonly news: ShelfNews = { failures: [], imports: [] }

  constructor(open: OpenChecker) {
    this.#open = open
    this.#tabs.onmessage = () => void this.look()
  }

  get worlds(): readonly KeptWorld[] {
    return this.#worlds
  }
  /** The world of the next run; null without one. */
  get chosen(): KeptWorld | null {
    return this.#worlds.find(({ file }) => file === this.#chosenFile) ?? this.#worlds[0] ?? null
  }
  get areThere(): boolean {
    return this.#worlds.length > 0
  }
  /** Why this browser cannot keep worlds; null if it can. */
  get obstacle(): string | null {
    return this.#obstacle
  }
  /** Name of what is being read. */
  get reading(): string | null {
    return this.#reading
  }
  /** What the last import could not use. */
  get failures(): readonly { what: string; why: string }[] {
    return this.#failures
  }
  get supplies(): WorldSupplies | undefined {
    const { chosen } = this
    if (chosen === null) return undefined
    const worldFile = { name: chosen.facts.name, ...chosen.module }
    return { worldFile, models: modelsOf(chosen.file, this.#folders) }
  }

  choose(file: string): void {
    this.#chosenFile = file
    writeLocal(CHOSEN, file)
  }

  async look(): Promise<void> {
    // A world that was kept was also chosen.
    if (this.#chosenFile === null) return
    const { library, messageOf } = await loadImport()
    try {
      const kept = await library.list()
      const inMemory = this.#obstacle === null ? [] : this.#worlds
      this.#worlds = [...kept, ...inMemory.filter(({ file }) => !kept.some((world) => world.file === file))]
      this.#obstacle = null
    } catch (cause) {
      this.#obstacle = messageOf(cause)
    }
    await this.#lookAtFolders()
  }

  async takeDropped(_texts: readonly File[], others: AsyncGenerator<PickedFile> | null): Promise<boolean> {
    if (others === null) return false
    const picked: PickedFile[] = []
    for await (const file of others) picked.push(file)
    void this.#take(picked)
    return true
  }

  /** Reads chosen files: worlds, and folders of models. */
  async takeChosen(files: readonly File[]): Promise<void> {
    const picked: PickedFile[] = []
    for await (const file of chosenFiles(files)) picked.push(file)
    await this.#take(picked)
  }

  async remove(file: string): Promise<void> {
    this.#worlds = this.#worlds.filter((world) => world.file !== file)
    const { library, messageOf } = await loadImport()
    await library.delete(file).catch((cause: unknown) => (this.#obstacle = messageOf(cause)))
    this.#tabs.postMessage('changed')
  }

  #take(picked: readonly PickedFile[]): Promise<void> {
    this.#imported = this.#imported.then(() => this.#read(picked))
    return this.#imported
  }

  async #read(picked: readonly PickedFile[]): Promise<void> {
    const { worlds, models, problems } = sortFiles(picked)
    this.#failures = problems.map((why) => ({ what: 'A file could not be opened.', why }))
    if (worlds.length + models.size === 0)
      this.#fail(
        'Nothing of it is a world or the models of one.',
        'A world is a file that ends in .ts or .js; its models are the whole folder that ends in .models.',
      )
    for (const file of worlds) await this.#readWorld(file)
    for (const [name, files] of models) await this.#keepModel(name, files)
    this.#reading = null
    this.#tabs.postMessage('changed')
    await this.#lookAtFolders()
  }

  async #readWorld(file: File): Promise<void> {
    this.#reading = file.name
    const { readWorld, library, messageOf } = await loadImport()
    let world: KeptWorld
    try {
      world = await readWorld(this.#open, file)
    } catch (cause) {
      return this.#fail(`${file.name} cannot be played.`, messageOf(cause))
    }
    const others = this.#worlds.filter((other) => other.file !== world.file)
    this.#worlds = [...others, world].sort((a, b) => a.file.localeCompare(b.file))
    this.choose(world.file)
    await library.put(world).catch((cause: unknown) => (this.#obstacle = messageOf(cause)))
  }

  async #keepModel(name: string, files: readonly File[]): Promise<void> {
    this.#reading = name
    const { keepLocalFolder, messageOf } = await loadImport()
    try {
      await keepLocalFolder(name, files)
    } catch (cause) {
      const why = messageOf(cause)
      // What blocks one model blocks all of the folder.
      if (!this.#failures.some((failure) => failure.why === why))
        this.#fail(`The models in ${name.replace(/\/.*/, '')} were not kept.`, why)
    }
  }

  async #lookAtFolders(): Promise<void> {
    if (!this.areThere) return
    const { keptFolders, messageOf } = await loadImport()
    try {
      this.#folders = await keptFolders()
    } catch (cause) {
      this.#obstacle ??= messageOf(cause)
    }
  }

  #fail(what: string, why: string): void {
    this.#failures = [...this.#failures, { what, why }]
  }
}
