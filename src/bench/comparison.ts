/** Compares a peer's outputs with ours, before their speed. */

/**
 * Relative difference of two arrays, ‖a − b‖ / ‖b‖; Infinity, beyond any tolerance, if one of them is not finite or their lengths
 * differ.
 */
export function relativeDifference(a: Float32Array, b: Float32Array): number {
  if (a.length !== b.length) return Infinity
  let difference = 0
  let size = 0
  for (let i = 0; i < a.length; i++) {
    difference += (a[i]! - b[i]!) ** 2
    size += b[i]! ** 2
  }
  const relative = difference === 0 ? 0 : Math.sqrt(difference / size)
  return Number.isFinite(relative) ? relative : Infinity
}

/** The largest difference over all named arrays, with its name. A name that one side lacks differs by Infinity. */
export function largestDifference(
  a: ReadonlyMap<string, Float32Array>,
  b: ReadonlyMap<string, Float32Array>,
): { name: string; difference: number } {
  let largest = { name: '', difference: 0 }
  for (const name of new Set([...a.keys(), ...b.keys()])) {
    const [left, right] = [a.get(name), b.get(name)]
    const difference = left && right ? relativeDifference(left, right) : Infinity
    if (difference > largest.difference || largest.name === '') largest = { name, difference }
  }
  return largest
}
