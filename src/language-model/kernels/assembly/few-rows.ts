import { COLUMNS, KC } from './blocks'
import { multiplyAdd, splatAt } from './vector'

/**
 * A few rows times a transposed matrix, as in sampling one token, where packing B would cost more than it saves: 4 × 4 blocks of
 * B are turned in registers. Sums run in the order of the tiles, so a row's product is the same, bit for bit, whichever rows are
 * multiplied with it: what a model says does not depend on how requests are batched.
 */
export function fewRows(a: usize, b: usize, c: usize, m: i32, n: i32, k: i32, aRowStride: i32, bColumnStride: i32,
  cRowStride: i32): void {
  const step = (bColumnStride as usize) << 2
  const rowStep = (aRowStride as usize) << 2
  const stride = (cRowStride as usize) << 2
  for (let p0 = 0; p0 < k; p0 += KC) {
    const depth = min(KC, k - p0)
    const row = a + (p0 << 2)
    for (let j = 0; j < n; j += COLUMNS) {
      const columns = b + ((p0 + j * bColumnStride) << 2)
      const target = c + (j << 2)
      const width = min(COLUMNS, n - j)
      if (m == 1) oneRow(row, columns, step, depth, target, width, p0 > 0)
      else threeRows(row, rowStep, m, columns, step, depth, target, stride, width, p0 > 0)
    }
  }
}

/** One row times up to 8 columns; missing ones repeat the last. */
function oneRow(row: usize, b0: usize, step: usize, depth: i32, c: usize, width: i32, add: bool): void {
  const last = (width - 1) as usize
  const b1 = b0 + min<usize>(1, last) * step, b2 = b0 + min<usize>(2, last) * step
  const b3 = b0 + min<usize>(3, last) * step, b4 = b0 + min<usize>(4, last) * step
  const b5 = b0 + min<usize>(5, last) * step, b6 = b0 + min<usize>(6, last) * step
  const b7 = b0 + min<usize>(7, last) * step
  let sum0 = f32x4.splat(0), sum1 = f32x4.splat(0)
  let p: usize = 0
  const vectorEnd = ((depth & ~3) as usize) << 2
  for (; p < vectorEnd; p += 16) {
    const r0 = v128.load(b0 + p), r1 = v128.load(b1 + p), r2 = v128.load(b2 + p), r3 = v128.load(b3 + p)
    const low01 = f32x4.shuffle(r0, r1, 0, 4, 1, 5), low23 = f32x4.shuffle(r2, r3, 0, 4, 1, 5)
    const high01 = f32x4.shuffle(r0, r1, 2, 6, 3, 7), high23 = f32x4.shuffle(r2, r3, 2, 6, 3, 7)
    const r4 = v128.load(b4 + p), r5 = v128.load(b5 + p), r6 = v128.load(b6 + p), r7 = v128.load(b7 + p)
    const low45 = f32x4.shuffle(r4, r5, 0, 4, 1, 5), low67 = f32x4.shuffle(r6, r7, 0, 4, 1, 5)
    const high45 = f32x4.shuffle(r4, r5, 2, 6, 3, 7), high67 = f32x4.shuffle(r6, r7, 2, 6, 3, 7)
    let x = v128.load_splat<f32>(row + p)
    sum0 = multiplyAdd(x, f32x4.shuffle(low01, low23, 0, 1, 4, 5), sum0)
    sum1 = multiplyAdd(x, f32x4.shuffle(low45, low67, 0, 1, 4, 5), sum1)
    x = v128.load_splat<f32>(row + p, 4)
    sum0 = multiplyAdd(x, f32x4.shuffle(low01, low23, 2, 3, 6, 7), sum0)
    sum1 = multiplyAdd(x, f32x4.shuffle(low45, low67, 2, 3, 6, 7), sum1)
    x = v128.load_splat<f32>(row + p, 8)
    sum0 = multiplyAdd(x, f32x4.shuffle(high01, high23, 0, 1, 4, 5), sum0)
    sum1 = multiplyAdd(x, f32x4.shuffle(high45, high67, 0, 1, 4, 5), sum1)
    x = v128.load_splat<f32>(row + p, 12)
    sum0 = multiplyAdd(x, f32x4.shuffle(high01, high23, 2, 3, 6, 7), sum0)
    sum1 = multiplyAdd(x, f32x4.shuffle(high45, high67, 2, 3, 6, 7), sum1)
  }
  const end = (depth as usize) << 2
  for (; p < end; p += 4) {
    const x = v128.load_splat<f32>(row + p)
    const left = f32x4(load<f32>(b0 + p), load<f32>(b1 + p), load<f32>(b2 + p), load<f32>(b3 + p))
    const right = f32x4(load<f32>(b4 + p), load<f32>(b5 + p), load<f32>(b6 + p), load<f32>(b7 + p))
    sum0 = multiplyAdd(x, left, sum0)
    sum1 = multiplyAdd(x, right, sum1)
  }
  storeRow(c, sum0, sum1, width, add)
}

