/**
 * The engine of our own transformer: a language model of this machine, as a service that a worker exposes. All three
 * roles are this one class; each has its own thread, so that policy and reward model compute at the same time.
 */
import { selectBackend, type BackendName } from '../language-model/backends/index.ts'
import { LanguageModel } from '../language-model/language-model.ts'
import { urlReader, type ModelReader } from '../language-model/model-folder.ts'
import type {
  Completion,
  GenerateRequest,
  LanguageModelPort,
  SamplingOptions,
  Tokens,
  TrainingExample,
  UpdateMetrics,
  UpdateOptions,
} from '../method/ports.ts'
import { nodeModule } from './endpoints.ts'

export interface ModelSource {
  /** Folder of the model: an address in a browser, a path in Node. */
  location: string
  backend: BackendName
}

export interface ModelInfo {
  parameters: number
  /** What computes, in words: "WebAssembly, relaxed SIMD, one thread". */
  backendDescription: string
  /** Tokens that prompt and response may have together. */
  maxPositions: number
}

/** Bytes; `total` is 0 while it is not known. */
export type OnBytes = (done: number, total: number) => void

export class ModelService implements LanguageModelPort {
  #model: LanguageModel | null = null

  /** Loads the model, in place of the one before. */
  async load({ location, backend }: ModelSource, onBytes?: OnBytes): Promise<ModelInfo> {
    const { description } = await selectBackend(backend)
    await this.#model?.dispose()
    this.#model = null
    this.#model = await LanguageModel.load(await readerOf(location, onBytes), 'selected')
    const { parameterCount, config } = this.#model
    return { parameters: parameterCount, backendDescription: description, maxPositions: config.maxPositions }
  }

  encode(texts: readonly string[]): Promise<Tokens[]> {
    return this.#loaded.encode(texts)
  }

  generate(
    requests: readonly GenerateRequest[],
    options: SamplingOptions,
    signal?: AbortSignal,
  ): Promise<Completion[][]> {
    return this.#loaded.generate(requests, options, signal)
  }

  update(examples: readonly TrainingExample[], options: UpdateOptions, signal?: AbortSignal): Promise<UpdateMetrics> {
    return this.#loaded.update(examples, options, signal)
  }

  saveCheckpoint(): Promise<Uint8Array> {
    return this.#loaded.saveCheckpoint()
  }

  loadCheckpoint(bytes: Uint8Array): Promise<void> {
    return this.#loaded.loadCheckpoint(bytes)
  }

  get #loaded(): LanguageModel {
    if (this.#model === null) throw new Error('No model is loaded in this worker; call load first.')
    return this.#model
  }
}

/** Results that a worker gives away instead of copying them. */
export const MODEL_RESULTS_GIVEN = ['generate', 'saveCheckpoint'] as const satisfies readonly (keyof ModelService)[]

async function readerOf(location: string, onBytes?: OnBytes): Promise<ModelReader> {
  const isAddress = /^[a-z]{2,}:/i.test(location)
  if (isAddress || nodeModule('node:worker_threads') === null)
    return urlReader(location, onBytes && countingFetch(onBytes))
  const folders = '../language-model/folder-reader.ts'
  const { folderReader } = (await import(
    /* @vite-ignore */ folders
  )) as typeof import('../language-model/folder-reader.ts')
  return folderReader(location)
}

/** `fetch` that tells how many bytes have come, over all files together. */
function countingFetch(onBytes: OnBytes): typeof fetch {
  let done = 0
  let total = 0
  return async (...request) => {
    const response = await fetch(...request)
    if (response.body === null || !response.ok) return response
    // The rest of a download that was cut is in the total already.
    if (response.status !== 206) total += Number(response.headers.get('content-length') ?? 0)
    const counter = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        done += chunk.byteLength
        onBytes(done, Math.max(done, total))
        controller.enqueue(chunk)
      },
    })
    return new Response(response.body.pipeThrough(counter), response)
  }
}
