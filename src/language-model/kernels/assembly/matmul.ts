import { multiplyAdd, splatAt, sumLanes, sumLanesOfFour } from './vector'

/**
 * C = A · B (+ C), A[m, k], B[k, n], C[m, n] row-major; A and B are given by a row and a column stride, so that either
 * may be a transposed view.
 *
 * Blocked as in Goto and van de Geijn (2008): a KC × NC block of B and an MC × KC block of A are copied into panels in
 * the order in which the inner loop reads them, and the inner loop keeps a 6 × 8 tile of C in registers. The engine has
 * 15 vector registers: 12 for the tile, 2 for B and 1 for a broadcast element of A. Fewer sums would wait for one
 * another, as a multiply-add takes four cycles and two start in each. Without a fused multiply-add, a product needs a
 * register too, so the tile is 4 × 8.
 */
const ROWS: i32 = ASC_FEATURE_RELAXED_SIMD ? 6 : 4
/** Rows of a block's last tile if that is enough. */
const FEW_ROWS: i32 = 4
const COLUMNS: i32 = 8
const MC: i32 = 48
const KC: i32 = 256
const NC: i32 = 512

/** Scratch bytes that the caller provides: the panels of A and B, and one tile. */
export function matmulScratchBytes(): i32 {
  return (MC * KC + KC * NC + ROWS * COLUMNS) * 4
}

export function matmul(a: usize, b: usize, c: usize, m: i32, n: i32, k: i32,
  aRowStride: i32, aColumnStride: i32, bRowStride: i32, bColumnStride: i32, accumulate: bool, scratch: usize): void {
  matmulInto(a, b, c, m, n, k, aRowStride, aColumnStride, bRowStride, bColumnStride, accumulate, scratch, n)
}

/** The same with C in columns of a wider matrix, whose rows begin `cRowStride` elements apart. */
export function matmulInto(a: usize, b: usize, c: usize, m: i32, n: i32, k: i32, aRowStride: i32, aColumnStride: i32,
  bRowStride: i32, bColumnStride: i32, accumulate: bool, scratch: usize, cRowStride: i32): void {
  if (m < FEW_ROWS && aColumnStride == 1 && bRowStride == 1 && !accumulate) {
    fewRows(a, b, c, m, n, k, aRowStride, bColumnStride, cRowStride)
    return
  }
  const panelA = scratch
  const panelB = panelA + ((MC * KC) << 2)
  const tile = panelB + ((KC * NC) << 2)
  for (let j0 = 0; j0 < n; j0 += NC) {
    const columns = min(NC, n - j0)
    for (let p0 = 0; p0 < k; p0 += KC) {
      const depth = min(KC, k - p0)
      const add = accumulate || p0 > 0
      packColumns(b + ((p0 * bRowStride + j0 * bColumnStride) << 2), panelB, depth, columns, bRowStride, bColumnStride)
      for (let i0 = 0; i0 < m; i0 += MC) {
        const rows = min(MC, m - i0)
        packRows(a + ((i0 * aRowStride + p0 * aColumnStride) << 2), panelA, rows, depth, aRowStride, aColumnStride)
        multiplyBlock(
          panelA, panelB, c + ((i0 * cRowStride + j0) << 2), rows, columns, depth, add, tile, cRowStride,
        )
      }
    }
  }
  if (k == 0 && !accumulate) for (let i = 0; i < m; i++) memory.fill(c + ((i * cRowStride) << 2), 0, n << 2)
}

