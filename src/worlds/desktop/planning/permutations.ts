/** All orders of 0, 1, …, count − 1; kept, because the same few counts come again and again. */
const kept = new Map<number, readonly (readonly number[])[]>()

export function permutations(count: number): readonly (readonly number[])[] {
  let all = kept.get(count)
  if (!all) {
    all =
      count === 0
        ? [[]]
        : permutations(count - 1).flatMap((order) =>
            Array.from({ length: count }, (_, at) => [...order.slice(0, at), count - 1, ...order.slice(at)]),
          )
    kept.set(count, all)
  }
  return all
}
