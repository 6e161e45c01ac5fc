import { COLUMNS } from './blocks'
import { multiplyAdd, splatAt } from './vector'

export function copyTile(tile: usize, target: usize, height: i32, width: i32, rowStride: i32, add: bool): void {
  for (let row = 0; row < height; row++) {
    for (let column = 0; column < width; column++) {
      const value = load<f32>(tile + ((row * COLUMNS + column) << 2))
      const to = target + ((row * rowStride + column) << 2)
      store<f32>(to, add ? load<f32>(to) + value : value)
    }
  }
}

export function multiplyTile(a: usize, b: usize, depth: i32, c: usize, stride: usize, add: bool): void {
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

export function multiplyLowTile(a: usize, b: usize, depth: i32, c: usize, stride: usize, add: bool): void {
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