/** A block of C from a panel of A and one of B. */
function multiplyBlock(panelA: usize, panelB: usize, c: usize, rows: i32, columns: i32, depth: i32, add: bool,
  tile: usize, cRowStride: i32): void {
  for (let j = 0; j < columns; j += COLUMNS) {
    const packedB = panelB + ((j * depth) << 2)
    const width = min(COLUMNS, columns - j)
    for (let i = 0; i < rows; i += ROWS) {
      const packedA = panelA + ((i * depth) << 2)
      const height = min(ROWS, rows - i)
      const target = c + ((i * cRowStride + j) << 2)
      const isWhole = width == COLUMNS && (height == ROWS || height == FEW_ROWS)
      const to = isWhole ? target : tile
      const stride = (isWhole ? cRowStride : COLUMNS) as usize << 2
      if (height > FEW_ROWS) multiplyTile(packedA, packedB, depth, to, stride, isWhole && add)
      else multiplyLowTile(packedA, packedB, depth, to, stride, isWhole && add)
      if (!isWhole) copyTile(tile, target, height, width, cRowStride, add)
    }
  }
}

/** Bytes of all panels of W[n, k]. */
export function weightPanelBytes(n: i32, k: i32): i32 {
  return (paddedColumns(n) * k) << 2
}

/** Copies Wᵀ into its panels, block by block in the order of `matmulPacked`, which then needs not copy it for each product. */
export function packWeight(weight: usize, panels: usize, n: i32, k: i32): void {
  for (let j0 = 0; j0 < n; j0 += NC) {
    const columns = min(NC, n - j0)
    for (let p0 = 0; p0 < k; p0 += KC) {
      const panel = panels + ((j0 * k + p0 * paddedColumns(columns)) << 2)
      packColumns(weight + ((p0 + j0 * k) << 2), panel, min(KC, k - p0), columns, 1, k)
    }
  }
}

/** C[m, n] = A[m, k] · Wᵀ from W's panels; the same as `matmul`, bit for bit. */
export function matmulPacked(a: usize, panels: usize, c: usize, m: i32, n: i32, k: i32, scratch: usize): void {
  const panelA = scratch
  const tile = panelA + ((MC * KC + KC * NC) << 2)
  for (let j0 = 0; j0 < n; j0 += NC) {
    const columns = min(NC, n - j0)
    for (let p0 = 0; p0 < k; p0 += KC) {
      const depth = min(KC, k - p0)
      const panelB = panels + ((j0 * k + p0 * paddedColumns(columns)) << 2)
      if (m == 1) {
        multiplyRow(a + (p0 << 2), panelB, depth, columns, c + (j0 << 2), p0 > 0)
        continue
      }
      for (let i0 = 0; i0 < m; i0 += MC) {
        const rows = min(MC, m - i0)
        packRows(a + ((i0 * k + p0) << 2), panelA, rows, depth, k, 1)
        multiplyBlock(panelA, panelB, c + ((i0 * n + j0) << 2), rows, columns, depth, p0 > 0, tile, n)
      }
    }
  }
}

// @ts-ignore: decorator
@inline
function paddedColumns(columns: i32): i32 {
  return (columns + COLUMNS - 1) & ~(COLUMNS - 1)
}