/** Two or three rows times up to 8 columns; a missing third row and missing columns repeat the last, which costs little beside turning B. */
function threeRows(a: usize, rowStep: usize, height: i32, b0: usize, step: usize, depth: i32, c: usize, stride: usize,
  width: i32, add: bool): void {
  const a1 = a + rowStep, a2 = height > 2 ? a1 + rowStep : a1
  const last = (width - 1) as usize
  const b1 = b0 + min<usize>(1, last) * step, b2 = b0 + min<usize>(2, last) * step
  const b3 = b0 + min<usize>(3, last) * step, b4 = b0 + min<usize>(4, last) * step
  const b5 = b0 + min<usize>(5, last) * step, b6 = b0 + min<usize>(6, last) * step
  const b7 = b0 + min<usize>(7, last) * step
  let c00 = f32x4.splat(0), c01 = f32x4.splat(0)
  let c10 = f32x4.splat(0), c11 = f32x4.splat(0)
  let c20 = f32x4.splat(0), c21 = f32x4.splat(0)
  let p: usize = 0
  const vectorEnd = ((depth & ~3) as usize) << 2
  for (; p < vectorEnd; p += 16) {
    const r0 = v128.load(b0 + p), r1 = v128.load(b1 + p), r2 = v128.load(b2 + p), r3 = v128.load(b3 + p)
    const low01 = f32x4.shuffle(r0, r1, 0, 4, 1, 5), low23 = f32x4.shuffle(r2, r3, 0, 4, 1, 5)
    const high01 = f32x4.shuffle(r0, r1, 2, 6, 3, 7), high23 = f32x4.shuffle(r2, r3, 2, 6, 3, 7)
    const r4 = v128.load(b4 + p), r5 = v128.load(b5 + p), r6 = v128.load(b6 + p), r7 = v128.load(b7 + p)
    const low45 = f32x4.shuffle(r4, r5, 0, 4, 1, 5), low67 = f32x4.shuffle(r6, r7, 0, 4, 1, 5)
    const high45 = f32x4.shuffle(r4, r5, 2, 6, 3, 7), high67 = f32x4.shuffle(r6, r7, 2, 6, 3, 7)

    let left = f32x4.shuffle(low01, low23, 0, 1, 4, 5), right = f32x4.shuffle(low45, low67, 0, 1, 4, 5)
    let x = v128.load_splat<f32>(a + p)
    c00 = multiplyAdd(x, left, c00); c01 = multiplyAdd(x, right, c01)
    x = v128.load_splat<f32>(a1 + p)
    c10 = multiplyAdd(x, left, c10); c11 = multiplyAdd(x, right, c11)
    x = v128.load_splat<f32>(a2 + p)
    c20 = multiplyAdd(x, left, c20); c21 = multiplyAdd(x, right, c21)

    left = f32x4.shuffle(low01, low23, 2, 3, 6, 7); right = f32x4.shuffle(low45, low67, 2, 3, 6, 7)
    x = v128.load_splat<f32>(a + p, 4)
    c00 = multiplyAdd(x, left, c00); c01 = multiplyAdd(x, right, c01)
    x = v128.load_splat<f32>(a1 + p, 4)
    c10 = multiplyAdd(x, left, c10); c11 = multiplyAdd(x, right, c11)
    x = v128.load_splat<f32>(a2 + p, 4)
    c20 = multiplyAdd(x, left, c20); c21 = multiplyAdd(x, right, c21)

    left = f32x4.shuffle(high01, high23, 0, 1, 4, 5); right = f32x4.shuffle(high45, high67, 0, 1, 4, 5)
    x = v128.load_splat<f32>(a + p, 8)
    c00 = multiplyAdd(x, left, c00); c01 = multiplyAdd(x, right, c01)
    x = v128.load_splat<f32>(a1 + p, 8)
    c10 = multiplyAdd(x, left, c10); c11 = multiplyAdd(x, right, c11)
    x = v128.load_splat<f32>(a2 + p, 8)
    c20 = multiplyAdd(x, left, c20); c21 = multiplyAdd(x, right, c21)

    left = f32x4.shuffle(high01, high23, 2, 3, 6, 7); right = f32x4.shuffle(high45, high67, 2, 3, 6, 7)
    x = v128.load_splat<f32>(a + p, 12)
    c00 = multiplyAdd(x, left, c00); c01 = multiplyAdd(x, right, c01)
    x = v128.load_splat<f32>(a1 + p, 12)
    c10 = multiplyAdd(x, left, c10); c11 = multiplyAdd(x, right, c11)
    x = v128.load_splat<f32>(a2 + p, 12)
    c20 = multiplyAdd(x, left, c20); c21 = multiplyAdd(x, right, c21)
  }
  const end = (depth as usize) << 2
  for (; p < end; p += 4) {
    const left = f32x4(load<f32>(b0 + p), load<f32>(b1 + p), load<f32>(b2 + p), load<f32>(b3 + p))
    const right = f32x4(load<f32>(b4 + p), load<f32>(b5 + p), load<f32>(b6 + p), load<f32>(b7 + p))
    let x = v128.load_splat<f32>(a + p)
    c00 = multiplyAdd(x, left, c00); c01 = multiplyAdd(x, right, c01)
    x = v128.load_splat<f32>(a1 + p)
    c10 = multiplyAdd(x, left, c10); c11 = multiplyAdd(x, right, c11)
    x = v128.load_splat<f32>(a2 + p)
    c20 = multiplyAdd(x, left, c20); c21 = multiplyAdd(x, right, c21)
  }
  storeRow(c, c00, c01, width, add)
  storeRow(c + stride, c10, c11, width, add)
  if (height > 2) storeRow(c + 2 * stride, c20, c21, width, add)
}

export function storeRow(c: usize, left: v128, right: v128, width: i32, add: bool): void {
  if (width == COLUMNS) {
    v128.store(c, add ? f32x4.add(left, v128.load(c)) : left)
    v128.store(c, add ? f32x4.add(right, v128.load(c, 16)) : right, 16)
    return
  }
  for (let column = 0; column < width; column++) {
    const value = laneOf(column < 4 ? left : right, column & 3)
    const to = c + (column << 2)
    store<f32>(to, add ? value + load<f32>(to) : value)
  }
}

function laneOf(x: v128, lane: i32): f32 {
  if (lane == 0) return f32x4.extract_lane(x, 0)
  if (lane == 1) return f32x4.extract_lane(x, 1)
  return lane == 2 ? f32x4.extract_lane(x, 2) : f32x4.extract_lane(x, 3)
}
