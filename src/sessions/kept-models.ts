/**
 * The models of a kept run's checkpoint as standard Hugging Face folders, to start another run from them or to save them. A
 * model is opened as for the run, gets the checkpoint's weights, and writes its folder, with adapters merged in.
 */
import { ModelTooLargeError } from '../language-model/backends/backend.ts'
import { keepLocalFolder, type FileSystemRoot } from '../engines/transformer/local-folders.ts'
import { CPU_MEMORY_BYTES } from '../engines/transformer/memory.ts'
import { TransformerModel, type TransformerSource } from '../engines/transformer/transformer-model.ts'
import type { World } from '../method/settings.ts'
import { LEARNING_ROLES, type LearningRole } from '../roles/learning.ts'
import type { FolderFiles } from '../roles/role-model.ts'
import { isShipped, shippedFolder } from '../roles/shipped-models.ts'
import { keptSource, type RoleSource } from '../roles/source.ts'
import { modelsWithin } from '../runs/branch.ts'
import type { ResumableRunStore, RunSummary } from '../runs/run-store.ts'

export interface KeptModelsParts {
  openStore(): Promise<
    Pick<ResumableRunStore, 'loadCheckpoint'> & { summary(runId: string): Promise<RunSummary | null> }
  >
  /** Folder of a shipped model, by its name. */
  shippedModel(name: string): string
  /** The browser's file system by default. */
  root?: FileSystemRoot
}

/** Names of the folders among those of the page (`local:NAME`). */
export type AddedFolders = Partial<Record<LearningRole, string>>

/** The checkpoint is gone, or its models are not on this machine or do not fit into its memory. */
export class KeptModelsError extends Error {
  override readonly name = 'KeptModelsError'
}

export class KeptModels {
  readonly #parts: KeptModelsParts

  constructor(parts: KeptModelsParts) {
    this.#parts = parts
  }

  /**
   * Adds the models to the page's folders; those that cannot change or are on a server are left out. Throws KeptModelsError,
   * ModelFileError and the errors of loading a model.
   */
  async addFolders(runId: string, iteration: number): Promise<AddedFolders> {
    const added: AddedFolders = {}
    for (const [role, files] of await this.#folders(runId, iteration)) {
      const name = `${runId}-${iteration}-${role}`
      await keepLocalFolder(name, Object.entries(files).map(asFile), () => {}, this.#parts.root)
      added[role] = name
    }
    return added
  }

  /** A zip with a folder for each role. Throws as `addFolders`. */
  async zip(runId: string, iteration: number): Promise<Blob> {
    const folders = await this.#folders(runId, iteration)
    const { writeZip } = await import('../runs/folder-zip.ts')
    return writeZip(
      [...folders].flatMap(([role, files]) =>
        Object.entries(files).map(([name, bytes]) => ({ path: `${role}/${name}`, bytes })),
      ),
    )
  }

  async #folders(runId: string, iteration: number): Promise<Map<LearningRole, FolderFiles>> {
    const store = await this.#parts.openStore()
    const [summary, checkpoint] = await Promise.all([store.summary(runId), store.loadCheckpoint(runId, iteration)])
    if (summary === null || checkpoint === null)
      throw new KeptModelsError(
        `The checkpoint of iteration ${iteration} of run "${runId}" is no longer kept. Choose another checkpoint.`,
      )
    const folders = new Map<LearningRole, FolderFiles>()
    for (const role of LEARNING_ROLES) {
      const kept = modelsWithin(summary, checkpoint)?.[role]
      const place = this.#placeOf(
        kept === undefined ? { kind: 'built-in' } : keptSource(kept),
        role,
        summary.settings.world,
      )
      const files = place && (await folderOf(place, checkpoint[role]))
      if (files) folders.set(role, files)
    }
    if (folders.size === 0)
      throw new KeptModelsError(
        'The models of this run cannot change, or their weights are on a server, so there is nothing to start from here.',
      )
    return folders
  }

  /** Null if the weights are not on this machine, or were never trained. */
  #placeOf(source: RoleSource, role: LearningRole, world: World): TransformerSource | null {
    const backend = 'cpu' as const
    if (isShipped(source)) return { location: this.#parts.shippedModel(shippedFolder(source, world, role)), backend }
    if (source.kind !== 'checkpoint') return null
    const { location, adapters, storage, contextWindow } = source
    // The CPU stores no half precision. Adapters are then merged into the base as its files have it.
    const kept = storage === 'float16' ? 'float32' : storage
    const checkpoint = { adapters, storage: kept, contextWindow, isTrained: false, adapterSeed: 0 } as const
    // Without adapters only float32 learns.
    if (adapters === null && storage !== 'float32') return null
    return { location, backend, checkpoint }
  }
}

async function folderOf(place: TransformerSource, checkpoint: Uint8Array): Promise<FolderFiles | null> {
  const model = new TransformerModel()
  try {
    await model.load(place)
    if (checkpoint.length > 0) await model.loadCheckpoint(checkpoint)
    return await model.saveFolder()
  } catch (cause) {
    if (!(cause instanceof ModelTooLargeError)) throw cause
    // Its advice is for a run: here nothing can be chosen.
    throw new KeptModelsError(
      `A model of this run is too large to be saved: its weights are merged as float32 on the CPU, which has ${Math.floor(CPU_MEMORY_BYTES / 1e9)} GB for them. To continue with it on the page, use Resume or Branch.`,
      { cause },
    )
  } finally {
    await model.unload()
  }
}

function asFile([name, bytes]: [string, Uint8Array]): File {
  return new File([bytes as Uint8Array<ArrayBuffer>], name)
}