/** One row times a panel of B: four tiles of columns at once, because the sums of one would wait for one another. */
function multiplyRow(row: usize, panel: usize, depth: i32, columns: i32, c: usize, add: bool): void {
  const step = ((depth * COLUMNS) as usize) << 2
  const bytes = (depth as usize) << 2
  let b0 = panel
  let j = 0
  for (; j + 4 * COLUMNS <= columns; j += 4 * COLUMNS) {
    let s00 = f32x4.splat(0), s01 = f32x4.splat(0)
    let s10 = f32x4.splat(0), s11 = f32x4.splat(0)
    let s20 = f32x4.splat(0), s21 = f32x4.splat(0)
    let s30 = f32x4.splat(0), s31 = f32x4.splat(0)
    let b1 = b0 + step, b2 = b1 + step, b3 = b2 + step
    const following = b3 + step
    for (let p: usize = 0; p < bytes; p += 4) {
      const x = v128.load_splat<f32>(row + p)
      s00 = multiplyAdd(x, v128.load(b0), s00); s01 = multiplyAdd(x, v128.load(b0, 16), s01)
      s10 = multiplyAdd(x, v128.load(b1), s10); s11 = multiplyAdd(x, v128.load(b1, 16), s11)
      s20 = multiplyAdd(x, v128.load(b2), s20); s21 = multiplyAdd(x, v128.load(b2, 16), s21)
      s30 = multiplyAdd(x, v128.load(b3), s30); s31 = multiplyAdd(x, v128.load(b3, 16), s31)
      b0 += 32; b1 += 32; b2 += 32; b3 += 32
    }
    const to = c + ((j as usize) << 2)
    storeRow(to, s00, s01, COLUMNS, add)
    storeRow(to + 32, s10, s11, COLUMNS, add)
    storeRow(to + 64, s20, s21, COLUMNS, add)
    storeRow(to + 96, s30, s31, COLUMNS, add)
    b0 = following
  }
  for (; j < columns; j += COLUMNS) {
    let s0 = f32x4.splat(0), s1 = f32x4.splat(0)
    for (let p: usize = 0; p < bytes; p += 4) {
      const x = v128.load_splat<f32>(row + p)
      s0 = multiplyAdd(x, v128.load(b0), s0); s1 = multiplyAdd(x, v128.load(b0, 16), s1)
      b0 += 32
    }
    storeRow(c + ((j as usize) << 2), s0, s1, min(COLUMNS, columns - j), add)
  }
}

function copyTile(tile: usize, target: usize, height: i32, width: i32, rowStride: i32, add: bool): void {
  for (let row = 0; row < height; row++) {
    for (let column = 0; column < width; column++) {
      const value = load<f32>(tile + ((row * COLUMNS + column) << 2))
      const to = target + ((row * rowStride + column) << 2)
      store<f32>(to, add ? load<f32>(to) + value : value)
    }
  }
}

