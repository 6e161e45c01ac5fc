import { exponential, fillZero, maximumLane, multiplyAdd, sumLanes, sumLanesOfFour } from './vector'

/**
 * Causal grouped-query attention over a forest of segments; see src/language-model/ops for the layout and the formulas.
 *
 * The slots a segment sees are written out once as a list of row offsets, spans first, own slots last, so that everything below
 * loops over one list and the c-th column of a score row is the c-th visible slot. A row is one (query, head) pair; the rows of a
 * block of queries that share a key head are worked on together, two rows by four keys at a time, so that loaded keys are shared.
 */

/** Rows of a block. Queries per block are ROWS / (heads per key head), at least one. */
const ROWS: i32 = 16
/** Columns of a block in the backward pass, so that its two score blocks stay in the first-level cache. */
const COLUMNS: i32 = 128

export function attentionRowsPerBlock(heads: i32, keyHeads: i32): i32 {
  const group = heads / keyHeads
  // Even, because rows go in pairs; a row without a partner is paired with a row of zeros.
  return (max(ROWS / group, 1) * group + 1) & ~1
}

/** Scratch bytes of the forward pass, where `maximumVisible` is the most slots any query sees. */
export function attentionScratchBytes(heads: i32, keyHeads: i32, headDim: i32, maximumVisible: i32): i32 {
  const rows = attentionRowsPerBlock(heads, keyHeads)
  const width = paddedWidth(maximumVisible)
  return (width + 2 * rows * headDim + rows * width) << 2
}

export function attentionGradientScratchBytes(heads: i32, keyHeads: i32, headDim: i32, maximumVisible: i32): i32 {
  const rows = attentionRowsPerBlock(heads, keyHeads)
  return (paddedWidth(maximumVisible) + (3 * rows + 2) * headDim + 2 * rows + 2 * rows * COLUMNS) << 2
}

// @ts-ignore: decorator
@inline
function paddedWidth(visible: i32): i32 {
  return (visible + 3) & ~3
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
  const rowQueries = list + ((width as usize) << 2)
  const rowOutputs = rowQueries + (blockRows as usize) * headBytes
  const scores = rowOutputs + (blockRows as usize) * headBytes
  const scoreStride = (width as usize) << 2

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
    while (last < queries && last - first < blockQueries && load<i32>(querySegment + ((last as usize) << 2)) == segment) last++
    const total = prefix + listOwnSlots(list, prefix, start, querySlot, first, last, keyStride)
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
        dotRows(rowQueries + (row as usize) * headBytes, headDim, k + headOffset, list, 0, visible, rowScores, scoreStride)
        for (let r = row; r < row + 2; r++) {
          const own = scores + (r as usize) * scoreStride
          if (r >= rows) memory.fill(own, 0, scoreStride)
          else {
            const n = first + r / group
            const lse = softmax(own, visibleOf(n, prefix, start, querySlot), paddedWidth(total))
            store<f32>(logSumExps + (((n as usize) * heads + keyHead * group + r % group) << 2), lse)
          }
        }
        const target = rowOutputs + (row as usize) * headBytes
        memory.fill(target, 0, 2 * headBytes)
        combineRows(rowScores, scoreStride, v + headOffset, list, 0, visible, headDim, target)
      }
      for (let row = 0; row < rows; row++) {
        const to = output + ((first + row / group) as usize) * queryStride + ((keyHead * group + row % group) as usize) * headBytes
        memory.copy(to, rowOutputs + (row as usize) * headBytes, headBytes)
      }
    }
    first = last
  }
}

/**
 * dv += Pᵀ dy,  dS = P ⊙ (dy · vᵀ − rowsum(dy ⊙ o)),  dq = scale · dS · k,  dk += scale · dSᵀ q, with P = exp(scale · q · kᵀ − lse)
 * recomputed block by block. The caller has filled dk and dv with zeros.
 */
