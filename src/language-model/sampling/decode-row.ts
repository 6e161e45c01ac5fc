/** A completion being sampled: its tokens so far, and the slots of their keys and values. */
import type { Completion, Tokens } from '../../method/ports.ts'
import { newNode, type PrefixNode, type PrefixTree } from '../prefix-tree.ts'
import type { RandomStream } from './random-stream.ts'
import type { TokenDistribution } from './sampler.ts'
import { type View, viewOf } from '../training/segments.ts'

/** Slots reserved at once. Longer runs make fewer spans; shorter ones waste fewer slots on short completions. */
const RESERVED_SLOTS = 32

export interface DecodeRowStart {
  requestIndex: number
  index: number
  /** Node that ends in the prompt's last token. */
  promptEnd: PrefixNode
  maxTokens: number
  stream: RandomStream
}

export class DecodeRow {
  readonly requestIndex: number
  readonly index: number
  readonly #maxTokens: number
  readonly #stream: RandomStream
  readonly #promptEnd: PrefixNode
  readonly #promptLength: number
  readonly #tokens: number[] = []
  readonly #logProbs: number[] = []
  readonly #entropies: number[] = []
  /** Runs of slots in order; the last is being filled. Outside the tree until the row leaves. */
  readonly #nodes: { node: PrefixNode; reserved: number; used: number }[] = []
  #view: View | null = null

  constructor(start: DecodeRowStart) {
    this.requestIndex = start.requestIndex
    this.index = start.index
    this.#promptEnd = start.promptEnd
    this.#promptLength = start.promptEnd.depth + start.promptEnd.tokens.length
    this.#maxTokens = start.maxTokens
    this.#stream = start.stream
  }

  get lastToken(): number {
    return this.#tokens[this.#tokens.length - 1]!
  }

  /** Position of the last token in the whole sequence. */
  get position(): number {
    return this.#promptLength + this.#tokens.length - 1
  }

  /** What the slot taken last sees. */
  get view(): View {
    return this.#view!
  }

  draw(distribution: TokenDistribution, topP: number): void {
    const token = distribution.draw(topP, this.#stream)
    this.#tokens.push(token)
    this.#logProbs.push(distribution.logProb(token))
    this.#entropies.push(distribution.entropy)
  }

  isFinished(stopTokens: ReadonlySet<number>): boolean {
    return stopTokens.has(this.lastToken) || this.#tokens.length >= this.#maxTokens
  }

  /** The slot for the last token. */
  takeSlot(tree: PrefixTree): number {
    let run = this.#nodes.at(-1)
    if (!run || run.used === run.reserved) {
      if (run) run.node.tokens = this.#tokensFrom(run)
      const parent = run?.node ?? this.#promptEnd
      const slots = tree.allocate(Math.min(RESERVED_SLOTS, this.#maxTokens - this.#tokens.length))
      run = {
        node: newNode(parent, new Int32Array(0), slots.start, parent.depth + parent.tokens.length),
        reserved: slots.length,
        used: 0,
      }
      this.#nodes.push(run)
      this.#view = viewOf(run.node, new Map())
    }
    return run.node.firstSlot + run.used++
  }

  /** Adds the finished tokens to the tree and frees unused slots. */
  leave(tree: PrefixTree): void {
    let parent = this.#promptEnd
    for (const run of this.#nodes) {
      tree.slots.release(run.node.firstSlot + run.used, run.reserved - run.used)
      parent = tree.adopt(parent, this.#tokensFrom(run), run.node.firstSlot)
    }
  }

  completion(stopTokens: ReadonlySet<number>, decode: (tokens: Tokens) => string): Completion {
    const tokens = Int32Array.from(this.#tokens)
    const isStopped = stopTokens.has(this.lastToken)
    return {
      tokens,
      logProbs: Float32Array.from(this.#logProbs),
      entropies: Float32Array.from(this.#entropies),
      text: decode(isStopped ? tokens.subarray(0, -1) : tokens),
      finishReason: isStopped ? 'stop' : 'length',
    }
  }

  #tokensFrom(run: { node: PrefixNode; used: number }): Tokens {
    const from = run.node.depth - this.#promptLength
    return Int32Array.from(this.#tokens.slice(from, from + run.used))
  }
}
