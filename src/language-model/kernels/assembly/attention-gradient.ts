import {
  attentionRowsPerBlock,
  listOwnSlots,
  listSpans,
  loadRows,
  ROWS,
  visibleOf,
  visibleOfPair,
} from './attention-blocks'
import { combineRows, dotRows, paddedWidth, scoreSlopes, spreadRows } from './attention-rows'
import { multiplyAdd, sumLanes } from './vector'

/** Columns of a block in the backward pass, so that its two score blocks fit in the first-level cache. */
const COLUMNS: i32 = 128

/** Scratch bytes of the backward pass. */
export function attentionGradientScratchBytes(heads: i32, keyHeads: i32, headDim: i32, maximumVisible: i32): i32 {
  const rows = attentionRowsPerBlock(heads, keyHeads)
  return (paddedWidth(maximumVisible) + (3 * rows + 2) * headDim + 2 * rows + 2 * rows * COLUMNS) << 2
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
          const visible = min(visibleOfPair(row, rows, group, first, prefix, start, querySlot), end)
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
