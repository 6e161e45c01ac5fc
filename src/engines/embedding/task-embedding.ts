/**
 * How far tasks are from one another in meaning, by the policy that ships with their world: its input embeddings without the two
 * directions in which the pool as drawn spreads most (decision 9). A service that a worker exposes. It rests between slices as long
 * as it has worked, so that a run that trains meanwhile keeps its cores.
 */
import { selectBackend } from '../../language-model/backends/index.ts'
import { EmbeddingSpace, pairDistances, placedDistance } from '../../language-model/embedding/embedding-space.ts'
import { loadTransformer } from '../../language-model/files/load-transformer.ts'
import { readModelFolder, type ModelReader } from '../../language-model/files/model-folder.ts'
import { TextEmbedder } from '../../language-model/embedding/text-embedding.ts'
import type { Settings } from '../../method/settings.ts'

export type EmbeddedWorld = Settings['setting']

/** Layers that run before tokens are averaged, and directions that are left out: as measured (`npm run experiments -- drift`). */
export const EMBEDDING_LAYERS = 0
export const EMBEDDING_DIRECTIONS = 2

export interface EmbeddedTask {
  instruction: string
  kind: string
}

/** What a distance is read against: mean distances of two tasks of the pool as it was drawn. */
export interface MeaningReferences {
  /** Of any two; null for a pool of one. */
  random: number | null
  /** Of two of the same kind; null where no kind has two. */
  sameKind: number | null
}

export interface TextPair {
  root: string
  text: string
}

const SLICE = 32
/** Texts of a run and more; after as many it begins anew rather than grow for ever. */
const MOST_CACHED = 20_000

export class TaskEmbeddingService {
  readonly #readModel: (world: EmbeddedWorld) => ModelReader | Promise<ModelReader>
  #loaded: { world: EmbeddedWorld; embedder: TextEmbedder; dispose: () => void } | null = null
  /** By text, of the loaded model. */
  readonly #rows = new Map<string, Float32Array>()
  #space: EmbeddingSpace | null = null

  constructor(readModel: (world: EmbeddedWorld) => ModelReader | Promise<ModelReader>) {
    this.#readModel = readModel
  }

  /** Texts that are embedded by now. */
  get cached(): number {
    return this.#rows.size
  }

  /**
   * Takes a pool as it was drawn for what distances are seen from. Throws BackendUnavailableError, ModelFileError and what else
   * loading a model throws.
   */
  async open(world: EmbeddedWorld, pool: readonly EmbeddedTask[], signal?: AbortSignal): Promise<MeaningReferences> {
    this.#space = null
    await this.#load(world)
    const rows = await this.#embed(
      pool.map(({ instruction }) => instruction),
      signal,
    )
    const space = EmbeddingSpace.of(rows, EMBEDDING_DIRECTIONS)
    this.#space = space
    const all: Float64Array[] = []
    const byKind = new Map<string, Float64Array[]>()
    for (const [i, { kind }] of pool.entries()) {
      const placed = space.place(rows[i]!)
      all.push(placed)
      const ofKind = byKind.get(kind)
      if (ofKind) ofKind.push(placed)
      else byKind.set(kind, [placed])
    }
    const random = pairDistances(all)
    let [sum, pairs] = [0, 0]
    for (const placed of byKind.values()) {
      const within = pairDistances(placed)
      sum += within.sum
      pairs += within.pairs
    }
    return { random: random.pairs === 0 ? null : random.sum / random.pairs, sameKind: pairs === 0 ? null : sum / pairs }
  }

  /** Cosine distances, in [0, 2], of each pair, as seen from the pool that was opened. */
  async distances(pairs: readonly TextPair[], signal?: AbortSignal): Promise<Float32Array> {
    const space = this.#space
    if (space === null) throw new Error('No pool is open in this worker; call open first.')
    const rows = await this.#embed(
      pairs.flatMap(({ root, text }) => [root, text]),
      signal,
    )
    return Float32Array.from(pairs, (_, i) => placedDistance(space.place(rows[2 * i]!), space.place(rows[2 * i + 1]!)))
  }

  async #load(world: EmbeddedWorld): Promise<void> {
    if (this.#loaded?.world === world) return
    this.#loaded?.dispose()
    this.#loaded = null
    this.#rows.clear()
    await selectBackend('cpu')
    const reader = await this.#readModel(world)
    const { config, tokenizer } = await readModelFolder(reader)
    const transformer = await loadTransformer(reader, config)
    this.#loaded = {
      world,
      embedder: new TextEmbedder(transformer, (text) => tokenizer.encode(text), { layers: EMBEDDING_LAYERS }),
      dispose: () => transformer.dispose(),
    }
  }

  /** Rows of the texts, in their order; those that are not known are embedded slice by slice. */
  async #embed(texts: readonly string[], signal?: AbortSignal): Promise<Float32Array[]> {
    const { embedder } = this.#loaded!
    if (this.#rows.size + texts.length > MOST_CACHED) this.#rows.clear()
    const unknown = [...new Set(texts)].filter((text) => !this.#rows.has(text))
    for (let from = 0; from < unknown.length; from += SLICE) {
      const slice = unknown.slice(from, from + SLICE)
      const start = performance.now()
      const rows = await embedder.embed(slice, signal)
      for (const [i, text] of slice.entries()) this.#rows.set(text, rows[i]!)
      await rest(performance.now() - start)
      signal?.throwIfAborted()
    }
    return texts.map((text) => this.#rows.get(text)!)
  }
}

const rest = (durationMs: number) => new Promise((resolve) => setTimeout(resolve, durationMs))
