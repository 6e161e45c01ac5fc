/**
 * Stateless randomness: every draw is a hash of its purpose.
 *
 *     deriveSeed(settings.seed, iteration, 'policy', episodeId, step)
 *
 * A run can stop and resume anywhere, and phases can run in any order, because no generator state must be saved. The hash is FNV-1a over the parts, finished with MurmurHash3's fmix32; the stream is mulberry32.
 */

/** An unsigned 32-bit seed that depends on all parts and their order. */
export function deriveSeed(...parts: readonly (number | string)[]): number {
  let hash = 0x811c9dc5
  for (const part of parts) {
    // The type tag and the separator keep (1, 23), (12, 3) and ('1', 23) apart.
    const text = `${typeof part === 'number' ? '#' : '$'}${part}\u0000`
    for (let index = 0; index < text.length; index++) {
      hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
    }
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}

/** Uniform numbers in [0, 1), the same for the same seed. */
export function uniformStream(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** A shuffled copy (Fisher-Yates), the same for the same seed. */
export function shuffled<Item>(items: readonly Item[], seed: number): Item[] {
  const uniform = uniformStream(seed)
  const order = [...items]
  for (let last = order.length - 1; last > 0; last--) {
    const other = Math.floor(uniform() * (last + 1))
    const held = order[last] as Item
    order[last] = order[other] as Item
    order[other] = held
  }
  return order
}
