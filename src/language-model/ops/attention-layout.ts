/**
 * Which keys each query of a ragged batch sees. Tokens are in slots of a key/value pool; a segment is a run of consecutive slots,
 * which sees whole spans of its ancestors and itself causally.
 */
export interface AttentionLayout {
  querySegment: Int32Array // [N] segment of each query
  querySlot: Int32Array // [N] slot of the query's own key in the pool
  segmentStart: Int32Array // [S] first slot of each segment
  spanOffsets: Int32Array // [S+1] CSR: spans of segment s are spanOffsets[s] .. spanOffsets[s+1]-1
  spanStart: Int32Array // slots [spanStart, spanStart+spanLength) are visible to every query of the segment
  spanLength: Int32Array
}

/** Calls `visit(start, end)` for every run [start, end) of slots that query `query` sees: its segment's spans, then its own segment up to itself. */
export function forEachVisibleRun(
  layout: AttentionLayout,
  query: number,
  visit: (start: number, end: number) => void,
): void {
  const segment = layout.querySegment[query]!
  for (let span = layout.spanOffsets[segment]!; span < layout.spanOffsets[segment + 1]!; span++) {
    const start = layout.spanStart[span]!
    visit(start, start + layout.spanLength[span]!)
  }
  visit(layout.segmentStart[segment]!, layout.querySlot[query]! + 1)
}