function multiplyTile(a: usize, b: usize, depth: i32, c: usize, stride: usize, add: bool): void {
  let c00 = f32x4.splat(0), c01 = f32x4.splat(0)
  let c10 = f32x4.splat(0), c11 = f32x4.splat(0)
  let c20 = f32x4.splat(0), c21 = f32x4.splat(0)
  let c30 = f32x4.splat(0), c31 = f32x4.splat(0)
  let c40 = f32x4.splat(0), c41 = f32x4.splat(0)
  let c50 = f32x4.splat(0), c51 = f32x4.splat(0)
  const end = a + (depth as usize) * 24
  const unrolledEnd = a + ((depth & ~3) as usize) * 24
  while (a < unrolledEnd) {
    let b0 = v128.load(b), b1 = v128.load(b, 16)
    let x = v128.load_splat<f32>(a)
    c00 = multiplyAdd(x, b0, c00); c01 = multiplyAdd(x, b1, c01)
    x = v128.load_splat<f32>(a, 4)
    c10 = multiplyAdd(x, b0, c10); c11 = multiplyAdd(x, b1, c11)
    x = v128.load_splat<f32>(a, 8)
    c20 = multiplyAdd(x, b0, c20); c21 = multiplyAdd(x, b1, c21)
    x = v128.load_splat<f32>(a, 12)
    c30 = multiplyAdd(x, b0, c30); c31 = multiplyAdd(x, b1, c31)
    x = v128.load_splat<f32>(a, 16)
    c40 = multiplyAdd(x, b0, c40); c41 = multiplyAdd(x, b1, c41)
    x = v128.load_splat<f32>(a, 20)
    c50 = multiplyAdd(x, b0, c50); c51 = multiplyAdd(x, b1, c51)

    b0 = v128.load(b, 32); b1 = v128.load(b, 48)
    x = v128.load_splat<f32>(a, 24)
    c00 = multiplyAdd(x, b0, c00); c01 = multiplyAdd(x, b1, c01)
    x = v128.load_splat<f32>(a, 28)
    c10 = multiplyAdd(x, b0, c10); c11 = multiplyAdd(x, b1, c11)
    x = v128.load_splat<f32>(a, 32)
    c20 = multiplyAdd(x, b0, c20); c21 = multiplyAdd(x, b1, c21)
    x = v128.load_splat<f32>(a, 36)
    c30 = multiplyAdd(x, b0, c30); c31 = multiplyAdd(x, b1, c31)
    x = v128.load_splat<f32>(a, 40)
    c40 = multiplyAdd(x, b0, c40); c41 = multiplyAdd(x, b1, c41)
    x = v128.load_splat<f32>(a, 44)
    c50 = multiplyAdd(x, b0, c50); c51 = multiplyAdd(x, b1, c51)

    b0 = v128.load(b, 64); b1 = v128.load(b, 80)
    x = v128.load_splat<f32>(a, 48)
    c00 = multiplyAdd(x, b0, c00); c01 = multiplyAdd(x, b1, c01)
    x = v128.load_splat<f32>(a, 52)
    c10 = multiplyAdd(x, b0, c10); c11 = multiplyAdd(x, b1, c11)
    x = v128.load_splat<f32>(a, 56)
    c20 = multiplyAdd(x, b0, c20); c21 = multiplyAdd(x, b1, c21)
    x = v128.load_splat<f32>(a, 60)
    c30 = multiplyAdd(x, b0, c30); c31 = multiplyAdd(x, b1, c31)
    x = v128.load_splat<f32>(a, 64)
    c40 = multiplyAdd(x, b0, c40); c41 = multiplyAdd(x, b1, c41)
    x = v128.load_splat<f32>(a, 68)
    c50 = multiplyAdd(x, b0, c50); c51 = multiplyAdd(x, b1, c51)

    b0 = v128.load(b, 96); b1 = v128.load(b, 112)
    x = v128.load_splat<f32>(a, 72)
    c00 = multiplyAdd(x, b0, c00); c01 = multiplyAdd(x, b1, c01)
    x = v128.load_splat<f32>(a, 76)
    c10 = multiplyAdd(x, b0, c10); c11 = multiplyAdd(x, b1, c11)
    x = v128.load_splat<f32>(a, 80)
    c20 = multiplyAdd(x, b0, c20); c21 = multiplyAdd(x, b1, c21)
    x = v128.load_splat<f32>(a, 84)
    c30 = multiplyAdd(x, b0, c30); c31 = multiplyAdd(x, b1, c31)
    x = v128.load_splat<f32>(a, 88)
    c40 = multiplyAdd(x, b0, c40); c41 = multiplyAdd(x, b1, c41)
    x = v128.load_splat<f32>(a, 92)
    c50 = multiplyAdd(x, b0, c50); c51 = multiplyAdd(x, b1, c51)
    a += 96
    b += 128
  }
  while (a < end) {
    const b0 = v128.load(b), b1 = v128.load(b, 16)
    let x = v128.load_splat<f32>(a)
    c00 = multiplyAdd(x, b0, c00); c01 = multiplyAdd(x, b1, c01)
    x = v128.load_splat<f32>(a, 4)
    c10 = multiplyAdd(x, b0, c10); c11 = multiplyAdd(x, b1, c11)
    x = v128.load_splat<f32>(a, 8)
    c20 = multiplyAdd(x, b0, c20); c21 = multiplyAdd(x, b1, c21)
    x = v128.load_splat<f32>(a, 12)
    c30 = multiplyAdd(x, b0, c30); c31 = multiplyAdd(x, b1, c31)
    x = v128.load_splat<f32>(a, 16)
    c40 = multiplyAdd(x, b0, c40); c41 = multiplyAdd(x, b1, c41)
    x = v128.load_splat<f32>(a, 20)
    c50 = multiplyAdd(x, b0, c50); c51 = multiplyAdd(x, b1, c51)
    a += 24
    b += 32
  }
  const row1 = c + stride, row2 = row1 + stride, row3 = row2 + stride, row4 = row3 + stride, row5 = row4 + stride
  if (add) {
    c00 = f32x4.add(c00, v128.load(c)); c01 = f32x4.add(c01, v128.load(c, 16))
    c10 = f32x4.add(c10, v128.load(row1)); c11 = f32x4.add(c11, v128.load(row1, 16))
    c20 = f32x4.add(c20, v128.load(row2)); c21 = f32x4.add(c21, v128.load(row2, 16))
    c30 = f32x4.add(c30, v128.load(row3)); c31 = f32x4.add(c31, v128.load(row3, 16))
    c40 = f32x4.add(c40, v128.load(row4)); c41 = f32x4.add(c41, v128.load(row4, 16))
    c50 = f32x4.add(c50, v128.load(row5)); c51 = f32x4.add(c51, v128.load(row5, 16))
  }
  v128.store(c, c00); v128.store(c, c01, 16)
  v128.store(row1, c10); v128.store(row1, c11, 16)
  v128.store(row2, c20); v128.store(row2, c21, 16)
  v128.store(row3, c30); v128.store(row3, c31, 16)
  v128.store(row4, c40); v128.store(row4, c41, 16)
  v128.store(row5, c50); v128.store(row5, c51, 16)
}

