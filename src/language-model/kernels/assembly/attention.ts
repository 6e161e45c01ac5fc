import {
  combineRow, combineRows, dotRow, dotRows, paddedWidth, scoreSlopes, softmaxWeights, spreadRows,
} from './attention-rows'
import { multiplyAdd, splatAt, sumLanes } from './vector'

/**
 * Causal grouped-query attention over a forest of segments; see src/language-model/ops for the layout and the
 * formulas.
 *
 * The slots that a segment sees are first listed as row offsets, spans first, own slots last, so that everything below
 * loops over one list and the c-th column of a score row is the c-th visible slot. A row is one (query, head) pair; the
 * rows of a block of queries that share a key head are processed together, two rows by four keys at a time, so that
 * they share loaded keys.
 */

/** Rows of a block. Queries per block are ROWS / (heads per key head), at least one. */
const ROWS: i32 = 16
/**
 * Slots whose keys, or values, a single query reads for all heads before the next slots, so that they stay in the
 * second-level cache meanwhile.
 */
const STRETCH: i32 = 256
/** Bytes that memory gives at a time. */
const CACHE_LINE: usize = 64
/** Columns of a block in the backward pass, so that its two score blocks fit in the first-level cache. */
const COLUMNS: i32 = 128

export function attentionRowsPerBlock(heads: i32, keyHeads: i32): i32 {
  const group = heads / keyHeads
  // Even, because rows are processed in pairs; a last single row is paired with a row of zeros.
  return (max(ROWS / group, 1) * group + 1) & ~1
}

/** Scratch bytes of the forward pass; `maximumVisible` is the most slots that any query sees. */
export function attentionScratchBytes(heads: i32, keyHeads: i32, headDim: i32, maximumVisible: i32): i32 {
  const rows = max(attentionRowsPerBlock(heads, keyHeads), heads)
  const width = paddedWidth(maximumVisible)
  return (width + 2 * rows * headDim + rows + rows * width) << 2
}

