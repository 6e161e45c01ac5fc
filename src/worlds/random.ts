/** Seeded randomness: every draw of the generators, the experts and the rewrites comes from a named stream. */
import { uniformFloat32 } from 'pure-rand/distribution/uniformFloat32'
import { uniformInt } from 'pure-rand/distribution/uniformInt'
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus'
import type { RandomGenerator } from 'pure-rand/types/RandomGenerator'

export type Random = RandomGenerator

/** 32-bit FNV-1a of the parts, finished with MurmurHash3's mixer so that close numbers get distant hashes. */
export function hashOf(...parts: readonly (string | number)[]): number {
  let hash = 0x811c9dc5
  const text = parts.join('|')
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}

/** Each list of parts has its own stream. */
export function seededRandom(...parts: readonly (string | number)[]): Random {
  return xoroshiro128plus(hashOf(...parts))
}

/** Uniform in [0, 1). */
export function unit(random: Random): number {
  return uniformFloat32(random)
}

export function chance(random: Random, probability: number): boolean {
  return unit(random) < probability
}

/** An integer in [low, high]. */
export function integer(random: Random, low: number, high: number): number {
  return uniformInt(random, low, high)
}

export function pick<T>(random: Random, items: readonly T[]): T {
  if (items.length === 0) throw new RangeError('Nothing to pick from: the list is empty.')
  return items[integer(random, 0, items.length - 1)]!
}

/** Picks an item with a probability proportional to its weight; null if no weight is positive. */
export function pickWeighted<T>(random: Random, items: readonly T[], weight: (item: T) => number): T | null {
  const weights = items.map(weight)
  const total = weights.reduce((sum, w) => sum + w, 0)
  if (!(total > 0)) return null
  let left = unit(random) * total
  let last: T | null = null
  for (let i = 0; i < items.length; i++) {
    if (weights[i]! <= 0) continue
    last = items[i]!
    left -= weights[i]!
    if (left < 0) return last
  }
  return last
}

export function shuffled<T>(random: Random, items: readonly T[]): T[] {
  const result = [...items]
  for (let i = result.length - 1; i > 0; i--) {
    const j = integer(random, 0, i)
    ;[result[i], result[j]] = [result[j]!, result[i]!]
  }
  return result
}