function multiplyLowTile(a: usize, b: usize, depth: i32, c: usize, stride: usize, add: bool): void {
  let c00 = f32x4.splat(0), c01 = f32x4.splat(0)
  let c10 = f32x4.splat(0), c11 = f32x4.splat(0)
  let c20 = f32x4.splat(0), c21 = f32x4.splat(0)
  let c30 = f32x4.splat(0), c31 = f32x4.splat(0)
  const end = a + (depth as usize) * 16
  const unrolledEnd = a + ((depth & ~3) as usize) * 16
  while (a < unrolledEnd) {
    let b0 = v128.load(b), b1 = v128.load(b, 16)
    let x = v128.load_splat<f32>(a)
    c00 = multiplyAdd(x, b0, c00); c01 = multiplyAdd(x, b1, c01)
    x = v128.load_splat<f32>(a, 4)
    c10 = multiplyAdd(x, b0, c10); c11 = multiplyAdd(x, b1, c11)
    x = v128.load_splat<f32>(a, 8)
    c20 = multiplyAdd(x, b0, c20); c21 = multiplyAdd(x, b1, c21)
    x = v128.load_splat<f32>(a, 12)
    c30 = multiplyAdd(x, b0, c30); c31 = multiplyAdd(x, b1, c31)

    b0 = v128.load(b, 32); b1 = v128.load(b, 48)
    x = v128.load_splat<f32>(a, 16)
    c00 = multiplyAdd(x, b0, c00); c01 = multiplyAdd(x, b1, c01)
    x = v128.load_splat<f32>(a, 20)
    c10 = multiplyAdd(x, b0, c10); c11 = multiplyAdd(x, b1, c11)
    x = v128.load_splat<f32>(a, 24)
    c20 = multiplyAdd(x, b0, c20); c21 = multiplyAdd(x, b1, c21)
    x = v128.load_splat<f32>(a, 28)
    c30 = multiplyAdd(x, b0, c30); c31 = multiplyAdd(x, b1, c31)

    b0 = v128.load(b, 64); b1 = v128.load(b, 80)
    x = v128.load_splat<f32>(a, 32)
    c00 = multiplyAdd(x, b0, c00); c01 = multiplyAdd(x, b1, c01)
    x = v128.load_splat<f32>(a, 36)
    c10 = multiplyAdd(x, b0, c10); c11 = multiplyAdd(x, b1, c11)
    x = v128.load_splat<f32>(a, 40)
    c20 = multiplyAdd(x, b0, c20); c21 = multiplyAdd(x, b1, c21)
    x = v128.load_splat<f32>(a, 44)
    c30 = multiplyAdd(x, b0, c30); c31 = multiplyAdd(x, b1, c31)

    b0 = v128.load(b, 96); b1 = v128.load(b, 112)
    x = v128.load_splat<f32>(a, 48)
    c00 = multiplyAdd(x, b0, c00); c01 = multiplyAdd(x, b1, c01)
    x = v128.load_splat<f32>(a, 52)
    c10 = multiplyAdd(x, b0, c10); c11 = multiplyAdd(x, b1, c11)
    x = v128.load_splat<f32>(a, 56)
    c20 = multiplyAdd(x, b0, c20); c21 = multiplyAdd(x, b1, c21)
    x = v128.load_splat<f32>(a, 60)
    c30 = multiplyAdd(x, b0, c30); c31 = multiplyAdd(x, b1, c31)
    a += 64
    b += 128
  }
  while (a < end) {
    const b0 = v128.load(b), b1 = v128.load(b, 16)
    let x = v128.load_splat<f32>(a)
    c00 = multiplyAdd(x, b0, c00); c01 = multiplyAdd(x, b1, c01)
    x = v128.load_splat<f32>(a, 4)
    c10 = multiplyAdd(x, b0, c10); c11 = multiplyAdd(x, b1, c11)
    x = v128.load_splat<f32>(a, 8)
    c20 = multiplyAdd(x, b0, c20); c21 = multiplyAdd(x, b1, c21)
    x = v128.load_splat<f32>(a, 12)
    c30 = multiplyAdd(x, b0, c30); c31 = multiplyAdd(x, b1, c31)
    a += 16
    b += 32
  }
  const row1 = c + stride, row2 = row1 + stride, row3 = row2 + stride
  if (add) {
    c00 = f32x4.add(c00, v128.load(c)); c01 = f32x4.add(c01, v128.load(c, 16))
    c10 = f32x4.add(c10, v128.load(row1)); c11 = f32x4.add(c11, v128.load(row1, 16))
    c20 = f32x4.add(c20, v128.load(row2)); c21 = f32x4.add(c21, v128.load(row2, 16))
    c30 = f32x4.add(c30, v128.load(row3)); c31 = f32x4.add(c31, v128.load(row3, 16))
  }
  v128.store(c, c00); v128.store(c, c01, 16)
  v128.store(row1, c10); v128.store(row1, c11, 16)
  v128.store(row2, c20); v128.store(row2, c21, 16)
  v128.store(row3, c30); v128.store(row3, c31, 16)
}

