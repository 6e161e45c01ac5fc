import {
  attentionRowsPerBlock,
  listOwnSlots,
  listSpans,
  loadRows,
  ROWS,
  sharedSlots,
  visibleOf,
  visibleOfPair,
} from './attention-blocks'
import { combineRow, combineRows, dotRow, dotRows, paddedWidth, softmaxWeights } from './attention-rows'
import { splatAt } from './vector'

/**
 * Causal grouped-query attention over a forest of segments; see src/language-model/ops for the layout and the formulas. The rows of a
 * block (attention-blocks.ts) are processed two by two, with four keys at a time, so that they share loaded keys.
 */

/**
 * Slots whose keys, or values, a single query reads for all heads before the next slots, so that they stay in the
 * second-level cache meanwhile.
 */
const STRETCH: i32 = 256
/** Bytes that memory gives at a time. */
const CACHE_LINE: usize = 64

/** Scratch bytes of the forward pass; `maximumVisible` is the most slots that any query sees. */
export function attentionScratchBytes(heads: i32, keyHeads: i32, headDim: i32, maximumVisible: i32): i32 {
  const rows = max(attentionRowsPerBlock(heads, keyHeads), heads)
  const width = paddedWidth(maximumVisible)
  return (width + 2 * rows * headDim + rows + rows * width) << 2
}

export function attention(q: usize, k: usize, v: usize, output: usize, logSumExps: usize,
  queries: i32, heads: i32, keyHeads: i32, headDim: i32,
  querySegment: usize, querySlot: usize, segmentStart: usize, spanOffsets: usize, spanStart: usize, spanLength: usize,
  maximumVisible: i32, scratch: usize): void {
  const group = heads / keyHeads
  const blockRows = attentionRowsPerBlock(heads, keyHeads)
  const blockQueries = max(ROWS / group, 1)
  const width = paddedWidth(maximumVisible)
  const headBytes = (headDim as usize) << 2
  const keyStride = (keyHeads as usize) * headBytes
  const queryStride = (heads as usize) * headBytes
  const scale: f32 = 1 / sqrt<f32>(headDim as f32)

  const list = scratch
  const scratchRows = max(blockRows, heads) as usize
  const rowQueries = list + ((width as usize) << 2)
  const rowOutputs = rowQueries + scratchRows * headBytes
  const inverses = rowOutputs + scratchRows * headBytes
  const scores = inverses + (scratchRows << 2)
  const scoreStride = (width as usize) << 2

  let segment = -1
  let start = 0
  let prefix = 0
  let cached = 0
  let first = 0
  while (first < queries) {
    const next = load<i32>(querySegment + ((first as usize) << 2))
    if (next != segment) {
      cached = sharedSlots(segment, next, spanOffsets, spanStart, spanLength)
      segment = next
      start = load<i32>(segmentStart + ((segment as usize) << 2))
      prefix = listSpans(list, segment, spanOffsets, spanStart, spanLength, keyStride)
    }
    let last = first
    const blockEnd = min(first + blockQueries, queries)
    while (last < blockEnd && load<i32>(querySegment + ((last as usize) << 2)) == segment) last++
    const total = prefix + listOwnSlots(list, prefix, start, querySlot, first, last, keyStride)
    if (last - first == 1) {
      const at = (first as usize) * queryStride
      loadRows(q, rowQueries, first, last, heads, 0, queryStride, headBytes, scale)
      // A single prompt is short enough for the cache.
      attendAlone(
        rowQueries, k, v, output + at, logSumExps + (((first as usize) * heads) << 2), heads, keyHeads, headDim,
        list, queries == 1 ? total : cached, total, inverses, scores, scoreStride,
      )
      first = last
      continue
    }
    const rows = (last - first) * group
    const evenRows = (rows + 1) & ~1

    for (let keyHead = 0; keyHead < keyHeads; keyHead++) {
      const headOffset = (keyHead as usize) * headBytes
      loadRows(q, rowQueries, first, last, group, keyHead, queryStride, headBytes, scale)
      if (evenRows > rows) memory.fill(rowQueries + (rows as usize) * headBytes, 0, headBytes)
      for (let row = 0; row < evenRows; row += 2) {
        const rowScores = scores + (row as usize) * scoreStride
        const visible = visibleOfPair(row, rows, group, first, prefix, start, querySlot)
        dotRows(
          rowQueries + (row as usize) * headBytes, headDim, k + headOffset, list, 0, visible, rowScores, scoreStride,
        )
        for (let r = row; r < row + 2; r++) {
          const own = scores + (r as usize) * scoreStride
          if (r >= rows) memory.fill(own, 0, scoreStride)
          else {
            const n = first + r / group
            const seen = visibleOf(n, prefix, start, querySlot)
            const lse = softmaxWeights(own, seen, paddedWidth(total), inverses + ((r as usize) << 2))
            store<f32>(logSumExps + (((n as usize) * heads + keyHead * group + r % group) << 2), lse)
          }
        }
        const target = rowOutputs + (row as usize) * headBytes
        memory.fill(target, 0, 2 * headBytes)
        combineRows(rowScores, scoreStride, v + headOffset, list, 0, visible, headDim, target)
      }
      for (let row = 0; row < rows; row++) {
        const head = (keyHead * group + row % group) as usize
        const to = output + ((first + row / group) as usize) * queryStride + head * headBytes
        scaleTo(to, rowOutputs + (row as usize) * headBytes, headBytes, inverses + ((row as usize) << 2))
      }
    }
    first = last
  }
}

