import { COLUMNS, KC, MC, NC } from './blocks'
import { storeRow } from './few-rows'
import { multiplyBlock } from './matmul'
import { packColumns, packRows } from './panels'
import { multiplyAdd, splatAt } from './vector'

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
