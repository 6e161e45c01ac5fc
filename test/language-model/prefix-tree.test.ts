import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { CacheFullError, type PrefixNode, PrefixTree } from '../../src/language-model/prefix-tree.ts'
import { viewOf, type Views } from '../../src/language-model/training/segments.ts'
import { SlotAllocator } from '../../src/language-model/sampling/slot-allocator.ts'

/** Few distinct tokens, so that sequences share prefixes. */
const sequence = fc
  .array(fc.integer({ min: 0, max: 2 }), { minLength: 1, maxLength: 12 })
  .map((tokens) => Int32Array.from(tokens))

function slotsOf(end: PrefixNode): number[] {
  const slots: number[] = []
  for (let node: PrefixNode | null = end; node; node = node.parent) {
    for (let i = node.tokens.length - 1; i >= 0; i--) slots.unshift(node.firstSlot + i)
  }
  return slots
}

function everyNode(tree: PrefixTree): PrefixNode[] {
  const below = (node: PrefixNode): PrefixNode[] =>
    [...node.children.values()].flatMap((child) => [child, ...below(child)])
  return below(tree.root)
}

function expectConsistent(tree: PrefixTree, capacity: number): void {
  const taken = everyNode(tree).flatMap(({ tokens, firstSlot }) => Array.from(tokens, (_, i) => firstSlot + i))
  expect(new Set(taken).size).toBe(taken.length)
  expect(taken.every((slot) => slot >= 0 && slot < capacity)).toBe(true)
  expect(tree.slots.freeSlots).toBe(capacity - taken.length)
}

describe('prefix tree', () => {
  test('gives equal prefixes equal slots and different ones different slots, and only adds new tokens', () => {
    fc.assert(
      fc.property(fc.array(sequence, { maxLength: 20 }), (sequences) => {
        const tree = new PrefixTree(new SlotAllocator(1000))
        const seen = new Set<string>()
        const ends = sequences.map((tokens) => {
          expect(tree.matchLength(tokens)).toBe(
            Array.from(tokens).findLastIndex((_, i) => seen.has(tokens.slice(0, i + 1).join())) + 1,
          )
          const { end, added, cachedTokens } = tree.insert(tokens)
          expect(added.reduce((sum, node) => sum + node.tokens.length, 0)).toBe(tokens.length - cachedTokens)
          for (let i = 1; i <= tokens.length; i++) seen.add(tokens.slice(0, i).join())
          return end
        })
        const slotOfPrefix = new Map<string, number>()
        for (const [index, tokens] of sequences.entries()) {
          const slots = slotsOf(ends[index]!)
          expect(slots).toHaveLength(tokens.length)
          for (const [i, slot] of slots.entries()) {
            const prefix = tokens.slice(0, i + 1).join()
            expect(slotOfPrefix.get(prefix) ?? slot).toBe(slot)
            slotOfPrefix.set(prefix, slot)
          }
        }
        expect(new Set(slotOfPrefix.values()).size).toBe(slotOfPrefix.size)
        expectConsistent(tree, 1000)
      }),
    )
  })

  test('the view of a node is exactly its path', () => {
    fc.assert(
      fc.property(fc.array(sequence, { minLength: 1, maxLength: 20 }), (sequences) => {
        const tree = new PrefixTree(new SlotAllocator(Infinity))
        const views: Views = new Map()
        // Views are read in between, because later splits must not change them.
        const ends = sequences.map((tokens) => {
          const { end } = tree.insert(tokens)
          viewOf(end, views)
          return end
        })
        for (const end of ends) {
          const { spans, segmentStart } = viewOf(end, views)
          const visible: number[] = []
          for (let i = 0; i < spans.length; i += 2)
            for (let slot = spans[i]!; slot < spans[i]! + spans[i + 1]!; slot++) visible.push(slot)
          for (let slot = segmentStart; slot < end.firstSlot + end.tokens.length; slot++) visible.push(slot)
          expect(visible).toEqual(slotsOf(end))
        }
      }),
    )
  })

  test('drops only what the call does not use when slots run out', () => {
    fc.assert(
      fc.property(fc.array(fc.array(sequence, { minLength: 1, maxLength: 3 }), { maxLength: 15 }), (calls) => {
        const tree = new PrefixTree(new SlotAllocator(36))
        for (const sequences of calls) {
          tree.beginCall()
          const ends = sequences.map((tokens) => tree.insert(tokens).end)
          for (const [i, tokens] of sequences.entries()) {
            expect(slotsOf(ends[i]!)).toHaveLength(tokens.length)
            expect(tree.matchLength(tokens)).toBe(tokens.length)
          }
          expectConsistent(tree, 36)
        }
        tree.beginCall()
        tree.dropUnused()
        expect(tree.slots.freeSlots).toBe(36)
      }),
    )
  })

  test('adopts sampled tokens as a continuation and frees the slots of tokens that it already had', () => {
    fc.assert(
      fc.property(sequence, fc.array(sequence, { maxLength: 10 }), (prompt, continuations) => {
        const tree = new PrefixTree(new SlotAllocator(1000))
        const { end } = tree.insert(prompt)
        const runs = continuations.map((tokens) => ({ tokens, run: tree.allocate(tokens.length) }))
        for (const { tokens, run } of runs) {
          tree.adopt(end, tokens, run.start)
          expect(tree.matchLength(Int32Array.from([...prompt, ...tokens]))).toBe(prompt.length + tokens.length)
        }
        expectConsistent(tree, 1000)
      }),
    )
  })

  test('throws when all slots are in use', () => {
    const tree = new PrefixTree(new SlotAllocator(4))
    tree.beginCall()
    expect(() => tree.insert(Int32Array.of(1, 2, 3, 4, 5))).toThrow(CacheFullError)
  })
})
