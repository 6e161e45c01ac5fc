interface Numbers {
  readonly length: number
  set(values: ArrayLike<number>, at: number): void
}

/** The numbers of all parts, one after the other, in an array of a type: `joinArrays(Int32Array, parts)`. */
export function joinArrays<Joined extends Numbers>(
  Type: new (length: number) => Joined,
  parts: readonly ArrayLike<number>[],
): Joined {
  const joined = new Type(parts.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const part of parts) {
    joined.set(part, at)
    at += part.length
  }
  return joined
}
