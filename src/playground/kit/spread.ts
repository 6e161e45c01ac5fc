/** At most `limit` of the items, spread evenly, with the first and from two on the last. */
export function spread<Item>(items: readonly Item[], limit: number): readonly Item[] {
  if (items.length <= limit) return items
  const gap = (items.length - 1) / Math.max(1, limit - 1)
  return Array.from({ length: limit }, (_, i) => items[Math.round(i * gap)]!)
}
