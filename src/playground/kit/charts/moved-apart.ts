/** Labels at the ends of curves, which would lie on one another where curves end alike. */

/**
 * Moves labels of the same x apart, by `gap` pixels or more, in the order of their heights. None is pushed below `bottom` as long as
 * all of them fit above it.
 */
export function movedApart<Label extends { x: number; y: number }>(
  labels: readonly Label[],
  gap: number,
  bottom: number,
): Label[] {
  const columns = new Map<number, Label[]>()
  for (const label of labels) columns.set(label.x, [...(columns.get(label.x) ?? []), label])
  return [...columns.values()].flatMap((column) => {
    const placed = column.toSorted((a, b) => a.y - b.y).map((label) => ({ ...label }))
    for (let i = 1; i < placed.length; i++) placed[i]!.y = Math.max(placed[i]!.y, placed[i - 1]!.y + gap)
    for (const [i, label] of placed.entries()) label.y = Math.min(label.y, bottom - gap * (placed.length - 1 - i))
    return placed
  })
}
