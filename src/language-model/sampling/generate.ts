/**
 * Batched sampling. Prompts of any lengths are read together in one ragged batch, each only beyond its cached prefix; then unfinished
 * completions are rows of every decode step, until they stop or reach the limit. Those of one prompt share a row while they agree.
 *
 * Sampled tokens stay in the prefix tree, so that the next prompt (prompt + response + observation) continues from the cache.
 */
import * as tf from '@tensorflow/tfjs-core'
import type { Completion, GenerateRequest, SamplingOptions, Tokens } from '../../method/ports.ts'
import { Breather } from './breathe.ts'
import { DecodeRow } from './decode-row.ts'
import { Draft } from './draft.ts'
import { KeyValueCache } from './kv-cache.ts'
import { canDrawTokens, drawTokens } from '../ops/index.ts'
import type { BatchSizes } from '../weights/memory-budget.ts'
import { PrefixTree, type PrefixNode } from '../prefix-tree.ts'
import { TokenDistribution } from './sampler.ts'
import { attentionLayout, type QueryRun, viewOf, type Views } from '../training/segments.ts'
import { SlotAllocator } from './slot-allocator.ts'
import type { RaggedBatch, Transformer } from '../transformer.ts'
import { joinArrays } from '../../method/join-arrays.ts'

/** The cache grows as needed, up to `cacheSlots`; only a single completion that needs more may exceed it. */
export type GeneratorOptions = Pick<BatchSizes, 'cacheSlots' | 'prefillTokens'>

export class PromptTooLongError extends Error {
  override name = 'PromptTooLongError'
}

/** Most logits in memory at a time: 64 MB where tokens are drawn on the device, 16 MB where logits are read. */
const MOST_LOGITS = 1 << 24
const MOST_READ_LOGITS = 1 << 22

/** A prompt and the completions to sample for it in this wave. */
interface Job {
  request: GenerateRequest
  requestIndex: number
  first: number
  count: number
  maxTokens: number
}

export class Generator {
  readonly #model: Transformer
  readonly #cache: KeyValueCache
  #tree = new PrefixTree(new SlotAllocator(0))
  /** Slots that the cache had when it was freed last: it will need about as many again, and growing copies. */
  #slotsBefore = 0
  readonly #options: GeneratorOptions
  readonly #stopTokens: Set<number>
  readonly #decode: (tokens: Tokens) => string
  readonly #distribution: TokenDistribution

  constructor(model: Transformer, decode: (tokens: Tokens) => string, options: GeneratorOptions) {
    this.#model = model
    this.#cache = new KeyValueCache(model.config)
    this.#options = options
    this.#stopTokens = new Set(model.config.eosTokens)
    this.#decode = decode
    this.#distribution = new TokenDistribution(model.config.vocabularySize)
  }

  /** `completions[request][j]`. Throws PromptTooLongError, CacheFullError, or the signal's reason. */
  async generate(
    requests: readonly GenerateRequest[],
    sampling: SamplingOptions,
    signal?: AbortSignal,
  ): Promise<Completion[][]> {
    const completions: Completion[][] = requests.map(() => [])
    const breather = new Breather()
    for (const wave of this.#planWaves(requests, sampling.maxTokens)) {
      this.#tree.beginCall()
      const live = new Set<DecodeRow>()
      const finish = (drafts: readonly Draft[]): void => {
        for (const draft of drafts)
          completions[draft.requestIndex]![draft.index] = draft.completion(this.#stopTokens, this.#decode)
      }
      try {
        await this.#prefill(wave, sampling, live, finish, breather, signal)
        while (live.size > 0) {
          await breather.breathe(signal)
          await this.#decodeStep(live, sampling, finish)
        }
      } catch (error) {
        // Partly read prompts have slots without keys, so the cache cannot be trusted.
        this.forget()
        throw error
      }
    }
    return completions
  }

  /** Also ends completions at this token. */
  alsoStopAt(token: number): void {
    this.#stopTokens.add(token)
  }

  /** Empties the cache and frees its memory. Call it before the weights change, which needs memory too. */
  forget(): void {
    this.#slotsBefore = Math.max(this.#slotsBefore, this.#cache.slots)
    this.#tree = new PrefixTree(new SlotAllocator(0))
    this.#cache.dispose()
  }

  /** Splits the completions, in order, into waves that fit the cache even at full length. */
  #planWaves(requests: readonly GenerateRequest[], maxTokens: number): Job[][] {
    const { maxPositions } = this.#model.config
    const waves: Job[][] = []
    let wave: Job[] = []
    let needed = 0
    let largest = 0
    for (const [requestIndex, request] of requests.entries()) {
      const length = request.prompt.length
      if (length === 0)
        throw new PromptTooLongError(
          'A prompt is empty. A model needs at least one token to continue: begin the prompt with some text.',
        )
      if (length >= maxPositions)
        throw new PromptTooLongError(
          `A prompt has ${length} tokens, but this model reads at most ${maxPositions - 1}. Lower maxSteps, or use a model with a longer context.`,
        )
      const limit = Math.min(maxTokens, maxPositions - length)
      for (let j = 0; j < request.count; j++) {
        const job = wave.at(-1)
        const continues = job?.requestIndex === requestIndex
        const need = limit + (continues ? 0 : length)
        if (wave.length > 0 && needed + need > this.#options.cacheSlots) {
          waves.push(wave)
          wave = []
          needed = 0
          j-- // try again, as the first of the next wave
          continue
        }
        needed += need
        largest = Math.max(largest, needed)
        if (continues) job.count++
        else wave.push({ request, requestIndex, first: j, count: 1, maxTokens: limit })
      }
    }
    if (wave.length > 0) waves.push(wave)
    this.#makeRoom(largest)
    return waves
  }

