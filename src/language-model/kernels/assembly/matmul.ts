import { COLUMNS, FEW_ROWS, KC, MC, NC, ROWS } from './blocks'
import { fewRows } from './few-rows'
import { packColumns, packRows } from './panels'
import { copyTile, multiplyLowTile, multiplyTile } from './tiles'

/** Scratch bytes that the caller provides: the panels of A and B, and one tile. */
export function matmulScratchBytes(): i32 {
  return (MC * KC + KC * NC + ROWS * COLUMNS) * 4
}

/**
 * C = A · B (+ C), A[m, k], B[k, n], C[m, n] row-major; A and B are given by a row and a column stride, so that either
 * may be a transposed view.
 */
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
export function multiplyBlock(panelA: usize, panelB: usize, c: usize, rows: i32, columns: i32, depth: i32, add: bool,
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
