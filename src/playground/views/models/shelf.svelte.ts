/** The models in this browser: WebLLM's cache, your own folders, the current download; and the graphics adapter. */
import { SvelteMap } from 'svelte/reactivity'
import {
  folderVersion,
  isRead,
  keepLocalFolder,
  LOCAL,
  localFolders,
  removeLocalFolder,
  type LocalFolder,
} from '../../../engines/transformer/local-folders.ts'
import { CATALOGUE } from '../../../engines/webllm/catalogue.ts'
import { downloadModel } from '../../../engines/webllm/model-download.ts'
import { browserFiles } from '../../../engines/webllm/model-files.ts'
import { foundRecords } from '../../../engines/webllm/found-models.ts'
import { deleteModel, keepLocalModel, storedModels, type StoredModel } from '../../../engines/webllm/stored-models.ts'
import type { ModelRecord } from '../../../roles/source.ts'
import { openCaches } from '../../../storage/browser-storage.ts'
import { TransferMeter, type TransferState } from '../../../engines/webllm/transfer-meter.ts'
import type { Role } from '../../run/role-models.ts'
import { CheckpointOutlooks } from './checkpoint-outlooks.svelte.ts'
import { pickedFiles, pickedName } from './picked-folder.ts'
import { errorText } from '../../../threads/error-text.ts'

export interface Adapter {
  name: string
  features: GPUSupportedFeatures
  maxStorageBufferBindingSize: number
}

/** WebLLM's models in this browser. */
const FILES = browserFiles(() => openCaches('WebLLM models'))
const LISTED = CATALOGUE.map(({ record }) => record)

export class ModelsShelf {
  readonly outlooks = new CheckpointOutlooks()
  readonly #ownRecords: () => readonly ModelRecord[]
  readonly #demands = new SvelteMap<Role, number>()
  #adapter = $state.raw<Adapter | null | undefined>(undefined)
  #stored = $state.raw<readonly StoredModel[]>([])
  #found = $state.raw<readonly ModelRecord[]>([])
  #folders = $state.raw<readonly LocalFolder[]>([])
  #transfer = $state.raw<{ what: string; state: TransferState } | null>(null)
  #news = $state.raw('')
  #problem = $state.raw<string | null>(null)
  #stop: AbortController | null = null

  /** `ownRecords` are WebLLM models at your own addresses. */
  constructor(ownRecords: () => readonly ModelRecord[]) {
    this.#ownRecords = ownRecords
  }

  /** Null if there is none, undefined until it is known. */
  get adapter(): Adapter | null | undefined {
    return this.#adapter
  }
  get stored(): readonly StoredModel[] {
    return this.#stored
  }
  /** Unlisted WebLLM models in its cache, such as your own folders. */
  get found(): readonly ModelRecord[] {
    return this.#found
  }
  get folders(): readonly LocalFolder[] {
    return this.#folders
  }
  get transfer(): { what: string; state: TransferState } | null {
    return this.#transfer
  }
  /** How the last download or copy began or ended, without its bytes. */
  get news(): string {
    return this.#news
  }
  get problem(): string | null {
    return this.#problem
  }

