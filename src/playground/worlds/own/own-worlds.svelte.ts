/**
 * Worlds from files on this page, with their models: reads, checks and keeps them. Where the browser keeps nothing, they last as
 * long as the page. Tabs notify each other of changes.
 */
import { errorText } from '../../../threads/error-text.ts'
import { createContext } from 'svelte'
import { openTabChannel } from '../../../storage/browser-storage.ts'
import { hearOfFolders } from '../../../storage/folder-news.ts'
import { chosenFiles, type PickedFile } from '../../../storage/dropped-files.ts'
import type { IndexedDbWorldLibrary, KeptWorld } from '../../../worlds/own/library/indexeddb-library.ts'
import { counted } from '../../kit/format.ts'
import { readLocal, writeLocal } from '../../kit/local-text.ts'
import { ImportQueue } from '../../state/import-queue.ts'
import type { ShelfNews, WorldShelf, WorldSupplies } from '../../state/world-shelf.ts'
import type { OpenChecker } from './check-worker.ts'
import { modelsFolder } from '../../../worlds/own/models-folder.ts'
import { modelsOf, playedVersion, sortFiles, type ModelFiles } from './world-models.ts'

const CHOSEN = 'playground.own-world'
/** With the folder's name: the version of its models that was dropped last. */
const LATEST = 'playground.own-models.'
/** The first load has none of it. Rejects where it cannot be loaded, such as without a network. */
const loadImport = () =>
  import('./world-import.ts').catch((cause: unknown) => {
    throw new Error('A part of this page could not be loaded. Reload the page to try again.', { cause })
  })
export type LoadImport = () => Promise<
  Omit<Awaited<ReturnType<typeof loadImport>>, 'library'> & {
    library: Pick<IndexedDbWorldLibrary, 'put' | 'list' | 'delete'>
  }
>

/** The page's worlds, for the components of this world. */
export const [ownWorldsOfPage, provideOwnWorlds] = createContext<OwnWorlds>()

export class OwnWorlds implements WorldShelf {
  readonly #open: OpenChecker
  readonly #load: LoadImport
  readonly #tabs = openTabChannel('own-worlds')
  #worlds = $state.raw<readonly KeptWorld[]>([])
  /** Worlds that only this page has, and why; null while one is being kept. */
  #unkept = $state.raw<readonly { file: string; why: string | null }[]>([])
  #folders = $state.raw<readonly string[]>([])
  /** By folder, the version that was dropped last on this page. */
  #latest = $state.raw<Readonly<Record<string, string>>>({})
  #chosenFile = $state.raw<string | null>(readLocal(CHOSEN))
  #obstacle = $state.raw<string | null>(null)
  #reading = $state.raw<string | null>(null)
  #failures = $state.raw<readonly { what: string; why: string }[]>([])
  readonly #imports = new ImportQueue()

  /** Panels show what became of an import; dropping a file chooses this world. */
  readonly news: ShelfNews = { failures: [], imports: [] }

