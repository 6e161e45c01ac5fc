/**
 * How far two texts are from one another in words alone (Jaccard, 1912), W and W' their sets of words:
 *
 *     1 - |W ∩ W'| / |W ∪ W'|
 */

/** In lower case, in their order. */
export const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []

/** 0 for the same words, 1 for none in common. */
export function wordDistance(a: string, b: string): number {
  const left = new Set(wordsOf(a))
  const right = new Set(wordsOf(b))
  const shared = [...left].filter((word) => right.has(word)).length
  const all = left.size + right.size - shared
  return all === 0 ? 0 : 1 - shared / all
}