/**
 * One query with all its heads, as in decoding, where a batch reads many megabytes of keys and values, each once. Reading
 * them waits for memory, which is several times as fast in order of addresses as head by head: so the slots from `cached`
 * on, which the query before did not read, are fetched in that order first.
 */
function attendAlone(
  queries: usize, k: usize, v: usize, output: usize, logSumExps: usize, heads: i32, keyHeads: i32, headDim: i32,
  list: usize, cached: i32, visible: i32, inverses: usize, scores: usize, scoreStride: usize,
): void {
  const group = heads / keyHeads
  const headBytes = (headDim as usize) << 2
  const slotBytes = (keyHeads as usize) * headBytes
  let fetched: u32 = 0
  for (let begin = 0; begin < visible; begin += STRETCH) {
    const end = min(begin + STRETCH, visible)
    fetched ^= fetch(k, list, max(begin, cached), end, slotBytes)
    for (let head = 0; head < heads;) {
      const keys = k + (head / group as usize) * headBytes
      const rows = queries + (head as usize) * headBytes
      const to = scores + (head as usize) * scoreStride + ((begin as usize) << 2)
      if (head % group + 1 < group) {
        dotRows(rows, headDim, keys, list, begin, end, to, scoreStride)
        head += 2
      } else {
        dotRow(rows, headDim, keys, list, begin, end, to)
        head++
      }
    }
  }
  for (let head = 0; head < heads; head++) {
    const at = (head as usize) << 2
    const rowScores = scores + (head as usize) * scoreStride
    store<f32>(logSumExps + at, softmaxWeights(rowScores, visible, paddedWidth(visible), inverses + at))
  }
  memory.fill(output, 0, (heads as usize) * headBytes)
  for (let begin = 0; begin < visible; begin += STRETCH) {
    const end = min(begin + STRETCH, visible)
    fetched ^= fetch(v, list, max(begin, cached), end, slotBytes)
    for (let head = 0; head < heads;) {
      const values = v + (head / group as usize) * headBytes
      const from = scores + (head as usize) * scoreStride + ((begin as usize) << 2)
      const target = output + (head as usize) * headBytes
      if (head % group + 1 < group) {
        combineRows(from, scoreStride, values, list, begin, end, headDim, target)
        head += 2
      } else {
        combineRow(from, values, list, begin, end, headDim, target)
        head++
      }
    }
  }
  for (let head = 0; head < heads; head++) {
    const row = output + (head as usize) * headBytes
    scaleTo(row, row, headBytes, inverses + ((head as usize) << 2))
  }
  // Scratch that is not read again: without a use of what was fetched, the compiler would leave the fetching out.
  store<u32>(inverses, fetched)
}

/** Reads a word of each cache line of these slots, in order. */
function fetch(from: usize, list: usize, begin: i32, end: i32, slotBytes: usize): u32 {
  let words: u32 = 0
  for (let slot = begin; slot < end; slot++) {
    const at = from + (load<u32>(list + ((slot as usize) << 2)) as usize)
    for (let byte: usize = 0; byte < slotBytes; byte += CACHE_LINE) words ^= load<u32>(at + byte)
  }
  return words
}

function scaleTo(to: usize, from: usize, bytes: usize, factor: usize): void {
  const factors = splatAt(factor)
  for (let d: usize = 0; d < bytes; d += 16) v128.store(to + d, f32x4.mul(v128.load(from + d), factors))
}
