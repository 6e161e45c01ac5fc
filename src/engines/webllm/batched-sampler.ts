/**
 * Samples many sequences at once with MLC's batched functions. Reads a wave of prompts in chunks, several prompts in one; forks
 * each prompt for its completions, which share its pages; then decodes step by step, with one row for each live completion.
 * Logits are copied to the CPU, where our own sampler draws.
 */
import { TokenDistribution } from '../../language-model/sampling/sampler.ts'
import type { Completion, GenerateRequest, Tokens } from '../../method/ports.ts'
import { roomFor, type Sampler, type SamplerOptions } from './sampler.ts'
import { logProbOf, SampledRow } from './sampled-row.ts'
import { PAGE_TOKENS, type SequenceRun, type WebLlmInternals } from './webllm-internals.ts'

export interface GroupLimits {
  /** Sequences in the key/value cache at once. */
  sequences: number
  /** Tokens in the cache, over all sequences. */
  cacheTokens: number
  /** Tokens of prompt and response together. */
  contextWindow: number
}

export interface BatchedSamplerOptions extends GroupLimits {
  stopTokens: ReadonlySet<number>
  decode: (tokens: Tokens) => string
}

/** Completions of one prompt in one wave. */
interface Group {
  request: GenerateRequest
  requestIndex: number
  first: number
  count: number
  maxTokens: number
}

interface LiveRow {
  row: SampledRow
  sequence: number
}

/** Bytes of a scored chunk's logits on the CPU at once. */
export const SCORE_BYTES = 64e6

export class BatchedSampler implements Sampler {
  readonly #model: WebLlmInternals
  readonly #options: BatchedSamplerOptions
  #distribution: TokenDistribution | null = null
  #vocabularySize = 0

  constructor(model: WebLlmInternals, options: BatchedSamplerOptions) {
    this.#model = model
    this.#options = options
    model.openCache(options.sequences, options.cacheTokens)
  }