  constructor(open: OpenChecker, load: LoadImport = loadImport) {
    this.#open = open
    this.#load = load
    // An import looks at its end, when its folders are whole.
    hearOfFolders(() => {
      if (this.#reading === null) void this.#lookAtFolders()
    })
    this.#tabs.onmessage = () => {
      // The first world may be of that tab. A choice of this one stays.
      this.#chosenFile ??= readLocal(CHOSEN)
      void this.look()
    }
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
    return this.#unkept.find(({ why }) => why !== null)?.why ?? this.#obstacle
  }
  /** Name of what is being read. */
  get reading(): string | null {
    return this.#reading
  }
  /** What the last imports could not use, which ran without a pause between them. */
  get failures(): readonly { what: string; why: string }[] {
    return this.#failures
  }
  get supplies(): WorldSupplies | undefined {
    const { chosen } = this
    if (chosen === null) return undefined
    const worldFile = { name: chosen.facts.name, ...chosen.module }
    return { worldFile, models: modelsOf(chosen.file, this.#folders, this.#latestOf(chosen)) }
  }
  /** "1a2b3c4d", of the models that play the chosen world; null without any, or if they have no version. */
  get modelsVersion(): string | null {
    const { chosen } = this
    const played = chosen && playedVersion(chosen.file, this.#folders, this.#latestOf(chosen))
    return played?.split('@')[1] ?? null
  }

  #latestOf({ file }: KeptWorld): string | null {
    const folder = modelsFolder(file)
    return this.#latest[folder] ?? readLocal(LATEST + folder)
  }

  choose(file: string): void {
    this.#chosenFile = file
    writeLocal(CHOSEN, file)
  }

  async look(): Promise<void> {
    // A world that was kept was also chosen.
    if (this.#chosenFile === null) return
    try {
      const { library } = await this.#load()
      const kept = await library.list()
      const isUnkept = ({ file }: KeptWorld) => this.#unkept.some((world) => world.file === file)
      this.#worlds = inOrder([...kept.filter((world) => !isUnkept(world)), ...this.#worlds.filter(isUnkept)])
      this.#obstacle = null
    } catch (cause) {
      this.#obstacle = errorText(cause)
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
    this.#setUnkept(file, undefined)
    try {
      const { library } = await this.#load()
      await library.delete(file)
    } catch (cause) {
      this.#obstacle = errorText(cause)
    }
    this.#tabs.postMessage('changed')
  }

  #take(picked: readonly PickedFile[]): Promise<void> {
    return this.#imports.add((isFirst) => this.#read(picked, isFirst))
  }

  async #read(picked: readonly PickedFile[], isFirst: boolean): Promise<void> {
    const { worlds, models, problems } = sortFiles(picked)
    if (isFirst) this.#failures = []
    for (const why of problems) this.#fail('A file could not be opened.', why)
    if (worlds.length + models.size === 0)
      this.#fail(
        `${titleOf(picked)} cannot be used here.`,
        'A world is a file that ends in .ts or .js; its models are the whole folder that ends in .models.',
      )
    try {
      for (const file of worlds) await this.#readWorld(file)
      for (const [folder, files] of models) await this.#keepModels(folder, files)
    } finally {
      this.#reading = null
    }
    this.#tabs.postMessage('changed')
    await this.#lookAtFolders()
  }

  async #readWorld(file: File): Promise<void> {
    this.#reading = file.name
    let world: KeptWorld
    try {
      const { readWorld } = await this.#load()
      world = await readWorld(this.#open, file)
    } catch (cause) {
      return this.#fail(`${file.name} cannot be played.`, errorText(cause))
    }
    this.#setUnkept(world.file, null)
    this.#worlds = inOrder([...this.#worlds.filter((other) => other.file !== world.file), world])
    this.choose(world.file)
    try {
      const { library } = await this.#load()
      await library.put(world)
      this.#setUnkept(world.file, undefined)
    } catch (cause) {
      this.#setUnkept(world.file, errorText(cause))
    }
  }

  async #keepModels(folder: string, models: ModelFiles): Promise<void> {
    this.#reading = folder
    try {
      const { keepLocalFolder, versionName } = await this.#load()
      const version = await versionName(folder, models)
      for (const [model, files] of models) {
        this.#reading = `${folder}/${model}`
        await keepLocalFolder(`${version}/${model}`, files)
      }
      this.#latest = { ...this.#latest, [folder]: version }
      writeLocal(LATEST + folder, version)
    } catch (cause) {
      this.#fail(`The models in ${folder} were not kept.`, errorText(cause))
    }
  }

  async #lookAtFolders(): Promise<void> {
    if (!this.areThere) return
    try {
      const { keptFolders } = await this.#load()
      this.#folders = await keptFolders()
    } catch (cause) {
      this.#obstacle ??= errorText(cause)
    }
  }

  /** `why` is undefined once the browser keeps the world, or nothing does. */
  #setUnkept(file: string, why: string | null | undefined): void {
    const others = this.#unkept.filter((world) => world.file !== file)
    this.#unkept = why === undefined ? others : [...others, { file, why }]
  }

  #fail(what: string, why: string): void {
    this.#failures = [...this.#failures, { what, why }]
  }
}

/** "photo.png and 2 other files" */
function titleOf(picked: readonly PickedFile[]): string {
  const [first, ...others] = picked
  const name = first?.path ?? 'An empty folder'
  return others.length === 0 ? name : `${name} and ${counted(others.length, 'other file')}`
}

function inOrder(worlds: readonly KeptWorld[]): KeptWorld[] {
  return [...worlds].sort((a, b) => a.file.localeCompare(b.file))
}
