/** Labels at the ends of curves, which would lie on one another where curves end alike. */

/**
 * Moves labels of the same x apart, by `gap` pixels or more, in the order of their heights and as little as possible (the least sum of
 * squares: isotonic regression by pooling neighbours). None is pushed above 0 or below `bottom` as long as all of them fit between.
 */
export function movedApart<Label extends { x: number; y: number }>(
  labels: readonly Label[],
  gap: number,
  bottom: number,
): Label[] {
  const columns = new Map<number, Label[]>()
  for (const label of labels) columns.set(label.x, [...(columns.get(label.x) ?? []), label])
  return [...columns.values()].flatMap((column) => {
    const sorted = column.toSorted((a, b) => a.y - b.y)
    // Without `gap` for each label above it, a height must not be less than the one before.
    const pools: { sum: number; count: number }[] = []
    for (const [i, { y }] of sorted.entries()) {
      pools.push({ sum: y - i * gap, count: 1 })
      for (
        let last = pools.at(-1)!, above = pools.at(-2);
        above && meanOf(above) > meanOf(last);
        above = pools.at(-2)
      ) {
        above.sum += last.sum
        above.count += last.count
        pools.pop()
        last = above
      }
    }
    const lowest = bottom - gap * (sorted.length - 1)
    const starts = pools.flatMap((pool) => Array.from({ length: pool.count }, () => meanOf(pool)))
    return sorted.map((label, i) => ({ ...label, y: Math.min(Math.max(starts[i]!, 0), lowest) + i * gap }))
  })
}

const meanOf = ({ sum, count }: { sum: number; count: number }) => sum / count
