import { multiplyAdd } from './vector'

/**
 * Rotates the pairs (i, i + headDim/2) of every head of x[rows, heads · headDim] by the angle of the row's position;
 * `cosine` and `sine` are tables [position][headDim/2]. Direction −1 rotates back, which is the gradient.
 */
export function rotate(
  x: usize, y: usize, positions: usize, cosine: usize, sine: usize, rows: i32, heads: i32, headDim: i32, direction:
  f32,
): void {
  const half = headDim >> 1
  const halfBytes = (half as usize) << 2
  for (let row = 0; row < rows; row++) {
    const table = (load<i32>(positions + ((row as usize) << 2)) as usize) * halfBytes
    const cosines = cosine + table, sines = sine + table
    for (let head = 0; head < heads; head++) {
      const offset = ((row as usize) * heads + head) * headDim << 2
      const from = x + offset, to = y + offset
      let i: usize = 0
      for (; i + 16 <= halfBytes; i += 16) {
        const c = v128.load(cosines + i)
        const s = f32x4.mul(v128.load(sines + i), f32x4.splat(direction))
        const first = v128.load(from + i), second = v128.load(from + halfBytes + i)
        v128.store(to + i, f32x4.sub(f32x4.mul(first, c), f32x4.mul(second, s)))
        v128.store(to + halfBytes + i, multiplyAdd(second, c, f32x4.mul(first, s)))
      }
      for (; i < halfBytes; i += 4) {
        const c = load<f32>(cosines + i), s = load<f32>(sines + i) * direction
        const first = load<f32>(from + i), second = load<f32>(from + halfBytes + i)
        store<f32>(to + i, first * c - second * s)
        store<f32>(to + halfBytes + i, second * c + first * s)
      }
    }
  }
}
