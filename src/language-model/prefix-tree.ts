/**
 * A radix tree over token sequences in which every token owns a slot: sequences that begin alike share the slots of what they share.
 *
 * Sampling lets the slots be rows of the key/value cache, so that a prompt is only read from where it leaves those already read
 * (Zheng et al., 2024, "RadixAttention"). Training lets them be the rows of a batch, so that a shared prefix is run once.
 */
import type { Tokens } from '../method/ports.ts'
import { SlotAllocator } from './sampling/slot-allocator.ts'

/** A run of tokens in consecutive slots. A node keeps its end for life: when it is split, the part before the cut gets a new node. */
export interface PrefixNode {
  tokens: Tokens
  firstSlot: number
  parent: PrefixNode | null
  /** Position of the first token in its sequence. */
  depth: number
  /** By first token. */
  children: Map<number, PrefixNode>
  usedInCall: number
}

export interface Insertion {
  /** Its last token is the sequence's last. */
  end: PrefixNode
  /** Nodes made for the tokens that were not there yet, in order. */
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

  /** From here on, what earlier calls left may be dropped for want of slots. */
  beginCall(): void {
    this.#call++
  }

  /** How many of the first tokens of the sequence are in the tree. */
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

  /** Puts a sequence of one token or more into the tree. Throws CacheFullError when no slot can be freed. */
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
   * Takes over tokens that were written to `firstSlot` and following as the continuation of `parent`. Slots of tokens that the tree
   * has already are freed. Returns the node that ends in the last token.
   */
  adopt(parent: PrefixNode, tokens: Tokens, firstSlot: number): PrefixNode {
    const { node, matched } = this.#descend(parent, tokens)
    this.slots.release(firstSlot, matched)
    return matched === tokens.length ? node : this.#attach(node, tokens.slice(matched), firstSlot + matched)
  }

  /** A run of at most `wanted` slots, dropping what this call does not use if there is none. */
  allocate(wanted: number): { start: number; length: number } {
    let run = this.slots.allocate(wanted)
    if (!run) {
      this.dropUnused()
      run = this.slots.allocate(wanted)
    }
    if (!run)
      throw new CacheFullError(
        `All ${this.slots.capacity} slots of the key/value cache are in use. Load the model with a larger cacheSlots, or shorten the prompts.`,
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

  clear(): void {
    for (const child of this.root.children.values()) this.#release(child)
    this.root.children.clear()
  }

  #release(node: PrefixNode): void {
    this.slots.release(node.firstSlot, node.tokens.length)
    for (const child of node.children.values()) this.#release(child)
  }

  /** Follows tokens from below `start` as far as the tree has them, splitting the node where they leave it. */
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

/** A node outside the tree's children, for tokens that are still being sampled. */
export function newNode(parent: PrefixNode | null, tokens: Tokens, firstSlot: number, depth: number): PrefixNode {
  return { tokens, firstSlot, parent, depth, children: new Map(), usedInCall: 0 }
}

/** Tokens of `run` that equal those of `tokens` from `offset` on. */
function commonLength(run: Tokens, tokens: Tokens, offset: number): number {
  const limit = Math.min(run.length, tokens.length - offset)
  let length = 0
  while (length < limit && run[length] === tokens[offset + length]) length++
  return length
}