  /** Grows the cache, within its limit, to fit `needed` more slots. Doubles its size, so that copies are few. */
  #makeRoom(needed: number): void {
    const { slots } = this.#tree
    const used = slots.capacity - slots.freeSlots
    const wanted = Math.min(used + needed, Math.max(this.#options.cacheSlots, needed))
    if (wanted <= slots.capacity) return
    const capacity = Math.max(wanted, Math.min(2 * slots.capacity, this.#options.cacheSlots), this.#slotsBefore)
    this.#cache.grow(capacity)
    slots.grow(capacity)
  }

  /** Reads the wave's prompts and samples each completion's first token. */
  async #prefill(
    wave: readonly Job[],
    sampling: SamplingOptions,
    live: Set<DecodeRow>,
    finish: (drafts: readonly Draft[]) => void,
    breather: Breather,
    signal?: AbortSignal,
  ): Promise<void> {
    const views: Views = new Map()
    const unread: { node: PrefixNode; firstSlot: number; tokens: Tokens; depth: number }[] = []
    const ends = wave.map(({ request }) => {
      const { end, added } = this.#tree.insert(request.prompt)
      for (const node of added) unread.push({ node, firstSlot: node.firstSlot, tokens: node.tokens, depth: node.depth })
      return { node: end, slot: end.firstSlot + end.tokens.length - 1 }
    })
    const asked = new Map<number, number[]>()
    for (const [index, { slot }] of ends.entries()) {
      const sharing = asked.get(slot)
      if (sharing) sharing.push(index)
      else asked.set(slot, [index])
    }
    // A fully cached prompt runs its last token again, for its logits.
    const read = new Set<number>()
    for (const { firstSlot, tokens } of unread) for (let i = 0; i < tokens.length; i++) read.add(firstSlot + i)
    for (const { node, slot } of ends) {
      if (read.has(slot)) continue
      read.add(slot)
      unread.push({ node, firstSlot: slot, tokens: node.tokens.slice(-1), depth: node.depth + node.tokens.length - 1 })
    }

    for (const chunk of inChunks(unread, this.#options.prefillTokens)) {
      await breather.breathe(signal)
      const runs: QueryRun[] = chunk.map(({ node, firstSlot, tokens }) => ({
        view: viewOf(node, views),
        firstSlot,
        length: tokens.length,
      }))
      const layout = attentionLayout(runs)
      const positions = Int32Array.from(chunk.flatMap(({ depth, tokens }) => Array.from(tokens, (_, i) => depth + i)))
      const batch: RaggedBatch = {
        tokens: joinArrays(
          Int32Array,
          chunk.map(({ tokens }) => tokens),
        ),
        positions,
        layout,
      }
      const outputRows: number[] = []
      for (let row = 0; row < layout.querySlot.length; row++)
        if (asked.has(layout.querySlot[row]!)) outputRows.push(row)
      const sharing = outputRows.map((row) => asked.get(layout.querySlot[row]!)!)
      const drafts = sharing.map((indices) => indices.flatMap((index) => draftsOf(wave[index]!)))
      await this.#draw(batch, Int32Array.from(outputRows), drafts, sampling)
      for (const [at, alike] of drafts.entries()) {
        finish(alike.filter((draft) => draft.isFinished(this.#stopTokens)))
        const unfinished = alike.filter((draft) => !draft.isFinished(this.#stopTokens))
        for (const started of DecodeRow.first(unfinished, ends[sharing[at]![0]!]!.node)) live.add(started)
      }
    }
  }

  /** Runs the last token of every row and samples the next. */
  async #decodeStep(
    live: Set<DecodeRow>,
    sampling: SamplingOptions,
    finish: (drafts: readonly Draft[]) => void,
  ): Promise<void> {
    const rows = [...live]
    const tokens = Int32Array.from(rows, (row) => row.lastToken)
    const runs = rows.map((row): QueryRun => ({ firstSlot: row.takeSlot(this.#tree), view: row.view, length: 1 }))
    const positions = Int32Array.from(rows, (row) => row.position)
    const drafts = rows.map((row) => row.drafts)
    await this.#draw({ tokens, positions, layout: attentionLayout(runs) }, null, drafts, sampling)
    for (const row of rows) {
      finish(row.takeFinished(this.#stopTokens))
      const following = row.next(this.#tree)
      if (following.length === 1) continue
      live.delete(row)
      for (const other of following) live.add(other)
    }
  }

  /**
   * Runs a batch into the cache and draws a token for each of `drafts[i]` from the i-th requested row, or of all rows. Computes only as
   * many rows of logits at a time as may be in memory.
   */
  async #draw(
    batch: RaggedBatch,
    outputRows: Int32Array | null,
    drafts: readonly (readonly Draft[])[],
    sampling: SamplingOptions,
  ): Promise<void> {
    const { vocabularySize, hiddenSize } = this.#model.config
    const rows = (outputRows ?? batch.tokens).length
    const mostLogits = this.#drawsOnDevice(sampling) ? MOST_LOGITS : MOST_READ_LOGITS
    const most = Math.max(1, Math.floor(mostLogits / vocabularySize))
    const run = () => this.#model.hidden(batch, outputRows, this.#cache)
    // If all rows fit, tokens to logits is one computation.
    const hidden = rows > most ? tf.tidy(run) : null
    try {
      for (let first = 0; first < Math.max(rows, 1); first += most) {
        const count = Math.min(most, rows - first)
        const logits = tf.tidy(() =>
          this.#model.logits(hidden ? tf.slice(hidden, [first, 0], [count, hiddenSize]) : run()),
        )
        try {
          await this.#drawFrom(logits, drafts.slice(first, first + count), sampling)
        } finally {
          logits.dispose()
        }
      }
    } finally {
      hidden?.dispose()
    }
  }

  #drawsOnDevice({ topP }: SamplingOptions): boolean {
    return topP >= 1 && canDrawTokens(this.#model.config.vocabularySize)
  }

  async #drawFrom(
    logits: tf.Tensor2D,
    drafts: readonly (readonly Draft[])[],
    sampling: SamplingOptions,
  ): Promise<void> {
    const { vocabularySize } = this.#model.config
    const { temperature, topP } = sampling
    if (drafts.length > 0 && this.#drawsOnDevice(sampling)) {
      const drawing = drafts.flat()
      const rows = Int32Array.from(drafts.flatMap((alike, row) => alike.map(() => row)))
      const numbers = Float32Array.from(drawing, (draft) => (temperature === 0 ? 0 : draft.nextNumber()))
      const drawn = await drawTokens(logits, rows, numbers, temperature)
      for (const [i, draft] of drawing.entries()) draft.take(drawn[i]!)
      return
    }
    const values = await logits.data<'float32'>()
    for (const [row, alike] of drafts.entries()) {
      this.#distribution.read(values, row * vocabularySize, temperature)
      for (const draft of alike) draft.draw(this.#distribution, topP)
    }
  }
}

function draftsOf({ request, requestIndex, first, count, maxTokens }: Job): Draft[] {
  return Array.from({ length: count }, (_, j) => new Draft({ request, requestIndex, index: first + j, maxTokens }))
}

/** Cuts pieces in order into chunks of at most `size` tokens. */
function inChunks<P extends { firstSlot: number; tokens: Tokens; depth: number }>(
  pieces: readonly P[],
  size: number,
): P[][] {
  const chunks: P[][] = []
  let room = 0
  for (const piece of pieces) {
    for (let from = 0; from < piece.tokens.length;) {
      if (room === 0) {
        chunks.push([])
        room = size
      }
      const tokens = piece.tokens.slice(from, from + room)
      chunks[chunks.length - 1]!.push({
        ...piece,
        firstSlot: piece.firstSlot + from,
        tokens,
        depth: piece.depth + from,
      })
      from += tokens.length
      room -= tokens.length
    }
  }
  return chunks
}
