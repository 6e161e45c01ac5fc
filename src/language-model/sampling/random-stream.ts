/**
 * Uniform numbers in [0, 1) from any number of integer keys, by Chris Doty-Humphrey's sfc32. Streams of different keys are
 * practically independent, so a completion does not depend on the rest of its batch.
 */
export type RandomStream = () => number

export function randomStream(...keys: readonly number[]): RandomStream {
  let [a, b, c, counter] = [0x9e3779b9, 0x243f6a88, 0xb7e15162, 1]
  const next = (): number => {
    const output = (((a + b) | 0) + counter) | 0
    counter = (counter + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = (((c << 21) | (c >>> 11)) + output) | 0
    return (output >>> 0) / 2 ** 32
  }
  for (const key of keys) {
    a ^= key | 0
    for (let round = 0; round < 12; round++) next()
  }
  return next
}

/** Standard normal numbers by Box and Muller. */
export function normalStream(uniform: RandomStream): RandomStream {
  return () => Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform())
}