/**
 * Copies rows of A into panels of ROWS rows, [depth][ROWS] each; the last one has FEW_ROWS if that is enough and is
 * padded with zeros.
 */
function packRows(a: usize, panel: usize, rows: i32, depth: i32, rowStride: i32, columnStride: i32): void {
  for (let i = 0; i < rows; i += ROWS) {
    const lanes = min(ROWS, rows - i)
    const width = lanes > FEW_ROWS ? ROWS : FEW_ROWS
    pack(a + ((i * rowStride) << 2), panel + ((i * depth) << 2), lanes, depth, rowStride, columnStride, width)
  }
}

/** Copies columns of B into panels of COLUMNS columns, [depth][COLUMNS] each; the last one is padded with zeros. */
function packColumns(b: usize, panel: usize, depth: i32, columns: i32, rowStride: i32, columnStride: i32): void {
  for (let j = 0; j < columns; j += COLUMNS) {
    pack(
      b + ((j * columnStride) << 2), panel + ((j * depth) << 2), min(COLUMNS, columns - j), depth, columnStride,
      rowStride, COLUMNS,
    )
  }
}

/**
 * One panel: panel[p][i] = source[i · laneStride + p · depthStride] for `lanes` lanes of `width`, which is even.
 */
function pack(
  source: usize, panel: usize, lanes: i32, depth: i32, laneStride: i32, depthStride: i32, width: i32,
): void {
  if (lanes == width && laneStride == 1) {
    for (let p = 0; p < depth; p++) {
      const from = source + ((p * depthStride) << 2)
      const to = panel + ((p * width) << 2)
      let i = 0
      for (; i + 4 <= width; i += 4) v128.store(to + (i << 2), v128.load(from + (i << 2)))
      if (i < width) store<u64>(to + (i << 2), load<u64>(from + (i << 2)))
    }
    return
  }
  if (lanes == width && depthStride == 1) {
    const step = (laneStride as usize) << 2
    const stride = (width as usize) << 2
    let i = 0
    for (; i + 4 <= width; i += 4) {
      let from = source + ((i * laneStride) << 2)
      let to = panel + (i << 2)
      let p = 0
      for (; p + 4 <= depth; p += 4) {
        const r0 = v128.load(from), r1 = v128.load(from + step)
        const r2 = v128.load(from + 2 * step), r3 = v128.load(from + 3 * step)
        const low01 = f32x4.shuffle(r0, r1, 0, 4, 1, 5), high01 = f32x4.shuffle(r0, r1, 2, 6, 3, 7)
        const low23 = f32x4.shuffle(r2, r3, 0, 4, 1, 5), high23 = f32x4.shuffle(r2, r3, 2, 6, 3, 7)
        v128.store(to, f32x4.shuffle(low01, low23, 0, 1, 4, 5))
        v128.store(to + stride, f32x4.shuffle(low01, low23, 2, 3, 6, 7))
        v128.store(to + 2 * stride, f32x4.shuffle(high01, high23, 0, 1, 4, 5))
        v128.store(to + 3 * stride, f32x4.shuffle(high01, high23, 2, 3, 6, 7))
        from += 16
        to += 4 * stride
      }
      for (; p < depth; p++) {
        store<f32>(to, load<f32>(from))
        store<f32>(to + 4, load<f32>(from + step))
        store<f32>(to + 8, load<f32>(from + 2 * step))
        store<f32>(to + 12, load<f32>(from + 3 * step))
        from += 4
        to += stride
      }
    }
    if (i < width) packPair(source + ((i * laneStride) << 2), panel + (i << 2), depth, step, stride)
    return
  }
  for (let p = 0; p < depth; p++) {
    for (let i = 0; i < width; i++) {
      const value = i < lanes ? load<f32>(source + ((i * laneStride + p * depthStride) << 2)) : 0
      store<f32>(panel + ((p * width + i) << 2), value)
    }
  }
}