  /** Bytes of graphics memory that the chosen models need together. */
  get demand(): number {
    return [...this.#demands.values()].reduce((sum, bytes) => sum + bytes, 0)
  }
  setDemand(role: Role, bytes: number): void {
    this.#demands.set(role, bytes)
  }

  async look(): Promise<void> {
    await this.#try(async () => {
      const gpu = (navigator as Partial<Navigator>).gpu
      const adapter = (await gpu?.requestAdapter({ powerPreference: 'high-performance' }).catch(() => null)) ?? null
      this.#adapter = adapter && {
        name: [adapter.info.vendor, adapter.info.architecture, adapter.info.description].filter(Boolean).join(' '),
        features: adapter.features,
        maxStorageBufferBindingSize: adapter.limits.maxStorageBufferBindingSize,
      }
      await this.#lookAtStores()
    })
  }

  async download(record: ModelRecord): Promise<void> {
    await this.#moving(record.model_id, (onBytes, signal) => downloadModel(FILES, record, onBytes, signal))
  }

  /** Keeps a folder and returns its name, which tells it from others that are named alike; null on failure. */
  async keepFolder(picked: readonly File[]): Promise<string | null> {
    const path = pickedName(picked)
    let kept: string | null = null
    await this.#moving(path, async (onBytes, signal) => {
      const files = pickedFiles(picked, 'config.json').filter(({ name }) => isRead(name))
      const name = await folderVersion(path, files, signal)
      const bytes = files.reduce((sum, { size }) => sum + size, 0)
      // One that is whole needs no copy, which could fail and take it away from the runs that use it.
      const isHere = this.#folders.some((folder) => folder.name === name && folder.bytes === bytes)
      if (!isHere) await keepLocalFolder(name, files, onBytes, undefined, signal)
      this.outlooks.forget(LOCAL + name)
      kept = name
    })
    return kept
  }

  /** Keeps a folder in WebLLM's format and returns its record; null on failure. */
  async keepWebLlmFolder(picked: readonly File[]): Promise<ModelRecord | null> {
    const id = pickedName(picked)
    await this.#moving(id, async (onBytes, signal) => {
      const files = pickedFiles(picked, 'mlc-chat-config.json')
      const total = files.reduce((sum, { size }) => sum + size, 0)
      let done = 0
      const read = async (file: File) => {
        signal.throwIfAborted()
        const bytes = new Uint8Array(await file.arrayBuffer())
        onBytes((done += bytes.length), total)
        return bytes
      }
      const folder = files.map((file) => ({ name: file.name, read: () => read(file) }))
      await keepLocalModel(FILES, id, location.origin, folder)
    })
    return this.#found.find(({ model_id, model_lib }) => model_id === id && model_lib !== '') ?? null
  }

  cancel(): void {
    this.#stop?.abort()
  }

  async deleteModel(id: string): Promise<void> {
    const records = this.#records
    const record = records.find(({ model_id }) => model_id === id)
    await this.#deleting(async () => record && deleteModel(FILES, record, records))
  }

  async deleteFolder(name: string): Promise<void> {
    await this.#deleting(() => removeLocalFolder(name))
    this.outlooks.forget(LOCAL + name)
  }

  /** The look that follows does not hide why a model could not be deleted. */
  async #deleting(remove: () => Promise<unknown>): Promise<void> {
    const isDeleted = await this.#try(remove)
    const look = () => this.#lookAtStores()
    await (isDeleted ? this.#try(look) : look().catch(() => undefined))
  }

  async #lookAtStores(): Promise<void> {
    this.#folders = await localFolders()
    this.#found = await foundRecords(FILES, [...LISTED, ...this.#ownRecords()])
    this.#stored = await storedModels(FILES, this.#records)
  }

  get #records(): ModelRecord[] {
    const all = [...LISTED, ...this.#ownRecords(), ...this.#found]
    return all.filter(({ model_id }, i) => all.findIndex((other) => other.model_id === model_id) === i)
  }

  async #moving(
    what: string,
    move: (onBytes: (done: number, total: number) => void, signal: AbortSignal) => Promise<void>,
  ): Promise<boolean> {
    if (this.#stop) return false
    this.#stop = new AbortController()
    const { signal } = this.#stop
    const meter = new TransferMeter(() => performance.now())
    this.#transfer = { what, state: meter.update(0, 0) }
    this.#news = `Loading ${what}…`
    let shownAt = 0
    const isDone = await this.#try(async () => {
      await move((done, total) => {
        const state = meter.update(done, total)
        if (performance.now() - shownAt < 200) return
        shownAt = performance.now()
        this.#transfer = { what, state }
      }, signal)
    }, signal)
    this.#stop = null
    this.#transfer = null
    this.#news = isDone ? `${what} is in this browser now.` : signal.aborted ? `Loading ${what} was cancelled.` : ''
    await this.#lookAtStores().catch(() => undefined)
    return isDone
  }

  async #try(action: () => Promise<unknown>, signal?: AbortSignal): Promise<boolean> {
    this.#problem = null
    try {
      await action()
      return true
    } catch (error) {
      if (!signal?.aborted) this.#problem = errorText(error)
      return false
    }
  }
}
