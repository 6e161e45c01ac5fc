/**
 * A radix tree over token sequences in which every token owns a slot: sequences share the slots of their common prefix.
 *
 * In sampling, slots are rows of the key/value cache, so only the unseen part of a prompt is read (Zheng et al., 2024,
 * "RadixAttention"). In training, they are rows of a batch, so a shared prefix runs once.
 */
import type { Tokens } from '../method/ports.ts'
import { SlotAllocator } from './sampling/slot-allocator.ts'

/** A run of tokens in consecutive slots. A node never changes its end: a split gives the part before the cut a new node. */
export interface PrefixNode {
  tokens: Tokens
  firstSlot: number
  parent: PrefixNode | null
  /** Position of the first token in its sequence. */
  depth: number
  /** Children by their first token. */
  children: Map<number, PrefixNode>
  usedInCall: number
}

export interface Insertion {
  /** The node that ends in the sequence's last token. */
  end: PrefixNode
  /** New nodes, for the tokens that the tree did not have, in order. */
  added: PrefixNode[]
  cachedTokens: number
}

export class CacheFullError extends Error {
  override name = 'CacheFullError'
}

export class PrefixTree {
  readonly slots: SlotAllocator
  readonly root: PrefixNode = newNode(null, new Int32Array(0), 0, 0)
  #call = 0

  constructor(slots: SlotAllocator) {
    this.slots = slots
  }

  /** Starts a call: from now on, nodes of earlier calls may be dropped to free slots. */
  beginCall(): void {
    this.#call++
  }

  /** Length of the sequence's longest prefix in the tree. */
  matchLength(tokens: Tokens): number {
    let node = this.root
    let matched = 0
    for (;;) {
      const child = node.children.get(tokens[matched]!)
      if (!child || matched === tokens.length) return matched
      const length = commonLength(child.tokens, tokens, matched)
      matched += length
      if (length < child.tokens.length) return matched
      node = child
    }
  }

  /** Inserts a sequence of one token or more. Throws CacheFullError if no slot can be freed. */
  insert(tokens: Tokens): Insertion {
    const { node, matched } = this.#descend(this.root, tokens)
    const added: PrefixNode[] = []
    let end = node
    for (let position = matched; position < tokens.length;) {
      const run = this.allocate(tokens.length - position)
      end = this.#attach(end, tokens.slice(position, position + run.length), run.start)
      added.push(end)
      position += run.length
    }
    return { end, added, cachedTokens: matched }
  }

  /**
   * Adds tokens written to `firstSlot` and the slots after it below `parent`. Frees the slots of tokens that the tree already has.
   * Returns the node that ends in the last token.
   */
  adopt(parent: PrefixNode, tokens: Tokens, firstSlot: number): PrefixNode {
    const { node, matched } = this.#descend(parent, tokens)
    this.slots.release(firstSlot, matched)
    return matched === tokens.length ? node : this.#attach(node, tokens.slice(matched), firstSlot + matched)
  }

  /** Allocates a run of at most `wanted` slots. Drops nodes that this call does not use if no slot is free. */
  allocate(wanted: number): { start: number; length: number } {
    let run = this.slots.allocate(wanted)
    if (!run) {
      this.dropUnused()
      run = this.slots.allocate(wanted)
    }
    if (!run)
      throw new CacheFullError(
        `All ${this.slots.capacity} slots of the key/value cache are in use. Increase cacheSlots when loading the model, or shorten the prompts.`,
      )
    return run
  }

  /** Drops every node that no insertion of the current call passed through. */
  dropUnused(): void {
    const visit = (node: PrefixNode): void => {
      for (const [token, child] of node.children) {
        if (child.usedInCall === this.#call) visit(child)
        else {
          node.children.delete(token)
          this.#release(child)
        }
      }
    }
    visit(this.root)
  }

  #release(node: PrefixNode): void {
    this.slots.release(node.firstSlot, node.tokens.length)
    for (const child of node.children.values()) this.#release(child)
  }

  /** Follows tokens below `start` as far as the tree has them, and splits the node where they diverge. */
  #descend(start: PrefixNode, tokens: Tokens): { node: PrefixNode; matched: number } {
    let node = start
    let matched = 0
    while (matched < tokens.length) {
      const child = node.children.get(tokens[matched]!)
      if (!child) break
      const length = commonLength(child.tokens, tokens, matched)
      matched += length
      const isWhole = length === child.tokens.length
      node = isWhole ? child : this.#split(child, length)
      node.usedInCall = this.#call
      if (!isWhole) break
    }
    return { node, matched }
  }

  #split(node: PrefixNode, at: number): PrefixNode {
    const upper = newNode(node.parent, node.tokens.slice(0, at), node.firstSlot, node.depth)
    upper.usedInCall = node.usedInCall
    node.parent!.children.set(node.tokens[0]!, upper)
    upper.children.set(node.tokens[at]!, node)
    node.tokens = node.tokens.slice(at)
    node.firstSlot += at
    node.depth += at
    node.parent = upper
    return upper
  }

  #attach(parent: PrefixNode, tokens: Tokens, firstSlot: number): PrefixNode {
    const node = newNode(parent, tokens, firstSlot, parent.depth + parent.tokens.length)
    node.usedInCall = this.#call
    parent.children.set(tokens[0]!, node)
    return node
  }
}

/** Makes a node outside the tree, for tokens that are still being sampled. */
export function newNode(parent: PrefixNode | null, tokens: Tokens, firstSlot: number, depth: number): PrefixNode {
  return { tokens, firstSlot, parent, depth, children: new Map(), usedInCall: 0 }
}

/** How many first tokens of `run` equal those of `tokens` from `offset` on. */
function commonLength(run: Tokens, tokens: Tokens, offset: number): number {
  const limit = Math.min(run.length, tokens.length - offset)
  let length = 0
  while (length < limit && run[length] === tokens[offset + length]) length++
  return length
}
