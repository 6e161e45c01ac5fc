/**
 * Estimates the graphics memory of a model before it is loaded, and the smallest change with which it would fit.
 *
 *     weights      parameters · bytes each (four bits: 0.5, and one scale for every 32)
 *     caches       2 · layers · keyValueHeads · headDim · bytes · (context of WebLLM's own cache + tokens of ours)
 *     logits       sequences · vocabulary · 4, twice (computed and copied); if the library has the vocabulary size compiled in
 *                  (Qwen), it reserves them for a whole chunk of 1024 tokens, else 64 MB suffice to score
 *     rest         activations of a chunk, and a twentieth of the weights for temporary buffers and the runtime
 */
import type { MlcQuantization } from '../../weight-formats/mlc-encoding.ts'
import type { CatalogueModel, DecoderShape } from './catalogue.ts'
import { SCORE_BYTES } from './batched-sampler.ts'

export interface MemoryPlan {
  /** Tokens of prompt and response together. */
  contextWindow: number
  sequences: number
  cacheTokens: number
}

export interface MemoryEstimate {
  weights: number
  caches: number
  logits: number
  rest: number
  /** All in bytes. */
  total: number
}

/** Limits of the device. */
export interface MemoryLimits {
  /** Total bytes that may be used. Browsers do not report the available memory, so this is set by hand or measured. */
  budgetBytes: number
  /** The adapter's largest buffer for a kernel. */
  maxStorageBufferBindingSize: number
}

export type MemoryVerdict =
  | { fits: true; estimate: MemoryEstimate }
  | { fits: false; estimate: MemoryEstimate; message: string; change: MemoryChange | null }

export type MemoryChange =
  | { kind: 'plan'; plan: MemoryPlan }
  | { kind: 'model'; model: CatalogueModel; plan: MemoryPlan }

const CHUNK_TOKENS = 1024
const FEWEST_SEQUENCES = 1
const SHORTEST_CONTEXT = 256

/**
 * Tokens to cache: half the context for each sequence, because sequences of one prompt share it and few transcripts reach full
 * length, and at least one full context.
 */
export function memoryPlan(contextWindow: number, sequences: number): MemoryPlan {
  return {
    contextWindow,
    sequences,
    cacheTokens: Math.max(contextWindow + 32, Math.ceil((sequences * contextWindow) / 2)),
  }
}

export function estimateMemory(shape: DecoderShape, quantization: MlcQuantization, plan: MemoryPlan): MemoryEstimate {
  const float = quantization.includes('f16') ? 2 : 4
  const weights = shape.parameters * (quantization.startsWith('q0') ? float : 0.5 + float / 32)
  const perToken = 2 * shape.layers * shape.keyValueHeads * shape.headDim * float
  const caches = perToken * (plan.contextWindow + plan.cacheTokens)
  const reserved = shape.reservesLogits ? 4 * CHUNK_TOKENS * shape.vocabularySize : SCORE_BYTES
  const logits = 2 * 4 * plan.sequences * shape.vocabularySize + reserved
  // Query, keys, values, gate and up of one layer: about twelve times the hidden width.
  const rest = 12 * CHUNK_TOKENS * shape.hiddenSize * float + 0.05 * weights
  return { weights, caches, logits, rest, total: weights + caches + logits + rest }
}

/** Bytes of the largest tensor, the embedding, which the device must bind whole. */
export function largestTensorBytes(shape: DecoderShape, quantization: MlcQuantization): number {
  const float = quantization.includes('f16') ? 2 : 4
  return shape.vocabularySize * shape.hiddenSize * (quantization.startsWith('q0') ? float : 0.5)
}

/**
 * Whether a model fits, and if not, the smallest change: fewer cached tokens, then a shorter context, then the largest of
 * `others` that fits. `others` are models that the device supports.
 */
export function checkMemory(
  model: CatalogueModel,
  plan: MemoryPlan,
  limits: MemoryLimits,
  others: readonly CatalogueModel[] = [],
): MemoryVerdict {
  const estimate = estimateMemory(model.shape, model.quantization, plan)
  const largest = largestTensorBytes(model.shape, model.quantization)
  const canBind = largest <= limits.maxStorageBufferBindingSize
  if (canBind && estimate.total <= limits.budgetBytes) return { fits: true, estimate }
  const smaller = canBind ? smallerPlan(model, plan, limits) : null
  const change: MemoryChange | null = smaller
    ? { kind: 'plan', plan: smaller }
    : otherModel(model, plan, limits, others)
  const why = canBind
    ? `${model.id} takes about ${inMegabytes(estimate.total)} of graphics memory, and ${inMegabytes(limits.budgetBytes)} may be used.`
    : `${model.id} has a tensor of ${inMegabytes(largest)}, and this device reads at most ${inMegabytes(limits.maxStorageBufferBindingSize)} at once.`
  return { fits: false, estimate, change, message: `${why} ${advice(change, plan)}` }
}

function smallerPlan(model: CatalogueModel, plan: MemoryPlan, limits: MemoryLimits): MemoryPlan | null {
  const fits = (candidate: MemoryPlan) =>
    estimateMemory(model.shape, model.quantization, candidate).total <= limits.budgetBytes
  let candidate = plan
  // With half the sequences, a rollout takes more waves but gives the same samples.
  while (candidate.sequences > FEWEST_SEQUENCES) {
    const sequences = Math.max(FEWEST_SEQUENCES, Math.floor(candidate.sequences / 2))
    const share = sequences / candidate.sequences
    const cacheTokens = Math.max(candidate.contextWindow + 32, Math.ceil(candidate.cacheTokens * share))
    candidate = { ...candidate, sequences, cacheTokens: Math.min(candidate.cacheTokens, cacheTokens) }
    if (fits(candidate)) return candidate
  }
  while (candidate.contextWindow / 2 >= SHORTEST_CONTEXT) {
    const contextWindow = Math.floor(candidate.contextWindow / 2)
    candidate = { ...candidate, contextWindow, cacheTokens: Math.min(candidate.cacheTokens, contextWindow + 32) }
    if (fits(candidate)) return candidate
  }
  return null
}

function otherModel(
  model: CatalogueModel,
  plan: MemoryPlan,
  limits: MemoryLimits,
  others: readonly CatalogueModel[],
): MemoryChange | null {
  const total = (other: CatalogueModel) => estimateMemory(other.shape, other.quantization, plan).total
  const [best] = others
    .filter((other) => other.id !== model.id && checkMemory(other, plan, limits).fits)
    .sort((a, b) => b.shape.parameters - a.shape.parameters || total(b) - total(a))
  return best ? { kind: 'model', model: best, plan } : null
}

function advice(change: MemoryChange | null, before: MemoryPlan): string {
  if (change === null) return 'No model of the list fits: choose a built-in model.'
  if (change.kind === 'model') return `${change.model.id} would fit.`
  const { sequences, contextWindow } = change.plan
  const parts = [
    ...(sequences < before.sequences ? [`${sequences} ${sequences === 1 ? 'sequence' : 'sequences'} at once`] : []),
    ...(contextWindow < before.contextWindow ? [`a context of ${contextWindow} tokens`] : []),
  ]
  return `It would fit with ${parts.join(' and ')}.`
}

function inMegabytes(bytes: number): string {
  return `${Math.ceil(bytes / 1e6).toLocaleString('en-GB')} MB`
}
