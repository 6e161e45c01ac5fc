/**
 * Products with a matrix W[n, k] in four bits: blocks of 32 weights in a row, 16 bytes of codes and a float32 scale,
 *
 *     w = (code - 7) · s,   code i in the bits 4 · (i mod 2) of byte ⌊i / 2⌋
 *
 * A few rows of W at a time become floats, are multiplied, and are overwritten by the next: W itself is never in memory
 * as floats.
 */
import { matmulInto } from './matmul'

const GROUP: i32 = 32
const BLOCK: usize = 20
const CODES: usize = 16

/** blocks → out[groups · 32]. */
export function dequantizeBlocks(blocks: usize, out: usize, groups: i32): void {
  const mask = i8x16.splat(15)
  const middle = i8x16.splat(7)
  for (let group = 0; group < groups; group++) {
    const codes = v128.load(blocks)
    const scale = f32x4.splat(load<f32>(blocks + CODES))
    const low = i8x16.sub(v128.and(codes, mask), middle)
    const high = i8x16.sub(i8x16.shr_u(codes, 4), middle)
    storeCodes(i8x16.shuffle(low, high, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23), scale, out)
    storeCodes(i8x16.shuffle(low, high, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31), scale, out + 64)
    blocks += BLOCK
    out += (GROUP as usize) << 2
  }
}

/** Sixteen signed codes as sixteen floats. */
// @ts-ignore: decorator
@inline
function storeCodes(codes: v128, scale: v128, out: usize): void {
  const low = i16x8.extend_low_i8x16_s(codes)
  const high = i16x8.extend_high_i8x16_s(codes)
  v128.store(out, f32x4.mul(f32x4.convert_i32x4_s(i32x4.extend_low_i16x8_s(low)), scale))
  v128.store(out, f32x4.mul(f32x4.convert_i32x4_s(i32x4.extend_high_i16x8_s(low)), scale), 16)
  v128.store(out, f32x4.mul(f32x4.convert_i32x4_s(i32x4.extend_low_i16x8_s(high)), scale), 32)
  v128.store(out, f32x4.mul(f32x4.convert_i32x4_s(i32x4.extend_high_i16x8_s(high)), scale), 48)
}

/** Address of row `row` of W. */
// @ts-ignore: decorator
@inline
function blocksOfRow(blocks: usize, row: i32, k: i32): usize {
  return blocks + (row as usize) * ((k / GROUP) as usize) * BLOCK
}

/** C[m, n] = A[m, k] · Wᵀ. `tile` has room for `tileRows` rows of W. */
export function fourBitMatmul(a: usize, blocks: usize, c: usize, m: i32, n: i32, k: i32, tile: usize, tileRows: i32,
  scratch: usize): void {
  for (let row = 0; row < n; row += tileRows) {
    const rows = min(tileRows, n - row)
    dequantizeBlocks(blocksOfRow(blocks, row, k), tile, rows * (k / GROUP))
    matmulInto(a, tile, c + ((row as usize) << 2), m, rows, k, k, 1, 1, k, false, scratch, n)
  }
}

/** dA[m, k] = dC[m, n] · W. */
export function fourBitMatmulGradient(dc: usize, blocks: usize, da: usize, m: i32, n: i32, k: i32, tile: usize,
  tileRows: i32, scratch: usize): void {
  for (let row = 0; row < n; row += tileRows) {
    const rows = min(tileRows, n - row)
    dequantizeBlocks(blocksOfRow(blocks, row, k), tile, rows * (k / GROUP))
    matmulInto(dc + ((row as usize) << 2), tile, da, m, k, rows, n, 1, k, 1, row > 0, scratch, k)
  }
}

/** out[i] = W[indices[i]], of k weights each. */
export function fourBitGatherRows(blocks: usize, indices: usize, out: usize, count: i32, k: i32): void {
  for (let i = 0; i < count; i++) {
    const row = load<i32>(indices + ((i as usize) << 2))
    dequantizeBlocks(blocksOfRow(blocks, row, k), out + (((i as usize) * (k as usize)) << 2), k / GROUP)
  }
}
