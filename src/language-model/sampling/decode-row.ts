/**
 * A row of a decode step: all completions that have sampled the same tokens after the same prompt. It runs these tokens once, for all
 * of them, and divides when they draw different ones. Evaluations of a step often begin alike, and rollouts of a task do too.
 *
 * Sampling does not depend on the rows of a batch, so completions are what they would be with a row each.
 */
import { newNode, type PrefixNode, type PrefixTree } from '../prefix-tree.ts'
import type { Draft } from './draft.ts'
import { type View, viewOf } from '../training/segments.ts'

/** Slots reserved at once. Longer runs make fewer spans; shorter ones waste fewer slots on short completions. */
const RESERVED_SLOTS = 32

/** Consecutive slots, of which the first have tokens. */
interface SlotRun {
  node: PrefixNode
  reserved: number
  tokens: number[]
}

export class DecodeRow {
  /** Unfinished, at least one; the last token of each is the row's. */
  #drafts: Draft[]
  /** Node that ends in the token before the row's first. */
  readonly #start: PrefixNode
  /** In order; the last is being filled. Outside the tree until the row leaves. */
  readonly #runs: SlotRun[] = []
  #view: View | null = null

  /** `inherited` slots are free and follow those of `start`. */
  private constructor(drafts: Draft[], start: PrefixNode, inherited: { start: number; length: number } | null) {
    this.#drafts = drafts
    this.#start = start
    if (inherited && inherited.length > 0) this.#begin(start, inherited)
  }

  /** Rows for completions that have drawn their first token. */
  static first(drafts: readonly Draft[], promptEnd: PrefixNode): DecodeRow[] {
    return byLastToken(drafts).map((alike) => new DecodeRow(alike, promptEnd, null))
  }

  get lastToken(): number {
    return this.#drafts[0]!.lastToken
  }

  /** Position of the slot taken last in the whole sequence. */
  get position(): number {
    const { node, tokens } = this.#runs.at(-1)!
    return node.depth + tokens.length - 1
  }

  /** What the slot taken last sees. */
  get view(): View {
    return this.#view!
  }

  /** The slot for the last token. */
  takeSlot(tree: PrefixTree): number {
    let run = this.#runs.at(-1)
    if (!run || run.tokens.length === run.reserved) {
      if (run) run.node.tokens = Int32Array.from(run.tokens)
      run = this.#begin(run?.node ?? this.#start, tree.allocate(Math.min(RESERVED_SLOTS, this.#drafts[0]!.mostToRun)))
    }
    run.tokens.push(this.lastToken)
    return run.node.firstSlot + run.tokens.length - 1
  }

  /** The unfinished completions. */
  get drafts(): readonly Draft[] {
    return this.#drafts
  }

  /** Lets go of the completions that their last token has finished, and returns them. */
  takeFinished(stopTokens: ReadonlySet<number>): Draft[] {
    const finished = this.#drafts.filter((draft) => draft.isFinished(stopTokens))
    if (finished.length > 0) this.#drafts = this.#drafts.filter((draft) => !draft.isFinished(stopTokens))
    return finished
  }

  /** The rows that continue it: none if all have finished, itself if all others agree, else one for each token drawn. */
  next(tree: PrefixTree): DecodeRow[] {
    const groups = byLastToken(this.#drafts)
    if (groups.length === 1) return [this]
    const { node, reserved, tokens } = this.#runs.at(-1)!
    const unused = { start: node.firstSlot + tokens.length, length: reserved - tokens.length }
    if (groups.length === 0) {
      tree.slots.release(unused.start, unused.length)
      this.#join(tree)
      return []
    }
    const end = this.#join(tree)
    // Where the tree had these tokens, its own slots remain, and the unused ones follow nothing.
    const isOwn = end.firstSlot + end.tokens.length === unused.start
    if (!isOwn) tree.slots.release(unused.start, unused.length)
    return groups.map((alike, index) => new DecodeRow(alike, end, index === 0 && isOwn ? unused : null))
  }

  #begin(parent: PrefixNode, slots: { start: number; length: number }): SlotRun {
    const node = newNode(parent, new Int32Array(0), slots.start, parent.depth + parent.tokens.length)
    const run = { node, reserved: slots.length, tokens: [] }
    this.#runs.push(run)
    this.#view = viewOf(node, new Map())
    return run
  }

  /** Adds the row's tokens to the tree. Returns the node that ends in the last one. */
  #join(tree: PrefixTree): PrefixNode {
    return this.#runs.reduce(
      (parent, { node, tokens }) =>
        tokens.length > 0 ? tree.adopt(parent, Int32Array.from(tokens), node.firstSlot) : parent,
      this.#start,
    )
  }
}

/** In the order of the first of each group. */
function byLastToken(drafts: readonly Draft[]): Draft[][] {
  const groups = new Map<number, Draft[]>()
  for (const draft of drafts) {
    const alike = groups.get(draft.lastToken)
    if (alike) alike.push(draft)
    else groups.set(draft.lastToken, [draft])
  }
  return [...groups.values()]
}
