/**
 * Estimates the memory of a checkpoint in our transformer before it is loaded, and the smallest change with which it would fit.
 * With P weights, of which p are trained, stored with d bytes each:
 *
 *     weights      P · d, and 4 bytes for each weight of an adapter
 *     learning     12 p: a gradient and Adam's two moments in float32
 *     cache        2 · layers · keyWidth · 4 for each token that is cached for later prompts
 *     activations  of the tokens run at once (memory-budget.ts), forward, and backward if the model learns
 *     rest         logits in pieces of 16 MB, their gradients, and temporary buffers of kernels
 */
import { type BackendName, ModelTooLargeError } from '../../language-model/backends/backend.ts'
import type { ModelConfig } from '../../language-model/files/config.ts'
import type { LoraOptions } from '../../language-model/lora/options.ts'
import { bytesPerToken, defaultBatchSizes } from '../../language-model/weights/memory-budget.ts'
import { parameterShapes } from '../../language-model/weights/parameters.ts'
import { weightBytes } from '../../language-model/weights/weight-storage.ts'
import { type CheckpointSource, WEIGHT_STORAGES, type WeightStorage } from '../../roles/source.ts'

/** How a checkpoint is stored and trained. */
export interface CheckpointUse extends Pick<CheckpointSource, 'adapters' | 'storage' | 'contextWindow'> {
  isTrained: boolean
}

/** All in bytes. */
export interface CheckpointMemory {
  weights: number
  learning: number
  cache: number
  activations: number
  rest: number
  total: number
}

export interface CheckpointVerdict {
  fits: boolean
  estimate: CheckpointMemory
  /** A change with which it would fit; null if it fits, or if nothing helps. */
  change: CheckpointUse | null
}

/** The CPU backend uses WebAssembly's 32-bit memory. */
export const CPU_MEMORY_BYTES = 2 ** 32
const REST_BYTES = 96e6
/** Transcripts in the cache at once, for a chosen context: the rollouts of a group share most of theirs. */
const TRANSCRIPTS_KEPT = 8
const SHORTEST_CONTEXT = 512
const STORED_AS: Record<WeightStorage, string> = {
  float32: 'weights in float32',
  float16: 'weights in half precision',
  'four-bit': 'weights in four bits',
}
/** Suggested instead of training all weights. */
const SMALL_ADAPTERS: LoraOptions = { rank: 16, alpha: 32, dropout: 0, targets: ['q_proj', 'v_proj'] }

/** Tokens that are cached for later prompts. */
export function cacheSlots(config: ModelConfig, contextWindow: number | null, backend: BackendName): number {
  const most = defaultBatchSizes(config, { backend }).cacheSlots
  return contextWindow === null ? most : Math.min(most, TRANSCRIPTS_KEPT * contextWindow)
}

export function estimateCheckpoint(
  config: ModelConfig,
  use: CheckpointUse,
  backend: BackendName = 'cpu',
): CheckpointMemory {
  const adapterWeights = use.adapters === null ? 0 : adapterSize(config, use.adapters)
  const weights = weightBytes(config, use.storage)
  const all = weightBytes(config, 'float32') / 4
  const learned = use.isTrained ? (use.adapters === null ? all : adapterWeights) : 0
  const perToken = bytesPerToken(config)
  const { prefillTokens, microBatchTokens, recomputeActivations } = defaultBatchSizes(config)
  // A trajectory is always run as a whole.
  const trained = Math.max(microBatchTokens, use.contextWindow ?? 0)
  const perTrained = recomputeActivations ? perToken.recomputed : perToken.trained
  const estimate = {
    weights: weights + 4 * adapterWeights,
    learning: 12 * learned,
    cache: perToken.cached * cacheSlots(config, use.contextWindow, backend),
    activations: Math.max(prefillTokens * perToken.read, use.isTrained ? trained * perTrained : 0),
    rest: REST_BYTES,
  }
  return { ...estimate, total: Object.values(estimate).reduce((sum, bytes) => sum + bytes, 0) }
}

/**
 * Whether a checkpoint fits `limitBytes`, and if not, the cheapest change: a shorter context, then half-precision weights if the
 * backend supports them, then weights in four bits, then adapters instead of all weights, then several of these.
 */
export function checkCheckpoint(
  config: ModelConfig,
  use: CheckpointUse,
  limitBytes: number,
  backend: BackendName,
): CheckpointVerdict {
  const estimate = estimateCheckpoint(config, use, backend)
  if (estimate.total <= limitBytes) return { fits: true, estimate, change: null }
  const contexts = [use.contextWindow]
  for (let window = use.contextWindow ?? config.maxPositions; window / 2 >= SHORTEST_CONTEXT;)
    contexts.push((window = Math.floor(window / 2)))
  const canTrain = (storage: WeightStorage, adapters: LoraOptions | null) =>
    !use.isTrained || adapters !== null || storage === 'float32'
  const smaller = WEIGHT_STORAGES.filter((storage) => storage !== 'float16' || backend === 'webgpu')
  const storages = smaller.slice(Math.max(0, smaller.indexOf(use.storage)))
  const adapterChoices = use.adapters === null && use.isTrained ? [null, SMALL_ADAPTERS] : [use.adapters]
  for (const adapters of adapterChoices)
    for (const storage of storages)
      for (const contextWindow of contexts) {
        const changed = { ...use, adapters, storage, contextWindow }
        const fits = canTrain(storage, adapters) && estimateCheckpoint(config, changed, backend).total <= limitBytes
        if (fits) return { fits: false, estimate, change: changed }
      }
  return { fits: false, estimate, change: null }
}

/** Throws ModelTooLargeError, which names a change with which the model would fit. */
export function refuseTooLarge(
  name: string,
  config: ModelConfig,
  use: CheckpointUse,
  limitBytes: number,
  backend: BackendName,
): void {
  const { fits, estimate, change } = checkCheckpoint(config, use, limitBytes, backend)
  if (fits) return
  throw new ModelTooLargeError(
    `"${name}" takes about ${inMegabytes(estimate.total)} (weights ${inMegabytes(estimate.weights)}, learning ${inMegabytes(estimate.learning)}, cache ${inMegabytes(estimate.cache)}, activations ${inMegabytes(estimate.activations)}), and ${inMegabytes(limitBytes)} are available. ${adviceOf(use, change, backend)}`,
  )
}

function adviceOf(use: CheckpointUse, change: CheckpointUse | null, backend: BackendName): string {
  if (change === null) return `Choose a smaller model${backend === 'cpu' ? ', or WebGPU' : ''}.`
  const parts = [
    ...(change.contextWindow === use.contextWindow ? [] : [`a context of ${change.contextWindow} tokens`]),
    ...(change.storage === use.storage ? [] : [STORED_AS[change.storage]]),
    ...(change.adapters === use.adapters ? [] : ['adapters trained instead of all weights']),
  ]
  return `It would fit with ${parts.join(' and ')}.`
}

/** Number of adapter weights: A[r, in] and B[out, r] for each projection of every layer. */
function adapterSize(config: ModelConfig, { rank, targets }: LoraOptions): number {
  return parameterShapes(config)
    .filter(({ name }) => targets.some((target) => name.endsWith(`.${target}.weight`)))
    .reduce((sum, { shape }) => sum + rank * shape.reduce((a, b) => a + b, 0), 0)
}

function inMegabytes(bytes: number): string {
  return `${Math.ceil(bytes / 1e6).toLocaleString('en-GB')} MB`
}
