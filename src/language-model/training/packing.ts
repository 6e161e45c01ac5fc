/**
 * Packs training examples into flat batches that run every distinct prefix once.
 *
 * A trajectory whose prompts grow by appending becomes one sequence, and the m evaluations of a step share their prompt: both are
 * paths in one radix tree. The loss does not change, because a token's hidden state depends only on its path.
 */
import type { Tokens } from '../../method/ports.ts'
import { PrefixTree, type PrefixNode } from '../prefix-tree.ts'
import { attentionLayout, type QueryRun, viewOf, type Views } from './segments.ts'
import { SlotAllocator } from '../sampling/slot-allocator.ts'
import type { RaggedBatch } from '../transformer.ts'

/** The part of an example that packing uses. */
export interface Sequence {
  prompt: Tokens
  response: Tokens
}

export interface MicroBatch {
  batch: RaggedBatch
  /** [P] rows of the batch that predict response tokens, each once. */
  outputRows: Int32Array
  /** [E] index into `outputRows` of each response token's predictor. */
  predictor: Int32Array
  /** [E] the response tokens. */
  targets: Int32Array
  /** [E] each token's example, as an index into the packed list... */
  example: Int32Array
  /** [E] ...and its position in that example's response. */
  offset: Int32Array
}

interface Candidate {
  index: number
  /** Prompt and response without the last token, which predicts nothing. */
  tokens: Tokens
}

/**
 * Packs examples into micro-batches of at most `maxTokens` tokens; a longer example gets one of its own. Packs in token order, since
 * neighbours in it share most. A family (a trajectory, a step's evaluations) that no longer fits goes to the next micro-batch as a
 * whole, unless it is larger than one. Skips examples without a response.
 */
export function packMicroBatches(examples: readonly Sequence[], maxTokens: number): MicroBatch[] {
  const candidates: Candidate[] = []
  for (const [index, { prompt, response }] of examples.entries()) {
    if (response.length === 0) continue
    if (prompt.length === 0)
      throw new Error(
        'A training example has an empty prompt, so nothing predicts its first response token. Begin the prompt with some text.',
      )
    const tokens = new Int32Array(prompt.length + response.length - 1)
    tokens.set(prompt)
    tokens.set(response.subarray(0, -1), prompt.length)
    candidates.push({ index, tokens })
  }
  candidates.sort((a, b) => compareTokens(a.tokens, b.tokens) || a.index - b.index)

  const batches: MicroBatch[] = []
  let tree = new PrefixTree(new SlotAllocator(Infinity))
  let packed: { index: number; end: PrefixNode }[] = []
  let used = 0
  const close = (): void => {
    if (packed.length > 0) batches.push(microBatch(examples, tree, packed, used))
    tree = new PrefixTree(new SlotAllocator(Infinity))
    packed = []
    used = 0
  }
  for (const family of families(candidates)) {
    if (used + family.distinctTokens > maxTokens && family.distinctTokens <= maxTokens) close()
    for (const { index, tokens } of family.members) {
      if (used + tokens.length - tree.matchLength(tokens) > maxTokens) close()
      const { end, cachedTokens } = tree.insert(tokens)
      used += tokens.length - cachedTokens
      packed.push({ index, end })
    }
  }
  close()
  return batches
}

interface Family {
  members: Candidate[]
  distinctTokens: number
}

/** Groups neighbours that share more than half of the shorter one, and counts each group's distinct tokens. */
function families(sorted: readonly Candidate[]): Family[] {
  const found: Family[] = []
  let previous: Tokens = new Int32Array(0)
  for (const candidate of sorted) {
    const { tokens } = candidate
    const shared = commonPrefix(previous, tokens)
    const family = found.at(-1)
    if (family && 2 * shared > Math.min(previous.length, tokens.length)) {
      family.members.push(candidate)
      family.distinctTokens += tokens.length - shared
    } else found.push({ members: [candidate], distinctTokens: tokens.length })
    previous = tokens
  }
  return found
}

/**
 * Cuts examples, in order, into at most `parts` non-empty runs of about equal length: one optimiser step each. A cut may move by a
 * quarter of a run to where neighbours share least, so that a trajectory or a step's evaluations stay together.
 */
export function splitIntoUpdates<E extends Sequence>(examples: readonly E[], parts: number): E[][] {
  const wanted = Math.max(1, Math.min(parts, examples.length))
  const size = examples.length / wanted
  const slack = Math.floor(size / 4)
  const runs: E[][] = []
  let from = 0
  for (let part = 1; part <= wanted; part++) {
    const ideal = Math.round(part * size)
    let cut = ideal
    if (part < wanted) {
      let least = Infinity
      for (let distance = 0; distance <= slack; distance++) {
        for (const at of distance === 0 ? [ideal] : [ideal - distance, ideal + distance]) {
          if (at <= from || at > examples.length - (wanted - part)) continue
          const shared = commonPrefix(examples[at - 1]!.prompt, examples[at]!.prompt)
          if (shared < least) {
            least = shared
            cut = at
          }
        }
      }
    }
    if (cut > from) runs.push(examples.slice(from, cut))
    from = cut
  }
  return runs
}

function microBatch(
  examples: readonly Sequence[],
  tree: PrefixTree,
  packed: readonly { index: number; end: PrefixNode }[],
  size: number,
): MicroBatch {
  const tokens = new Int32Array(size)
  const positions = new Int32Array(size)
  const runs: QueryRun[] = []
  const views: Views = new Map()
  const pending = [...tree.root.children.values()]
  for (let node = pending.pop(); node; node = pending.pop()) {
    tokens.set(node.tokens, node.firstSlot)
    for (let i = 0; i < node.tokens.length; i++) positions[node.firstSlot + i] = node.depth + i
    runs.push({ view: viewOf(node, views), firstSlot: node.firstSlot, length: node.tokens.length })
    pending.push(...node.children.values())
  }
  // A query's row is its slot, so the batch is its own pool of keys.
  runs.sort((a, b) => a.firstSlot - b.firstSlot)

  const entries = packed.reduce((sum, { index }) => sum + examples[index]!.response.length, 0)
  const row = new Int32Array(entries)
  const targets = new Int32Array(entries)
  const example = new Int32Array(entries)
  const offset = new Int32Array(entries)
  let from = 0
  for (const { index, end } of packed) {
    const { response } = examples[index]!
    targets.set(response, from)
    example.fill(index, from, from + response.length)
    let node = end
    let position = end.depth + end.tokens.length - 1
    for (let t = response.length - 1; t >= 0; t--, position--) {
      while (position < node.depth) node = node.parent!
      row[from + t] = node.firstSlot + position - node.depth
      offset[from + t] = t
    }
    from += response.length
  }
  const outputRows = Int32Array.from(new Set(row)).sort()
  const place = new Map(Array.from(outputRows, (slot, i) => [slot, i]))
  return {
    batch: { tokens, positions, layout: attentionLayout(runs) },
    outputRows,
    predictor: row.map((slot) => place.get(slot)!),
    targets,
    example,
    offset,
  }
}

function commonPrefix(a: Tokens, b: Tokens): number {
  const limit = Math.min(a.length, b.length)
  let length = 0
  while (length < limit && a[length] === b[length]) length++
  return length
}

function compareTokens(a: Tokens, b: Tokens): number {
  const shared = commonPrefix(a, b)
  return (a[shared] ?? -1) - (b[shared] ?? -1)
}