export function attentionGradientScratchBytes(heads: i32, keyHeads: i32, headDim: i32, maximumVisible: i32): i32 {
  const rows = attentionRowsPerBlock(heads, keyHeads)
  return (paddedWidth(maximumVisible) + (3 * rows + 2) * headDim + 2 * rows + 2 * rows * COLUMNS) << 2
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
        const query = first + min(row + 1, rows - 1) / group
        const visible = visibleOf(query, prefix, start, querySlot)
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

/**
 * dv += Pᵀ dy,  dS = P ⊙ (dy · vᵀ − rowsum(dy ⊙ o)),  dq = scale · dS · k,  dk += scale · dSᵀ q, with P = exp(scale ·
 * q · kᵀ − lse) recomputed block by block. The caller fills dk and dv with zeros.
 */
export function attentionGradient(dy: usize, q: usize, k: usize, v: usize, output: usize, logSumExps: usize,
  dq: usize, dk: usize, dv: usize,
  queries: i32, heads: i32, keyHeads: i32, headDim: i32,
  querySegment: usize, querySlot: usize, segmentStart: usize, spanOffsets: usize, spanStart: usize, spanLength: usize,
  maximumVisible: i32, scratch: usize): void {
  const group = heads / keyHeads
  const blockRows = attentionRowsPerBlock(heads, keyHeads)
  const blockQueries = max(ROWS / group, 1)
  const headBytes = (headDim as usize) << 2
  const keyStride = (keyHeads as usize) * headBytes
  const queryStride = (heads as usize) * headBytes
  const scale: f32 = 1 / sqrt<f32>(headDim as f32)
  const stride: usize = COLUMNS << 2

  const list = scratch
  const rowQueries = list + ((paddedWidth(maximumVisible) as usize) << 2)
  const rowPulls = rowQueries + (blockRows as usize) * headBytes
  const rowGradients = rowPulls + (blockRows as usize) * headBytes
  const nowhere = rowGradients + (blockRows as usize) * headBytes
  const rowLse = nowhere + 2 * headBytes
  const rowDelta = rowLse + ((blockRows as usize) << 2)
  const weights = rowDelta + ((blockRows as usize) << 2)
  const slopes = weights + (blockRows as usize) * stride

  let segment = -1
  let start = 0
  let prefix = 0
  let first = 0
  while (first < queries) {
    const next = load<i32>(querySegment + ((first as usize) << 2))
    if (next != segment) {
      segment = next
      start = load<i32>(segmentStart + ((segment as usize) << 2))
      prefix = listSpans(list, segment, spanOffsets, spanStart, spanLength, keyStride)
    }
    let last = first
    const blockEnd = min(first + blockQueries, queries)
    while (last < blockEnd && load<i32>(querySegment + ((last as usize) << 2)) == segment) last++
    const total = prefix + listOwnSlots(list, prefix, start, querySlot, first, last, keyStride)
    const rows = (last - first) * group
    const evenRows = (rows + 1) & ~1

    for (let keyHead = 0; keyHead < keyHeads; keyHead++) {
      const headOffset = (keyHead as usize) * headBytes
      loadRows(q, rowQueries, first, last, group, keyHead, queryStride, headBytes, scale)
      loadRows(dy, rowPulls, first, last, group, keyHead, queryStride, headBytes, 1)
      if (evenRows > rows) {
        memory.fill(rowQueries + (rows as usize) * headBytes, 0, headBytes)
        memory.fill(rowPulls + (rows as usize) * headBytes, 0, headBytes)
      }
      memory.fill(rowGradients, 0, (evenRows as usize) * headBytes)
      for (let row = 0; row < rows; row++) {
        const n = (first + row / group) as usize
        const head = (keyHead * group + row % group) as usize
        const out = output + n * queryStride + head * headBytes
        let sums = f32x4.splat(0)
        const pulls = rowPulls + (row as usize) * headBytes
        for (let d: usize = 0; d < headBytes; d += 16) sums = multiplyAdd(v128.load(out + d), v128.load(pulls + d), sums)
        store<f32>(rowDelta + ((row as usize) << 2), sumLanes(sums))
        store<f32>(rowLse + ((row as usize) << 2), load<f32>(logSumExps + ((n * heads + head) << 2)))
      }

      for (let column = 0; column < total; column += COLUMNS) {
        const end = min(column + COLUMNS, total)
        // The first row that sees anything here: earlier rows of a causal block are skipped.
        let firstRow = 0
        while (firstRow < rows && visibleOf(first + firstRow / group, prefix, start, querySlot) <= column) {
          firstRow += group
        }
        firstRow &= ~1
        for (let row = firstRow; row < evenRows; row += 2) {
          const query = first + min(row + 1, rows - 1) / group
          const visible = min(visibleOf(query, prefix, start, querySlot), end)
          const p = weights + (row as usize) * stride
          const s = slopes + (row as usize) * stride
          dotRows(rowQueries + (row as usize) * headBytes, headDim, k + headOffset, list, column, visible, p, stride)
          dotRows(rowPulls + (row as usize) * headBytes, headDim, v + headOffset, list, column, visible, s, stride)
          for (let r = row; r < row + 2; r++) {
            const at = (r as usize) * stride
            if (r >= rows) {
              memory.fill(weights + at, 0, stride)
              memory.fill(slopes + at, 0, stride)
            } else {
              const seen = max(0, min(visibleOf(first + r / group, prefix, start, querySlot), end) - column)
              const lse = load<f32>(rowLse + ((r as usize) << 2)), delta = load<f32>(rowDelta + ((r as usize) << 2))
              scoreSlopes(weights + at, slopes + at, seen, COLUMNS, lse, delta)
            }
          }
          combineRows(
            s, stride, k + headOffset, list, column, visible, headDim, rowGradients + (row as usize) * headBytes,
          )
        }
        const used = evenRows - firstRow
        spreadRows(
          weights + (firstRow as usize) * stride, stride, rowPulls + (firstRow as usize) * headBytes, used, headDim,
          dv + headOffset, list, column, end, nowhere,
        )
        spreadRows(
          slopes + (firstRow as usize) * stride, stride, rowQueries + (firstRow as usize) * headBytes, used, headDim,
          dk + headOffset, list, column, end, nowhere,
        )
      }

      const scales = f32x4.splat(scale)
      for (let row = 0; row < rows; row++) {
        const head = (keyHead * group + row % group) as usize
        const to = dq + ((first + row / group) as usize) * queryStride + head * headBytes
        const from = rowGradients + (row as usize) * headBytes
        for (let d: usize = 0; d < headBytes; d += 16) v128.store(to + d, f32x4.mul(v128.load(from + d), scales))
      }
    }
    first = last
  }
}

// @ts-ignore: decorator
@inline
function visibleOf(query: i32, prefix: i32, start: i32, querySlot: usize): i32 {
  return prefix + load<i32>(querySlot + ((query as usize) << 2)) - start + 1
}

function listSpans(
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
function sharedSlots(before: i32, segment: i32, spanOffsets: usize, spanStart: usize, spanLength: usize): i32 {
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
function listOwnSlots(
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

function loadRows(
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
