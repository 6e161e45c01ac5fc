import { paddedWidth } from './attention-rows'

/**
 * The blocks of attention, forward and backward. A row is one (query, head) pair; a block has the rows of some queries that share a key
 * head. The slots that its segment sees are listed as row offsets, spans first, own slots last, so that the c-th column of a score row
 * is the c-th visible slot.
 */

/** Rows of a block. Queries per block are ROWS / (heads per key head), at least one. */
export const ROWS: i32 = 16

/** Rows of a block that are kept, which may be one more than it has. */
export function attentionRowsPerBlock(heads: i32, keyHeads: i32): i32 {
  const group = heads / keyHeads
  // Even, because rows are processed in pairs; a last single row is paired with a row of zeros.
  return (max(ROWS / group, 1) * group + 1) & ~1
}

/** Columns that a query sees: the spans' `prefix`, and its segment's own slots up to its own. */
// @ts-ignore: decorator
@inline
export function visibleOf(query: i32, prefix: i32, start: i32, querySlot: usize): i32 {
  return prefix + load<i32>(querySlot + ((query as usize) << 2)) - start + 1
}

/** Columns that either row of a pair sees: the queries of a segment may come in any order of their slots. */
// @ts-ignore: decorator
@inline
export function visibleOfPair(
  row: i32, rows: i32, group: i32, first: i32, prefix: i32, start: i32, querySlot: usize,
): i32 {
  return max(
    visibleOf(first + row / group, prefix, start, querySlot),
    visibleOf(first + min(row + 1, rows - 1) / group, prefix, start, querySlot),
  )
}

/** Lists the slots of the segment's spans and returns their number. `stride` is in bytes, as are all offsets. */
export function listSpans(
  list: usize, segment: i32, spanOffsets: usize, spanStart: usize, spanLength: usize, stride: usize,
): i32 {
  const offsets = spanOffsets + ((segment as usize) << 2)
  let count = 0
  for (let span = load<i32>(offsets); span < load<i32>(offsets + 4); span++) {
    const from = load<i32>(spanStart + ((span as usize) << 2))
    const length = load<i32>(spanLength + ((span as usize) << 2))
    for (let i = 0; i < length; i++) {
      store<u32>(list + (((count + i) as usize) << 2), ((from + i) as u32) * (stride as u32))
    }
    count += length
  }
  return count
}

/** Leading slots that two segments see alike; none if `before` is no segment. */
export function sharedSlots(before: i32, segment: i32, spanOffsets: usize, spanStart: usize, spanLength: usize): i32 {
  if (before < 0) return 0
  let a = load<i32>(spanOffsets + ((before as usize) << 2))
  let b = load<i32>(spanOffsets + ((segment as usize) << 2))
  const end = load<i32>(spanOffsets + ((segment as usize) << 2) + 4)
  const endBefore = load<i32>(spanOffsets + ((before as usize) << 2) + 4)
  let count = 0
  for (; a < endBefore && b < end; a++, b++) {
    const inA = (a as usize) << 2
    const inB = (b as usize) << 2
    if (load<i32>(spanStart + inA) != load<i32>(spanStart + inB)) break
    const lengthA = load<i32>(spanLength + inA)
    const lengthB = load<i32>(spanLength + inB)
    count += min(lengthA, lengthB)
    if (lengthA != lengthB) break
  }
  return count
}

/**
 * Adds the segment's own slots up to the block's last query, pads the list to a multiple of four with the last one, and
 * returns the number of slots.
 */
export function listOwnSlots(
  list: usize, prefix: i32, start: i32, querySlot: usize, first: i32, last: i32, stride: usize,
): i32 {
  let end = start
  for (let n = first; n < last; n++) end = max(end, load<i32>(querySlot + ((n as usize) << 2)) + 1)
  const own = end - start
  const total = prefix + own
  for (let i = 0; i < own; i++) store<u32>(list + (((prefix + i) as usize) << 2), ((start + i) as u32) * (stride as u32))
  for (let i = total; i < paddedWidth(total); i++) {
    store<u32>(list + ((i as usize) << 2), ((end - 1) as u32) * (stride as u32))
  }
  return own
}

/** Copies the rows of queries first … last − 1 and of one key head, times `factor`. */
export function loadRows(
  source: usize, rows: usize, first: i32, last: i32, group: i32, keyHead: i32, stride: usize, headBytes: usize,
  factor: f32,
): void {
  const factors = f32x4.splat(factor)
  let to = rows
  for (let n = first; n < last; n++) {
    // Query heads that share a key head are adjacent, so a query's rows are contiguous.
    const from = source + (n as usize) * stride + (keyHead as usize) * (group as usize) * headBytes
    const bytes = (group as usize) * headBytes
    for (let d: usize = 0; d < bytes; d += 16) v128.store(to + d, f32x4.mul(v128.load(from + d), factors))
    to += bytes
  }
}