export function attentionGradient(dy: usize, q: usize, k: usize, v: usize, output: usize, logSumExps: usize, dq: usize, dk: usize, dv: usize,
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
    while (last < queries && last - first < blockQueries && load<i32>(querySegment + ((last as usize) << 2)) == segment) last++
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
        for (let d: usize = 0; d < headBytes; d += 16) sums = multiplyAdd(v128.load(out + d), v128.load(rowPulls + (row as usize) * headBytes + d), sums)
        store<f32>(rowDelta + ((row as usize) << 2), sumLanes(sums))
        store<f32>(rowLse + ((row as usize) << 2), load<f32>(logSumExps + ((n * heads + head) << 2)))
      }

      for (let column = 0; column < total; column += COLUMNS) {
        const end = min(column + COLUMNS, total)
        // The first row that sees anything here: earlier ones of a causal block need not be visited.
        let firstRow = 0
        while (firstRow < rows && visibleOf(first + firstRow / group, prefix, start, querySlot) <= column) firstRow += group
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
              scoreSlopes(weights + at, slopes + at, seen, load<f32>(rowLse + ((r as usize) << 2)), load<f32>(rowDelta + ((r as usize) << 2)))
            }
          }
          combineRows(s, stride, k + headOffset, list, column, visible, headDim, rowGradients + (row as usize) * headBytes)
        }
        const used = evenRows - firstRow
        spreadRows(weights + (firstRow as usize) * stride, stride, rowPulls + (firstRow as usize) * headBytes, used, headDim, dv + headOffset, list, column, end, nowhere)
        spreadRows(slopes + (firstRow as usize) * stride, stride, rowQueries + (firstRow as usize) * headBytes, used, headDim, dk + headOffset, list, column, end, nowhere)
      }

      const scales = f32x4.splat(scale)
      for (let row = 0; row < rows; row++) {
        const to = dq + ((first + row / group) as usize) * queryStride + ((keyHead * group + row % group) as usize) * headBytes
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

function listSpans(list: usize, segment: i32, spanOffsets: usize, spanStart: usize, spanLength: usize, stride: usize): i32 {
  const offsets = spanOffsets + ((segment as usize) << 2)
  let count = 0
  for (let span = load<i32>(offsets); span < load<i32>(offsets + 4); span++) {
    const from = load<i32>(spanStart + ((span as usize) << 2))
    const length = load<i32>(spanLength + ((span as usize) << 2))
    for (let i = 0; i < length; i++) store<u32>(list + (((count + i) as usize) << 2), ((from + i) as u32) * (stride as u32))
    count += length
  }
  return count
}

/** Adds the segment's own slots up to the block's last query, fills the list up to a multiple of four with the last one again, and returns their number. */
function listOwnSlots(list: usize, prefix: i32, start: i32, querySlot: usize, first: i32, last: i32, stride: usize): i32 {
  let end = start
  for (let n = first; n < last; n++) end = max(end, load<i32>(querySlot + ((n as usize) << 2)) + 1)
  const own = end - start
  const total = prefix + own
  for (let i = 0; i < own; i++) store<u32>(list + (((prefix + i) as usize) << 2), ((start + i) as u32) * (stride as u32))
  for (let i = total; i < paddedWidth(total); i++) store<u32>(list + ((i as usize) << 2), ((end - 1) as u32) * (stride as u32))
  return own
}

function loadRows(source: usize, rows: usize, first: i32, last: i32, group: i32, keyHead: i32, stride: usize, headBytes: usize, factor: f32): void {
  const factors = f32x4.splat(factor)
  let to = rows
  for (let n = first; n < last; n++) {
    // The query heads that share a key head lie one after the other, so a query's rows are one run.
    const from = source + (n as usize) * stride + (keyHead as usize) * (group as usize) * headBytes
    const bytes = (group as usize) * headBytes
    for (let d: usize = 0; d < bytes; d += 16) v128.store(to + d, f32x4.mul(v128.load(from + d), factors))
    to += bytes
  }
}

/** scores[r][c − begin] = rows[r] · keys[list[c]] for two rows and c from begin up to end, rounded up to a multiple of four. */
function dotRows(rows: usize, headDim: i32, keys: usize, list: usize, begin: i32, end: i32, scores: usize, scoreStride: usize): void {
  const headBytes = (headDim as usize) << 2
  const second = rows + headBytes
  let to = scores
  for (let c = begin; c < end; c += 4) {
    const entries = list + ((c as usize) << 2)
    const k0 = keys + (load<u32>(entries) as usize), k1 = keys + (load<u32>(entries, 4) as usize)
    const k2 = keys + (load<u32>(entries, 8) as usize), k3 = keys + (load<u32>(entries, 12) as usize)
    let a0 = f32x4.splat(0), a1 = f32x4.splat(0), a2 = f32x4.splat(0), a3 = f32x4.splat(0)
    let b0 = f32x4.splat(0), b1 = f32x4.splat(0), b2 = f32x4.splat(0), b3 = f32x4.splat(0)
    for (let d: usize = 0; d < headBytes; d += 16) {
      const x = v128.load(rows + d), y = v128.load(second + d)
      let key = v128.load(k0 + d)
      a0 = multiplyAdd(x, key, a0); b0 = multiplyAdd(y, key, b0)
      key = v128.load(k1 + d)
      a1 = multiplyAdd(x, key, a1); b1 = multiplyAdd(y, key, b1)
      key = v128.load(k2 + d)
      a2 = multiplyAdd(x, key, a2); b2 = multiplyAdd(y, key, b2)
      key = v128.load(k3 + d)
      a3 = multiplyAdd(x, key, a3); b3 = multiplyAdd(y, key, b3)
    }
    v128.store(to, sumLanesOfFour(a0, a1, a2, a3))
    v128.store(to + scoreStride, sumLanesOfFour(b0, b1, b2, b3))
    to += 16
  }
}

/** In place over the first `visible` of `width` scores, zeros after them; returns the log-sum-exp. */
function softmax(scores: usize, visible: i32, width: i32): f32 {
  const end = (visible as usize) << 2
  for (let i = visible; i < paddedWidth(visible); i++) store<f32>(scores + ((i as usize) << 2), -Infinity)
  let tops = f32x4.splat(-Infinity)
  for (let i: usize = 0; i < end; i += 16) tops = f32x4.pmax(tops, v128.load(scores + i))
  const top = maximumLane(tops)
  const shift = f32x4.splat(top)
  let sums = f32x4.splat(0)
  for (let i: usize = 0; i < end; i += 16) {
    const e = exponential(f32x4.sub(v128.load(scores + i), shift))
    v128.store(scores + i, e)
    sums = f32x4.add(sums, e)
  }
  let sum = sumLanes(sums)
  // exp(−∞) comes out as a tiny number rather than zero; the sum does not notice, the weights are set right here.
  memory.fill(scores + end, 0, ((width - visible) as usize) << 2)
  const inverse = f32x4.splat(1 / sum)
  for (let i: usize = 0; i < end; i += 16) v128.store(scores + i, f32x4.mul(v128.load(scores + i), inverse))
  return top + Mathf.log(sum)
}

/** Turns scores into weights exp(score − lse), and dy · v into slopes weight · (dy · v − delta); zeros beyond `seen`. */
function scoreSlopes(weights: usize, slopes: usize, seen: i32, lse: f32, delta: f32): void {
  const shift = f32x4.splat(lse), deltas = f32x4.splat(delta)
  const end = (seen as usize) << 2
  for (let i: usize = 0; i < end; i += 16) {
    const p = exponential(f32x4.sub(v128.load(weights + i), shift))
    v128.store(weights + i, p)
    v128.store(slopes + i, f32x4.mul(p, f32x4.sub(v128.load(slopes + i), deltas)))
  }
  fillZero(weights + end, COLUMNS - seen)
  fillZero(slopes + end, COLUMNS - seen)
}

/** target[r] += Σ_c coefficients[r][c − begin] · values[list[c]] for two rows. */
function combineRows(coefficients: usize, stride: usize, values: usize, list: usize, begin: i32, end: i32, headDim: i32, target: usize): void {
  const headBytes = (headDim as usize) << 2
  const second = target + headBytes
  const entries = list + ((begin as usize) << 2)
  const bytes = ((max(end - begin, 0)) as usize) << 2
  let d: usize = 0
  for (; d + 64 <= headBytes; d += 64) {
    const base = values + d
    let a0 = v128.load(target + d), a1 = v128.load(target + d, 16), a2 = v128.load(target + d, 32), a3 = v128.load(target + d, 48)
    let b0 = v128.load(second + d), b1 = v128.load(second + d, 16), b2 = v128.load(second + d, 32), b3 = v128.load(second + d, 48)
    for (let c: usize = 0; c < bytes; c += 4) {
      const from = base + (load<u32>(entries + c) as usize)
      const x = v128.load_splat<f32>(coefficients + c), y = v128.load_splat<f32>(coefficients + stride + c)
      let value = v128.load(from)
      a0 = multiplyAdd(x, value, a0); b0 = multiplyAdd(y, value, b0)
      value = v128.load(from, 16)
      a1 = multiplyAdd(x, value, a1); b1 = multiplyAdd(y, value, b1)
      value = v128.load(from, 32)
      a2 = multiplyAdd(x, value, a2); b2 = multiplyAdd(y, value, b2)
      value = v128.load(from, 48)
      a3 = multiplyAdd(x, value, a3); b3 = multiplyAdd(y, value, b3)
    }
    v128.store(target + d, a0); v128.store(target + d, a1, 16); v128.store(target + d, a2, 32); v128.store(target + d, a3, 48)
    v128.store(second + d, b0); v128.store(second + d, b1, 16); v128.store(second + d, b2, 32); v128.store(second + d, b3, 48)
  }
  for (; d + 32 <= headBytes; d += 32) {
    const base = values + d
    let a0 = v128.load(target + d), a1 = v128.load(target + d, 16)
    let b0 = v128.load(second + d), b1 = v128.load(second + d, 16)
    for (let c: usize = 0; c < bytes; c += 4) {
      const from = base + (load<u32>(entries + c) as usize)
      const x = v128.load_splat<f32>(coefficients + c), y = v128.load_splat<f32>(coefficients + stride + c)
      const value0 = v128.load(from), value1 = v128.load(from, 16)
      a0 = multiplyAdd(x, value0, a0); b0 = multiplyAdd(y, value0, b0)
      a1 = multiplyAdd(x, value1, a1); b1 = multiplyAdd(y, value1, b1)
    }
    v128.store(target + d, a0); v128.store(target + d, a1, 16)
    v128.store(second + d, b0); v128.store(second + d, b1, 16)
  }
  for (; d < headBytes; d += 16) {
    const base = values + d
    let a = v128.load(target + d), b = v128.load(second + d)
    for (let c: usize = 0; c < bytes; c += 4) {
      const value = v128.load(base + (load<u32>(entries + c) as usize))
      a = multiplyAdd(v128.load_splat<f32>(coefficients + c), value, a)
      b = multiplyAdd(v128.load_splat<f32>(coefficients + stride + c), value, b)
    }
    v128.store(target + d, a)
    v128.store(second + d, b)
  }
}

/** target[list[c]] += Σ_r coefficients[r][c − begin] · rows[r], two columns at a time; a last column without a partner is paired with `nowhere`. */
function spreadRows(coefficients: usize, stride: usize, rows: usize, count: i32, headDim: i32, target: usize, list: usize, begin: i32, end: i32, nowhere: usize): void {
  const headBytes = (headDim as usize) << 2
  const rowsEnd = rows + (count as usize) * headBytes
  for (let c = begin; c < end; c += 2) {
    const entries = list + ((c as usize) << 2)
    const to = target + (load<u32>(entries) as usize)
    const second = c + 1 < end ? target + (load<u32>(entries, 4) as usize) : nowhere
    const column = coefficients + (((c - begin) as usize) << 2)
    let d: usize = 0
    for (; d + 64 <= headBytes; d += 64) {
      let a0 = v128.load(to + d), a1 = v128.load(to + d, 16), a2 = v128.load(to + d, 32), a3 = v128.load(to + d, 48)
      let b0 = v128.load(second + d), b1 = v128.load(second + d, 16), b2 = v128.load(second + d, 32), b3 = v128.load(second + d, 48)
      let from = column
      for (let row = rows + d; row < rowsEnd; row += headBytes) {
        const x = v128.load_splat<f32>(from), y = v128.load_splat<f32>(from, 4)
        let value = v128.load(row)
        a0 = multiplyAdd(x, value, a0); b0 = multiplyAdd(y, value, b0)
        value = v128.load(row, 16)
        a1 = multiplyAdd(x, value, a1); b1 = multiplyAdd(y, value, b1)
        value = v128.load(row, 32)
        a2 = multiplyAdd(x, value, a2); b2 = multiplyAdd(y, value, b2)
        value = v128.load(row, 48)
        a3 = multiplyAdd(x, value, a3); b3 = multiplyAdd(y, value, b3)
        from += stride
      }
      v128.store(to + d, a0); v128.store(to + d, a1, 16); v128.store(to + d, a2, 32); v128.store(to + d, a3, 48)
      v128.store(second + d, b0); v128.store(second + d, b1, 16); v128.store(second + d, b2, 32); v128.store(second + d, b3, 48)
    }
    for (; d + 32 <= headBytes; d += 32) {
      let a0 = v128.load(to + d), a1 = v128.load(to + d, 16)
      let b0 = v128.load(second + d), b1 = v128.load(second + d, 16)
      let from = column
      for (let row = rows + d; row < rowsEnd; row += headBytes) {
        const x = v128.load_splat<f32>(from), y = v128.load_splat<f32>(from, 4)
        const value0 = v128.load(row), value1 = v128.load(row, 16)
        a0 = multiplyAdd(x, value0, a0); b0 = multiplyAdd(y, value0, b0)
        a1 = multiplyAdd(x, value1, a1); b1 = multiplyAdd(y, value1, b1)
        from += stride
      }
      v128.store(to + d, a0); v128.store(to + d, a1, 16)
      v128.store(second + d, b0); v128.store(second + d, b1, 16)
    }
    for (; d < headBytes; d += 16) {
      let a = v128.load(to + d), b = v128.load(second + d)
      let from = column
      for (let row = rows + d; row < rowsEnd; row += headBytes) {
        const value = v128.load(row)
        a = multiplyAdd(v128.load_splat<f32>(from), value, a)
        b = multiplyAdd(v128.load_splat<f32>(from, 4), value, b)
        from += stride
      }
      v128.store(to + d, a)
      v128.store(second + d, b)
    }
  }
}