  async generate(
    requests: readonly GenerateRequest[],
    options: SamplerOptions,
    signal?: AbortSignal,
  ): Promise<Completion[][]> {
    const completions: Completion[][] = requests.map(() => [])
    const { stopTokens, decode } = this.#options
    for (const wave of this.#planWaves(requests, options.maxTokens)) {
      const rows: SampledRow[] = []
      await this.#model.exclusively(async () => {
        this.#model.clear()
        try {
          let live = await this.#begin(wave, options, rows, signal)
          for (;;) {
            live = live.filter(({ row }) => {
              const { draft } = row
              if (!draft.isFinished(stopTokens)) return true
              completions[draft.requestIndex]![draft.index] = draft.completion(stopTokens, decode)
              return false
            })
            if (live.length === 0) break
            signal?.throwIfAborted()
            const logits = await this.#model.decode(
              live.map(({ sequence }) => sequence),
              Int32Array.from(live, ({ row }) => row.draft.lastToken),
            )
            for (const [i, { row }] of live.entries()) await this.#draw(row, logits, i, live.length, options)
          }
        } finally {
          for (const row of rows) row.dispose()
          this.#model.clear()
        }
      })
    }
    return completions
  }

  async score(sequences: readonly Tokens[], temperature: number, signal?: AbortSignal): Promise<Float32Array[]> {
    const scores: Float32Array[] = []
    for (const tokens of sequences) {
      roomFor(tokens, 1, this.#options.contextWindow)
      const scored = new Float32Array(tokens.length - 1)
      await this.#model.exclusively(async () => {
        this.#model.clear()
        this.#model.addSequence(0)
        try {
          for (let from = 0; from < tokens.length - 1;) {
            signal?.throwIfAborted()
            // The width of a row of logits is known after the first token.
            const most =
              this.#vocabularySize === 0 ? 1 : Math.max(1, Math.floor(SCORE_BYTES / (4 * this.#vocabularySize)))
            const length = Math.min(most, this.#model.prefillChunk, tokens.length - 1 - from)
            const logits = await this.#model.verify({ sequence: 0, tokens: tokens.slice(from, from + length) })
            for (let i = 0; i < length; i++) {
              const [row, distribution] = this.#row(logits, i, length)
              scored[from + i] = logProbOf(tokens[from + i + 1]!, row, distribution, temperature)
            }
            from += length
          }
        } finally {
          this.#model.clear()
        }
      })
      scores.push(scored)
    }
    return scores
  }

  dispose(): void {
    this.#model.dispose()
  }

  /** Divides groups, in order, into waves that fit the cache even at full length. */
  #planWaves(requests: readonly GenerateRequest[], maxTokens: number): Group[][] {
    const { sequences, cacheTokens, contextWindow } = this.#options
    const waves: Group[][] = []
    let wave: Group[] = []
    let usedTokens = 0
    let usedSequences = 0
    for (const [requestIndex, request] of requests.entries()) {
      const room = roomFor(request.prompt, maxTokens, contextWindow)
      // A fork begins on its own page, and copies the prompt's last one.
      const each = inPages(room) + PAGE_TOKENS
      const shared = inPages(request.prompt.length)
      for (let first = 0; first < request.count;) {
        const fits = Math.min(
          request.count - first,
          sequences - usedSequences,
          Math.floor((cacheTokens - usedTokens - shared) / each),
        )
        if (fits < 1 && wave.length > 0) {
          waves.push(wave)
          wave = []
          usedTokens = 0
          usedSequences = 0
          continue
        }
        if (fits < 1)
          throw new RangeError(
            `One completion of a prompt of ${request.prompt.length} tokens needs ${shared + each} tokens of the key/value cache, which has ${cacheTokens}. Load the model with a larger cache, or lower maxTokens.`,
          )
        wave.push({ request, requestIndex, first, count: fits, maxTokens: room })
        usedTokens += shared + fits * each
        usedSequences += fits
        first += fits
      }
    }
    if (wave.length > 0) waves.push(wave)
    return waves
  }

  /** Reads the wave's prompts, forks them, and draws every completion's first token. Adds started completions to `rows`. */
  async #begin(
    wave: readonly Group[],
    options: SamplerOptions,
    rows: SampledRow[],
    signal?: AbortSignal,
  ): Promise<LiveRow[]> {
    let sequences = 0
    const groups = wave.map((group) => {
      const first = sequences
      sequences += group.count
      this.#model.addSequence(first)
      return { ...group, sequence: first }
    })
    const live: LiveRow[] = []
    for (const { runs, ends } of chunksOf(groups, this.#model.prefillChunk)) {
      signal?.throwIfAborted()
      // Logits must be requested even for a chunk in which no prompt ends.
      const positions = ends.length > 0 ? ends.map(({ position }) => position) : [0]
      const logits = await this.#model.prefill(runs, positions)
      for (const [i, { group }] of ends.entries()) {
        const { request, requestIndex, first, count, maxTokens, sequence } = groups[group]!
        for (let j = 0; j < count; j++) {
          if (j > 0) this.#model.fork(sequence, sequence + j)
          const matcher = options.format ? await this.#model.openMatcher(options.format) : null
          const row = new SampledRow({ request, requestIndex, index: first + j, maxTokens }, matcher)
          rows.push(row)
          await this.#draw(row, logits, i, positions.length, options)
          live.push({ row, sequence: sequence + j })
        }
      }
    }
    return live
  }

  async #draw(row: SampledRow, logits: Float32Array, at: number, of: number, options: SamplerOptions): Promise<void> {
    const [values, distribution] = this.#row(logits, at, of)
    // A copy, because a grammar modifies the logits, which the completions of a prompt share.
    await row.draw(options.format ? values.slice() : values, distribution, options)
  }

  #row(logits: Float32Array, at: number, of: number): [Float32Array, TokenDistribution] {
    const size = logits.length / of
    if (this.#distribution === null || this.#vocabularySize !== size) {
      this.#vocabularySize = size
      this.#distribution = new TokenDistribution(size)
    }
    return [logits.subarray(at * size, (at + 1) * size), this.#distribution]
  }
}

interface Chunk {
  runs: SequenceRun[]
  /** Positions in the chunk at which the prompts of groups end. */
  ends: { position: number; group: number }[]
}

/** Concatenates prompts into chunks of at most `size` tokens. */
function chunksOf(groups: readonly { request: GenerateRequest; sequence: number }[], size: number): Chunk[] {
  const chunks: Chunk[] = []
  let room = 0
  for (const [group, { request, sequence }] of groups.entries()) {
    const { prompt } = request
    for (let from = 0; from < prompt.length;) {
      if (room === 0) {
        chunks.push({ runs: [], ends: [] })
        room = size
      }
      const chunk = chunks.at(-1)!
      const tokens = prompt.slice(from, from + room)
      chunk.runs.push({ sequence, tokens })
      from += tokens.length
      room -= tokens.length
      if (from === prompt.length) chunk.ends.push({ position: size - room - 1, group })
    }
  }
  return chunks
}

function inPages(tokens: number): number {
  return Math.ceil(tokens / PAGE_TOKENS) * PAGE_TOKENS
}