/** Two lanes of a panel, from two runs of `depth` elements. */
function packPair(from: usize, to: usize, depth: i32, step: usize, stride: usize): void {
  let p = 0
  for (; p + 4 <= depth; p += 4) {
    const r0 = v128.load(from), r1 = v128.load(from + step)
    const low = f32x4.shuffle(r0, r1, 0, 4, 1, 5), high = f32x4.shuffle(r0, r1, 2, 6, 3, 7)
    v128.store64_lane(to, low, 0)
    v128.store64_lane(to + stride, low, 1)
    v128.store64_lane(to + 2 * stride, high, 0)
    v128.store64_lane(to + 3 * stride, high, 1)
    from += 16
    to += 4 * stride
  }
  for (; p < depth; p++) {
    store<f32>(to, load<f32>(from))
    store<f32>(to + 4, load<f32>(from + step))
    from += 4
    to += stride
  }
}

/**
 * A few rows times a transposed matrix, as in sampling one token, where packing B would cost more than it saves: 4 × 4 blocks of
 * B are turned in registers. Sums run in the order of the tiles, so a row's product is the same, bit for bit, whichever rows are
 * multiplied with it: what a model says does not depend on how requests are batched.
 */
function fewRows(a: usize, b: usize, c: usize, m: i32, n: i32, k: i32, aRowStride: i32, bColumnStride: i32,
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

function storeRow(c: usize, left: v128, right: v128, width: i32, add: bool): void {
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
