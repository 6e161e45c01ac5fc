import { exponential, exponentialOf, fillZero, multiplyAdd, sumLanes } from './vector'

/** y = silu(gate) ⊙ up. */
export function swiglu(gate: usize, up: usize, y: usize, count: i32): void {
  const one = f32x4.splat(1)
  let i: usize = 0
  const end = (count as usize) << 2
  for (; i + 16 <= end; i += 16) {
    const g = v128.load(gate + i)
    const silu = f32x4.div(g, f32x4.add(one, exponential(f32x4.neg(g))))
    v128.store(y + i, f32x4.mul(silu, v128.load(up + i)))
  }
  for (; i < end; i += 4) {
    const g = load<f32>(gate + i)
    store<f32>(y + i, (g / (1 + exponentialOf(-g))) * load<f32>(up + i))
  }
}

/** dgate = dy ⊙ up ⊙ σ (1 + gate (1 − σ)), dup = dy ⊙ gate ⊙ σ. */
export function swigluGradient(dy: usize, gate: usize, up: usize, dgate: usize, dup: usize, count: i32): void {
  const one = f32x4.splat(1)
  let i: usize = 0
  const end = (count as usize) << 2
  for (; i + 16 <= end; i += 16) {
    const g = v128.load(gate + i), d = v128.load(dy + i)
    const sigmoid = f32x4.div(one, f32x4.add(one, exponential(f32x4.neg(g))))
    v128.store(dup + i, f32x4.mul(d, f32x4.mul(g, sigmoid)))
    const slope = f32x4.mul(sigmoid, multiplyAdd(g, f32x4.sub(one, sigmoid), one))
    v128.store(dgate + i, f32x4.mul(f32x4.mul(d, v128.load(up + i)), slope))
  }
  for (; i < end; i += 4) {
    const g = load<f32>(gate + i), d = load<f32>(dy + i)
    const sigmoid: f32 = 1 / (1 + exponentialOf(-g))
    store<f32>(dup + i, d * g * sigmoid)
    store<f32>(dgate + i, d * load<f32>(up + i) * sigmoid * (1 + g * (1 - sigmoid)))
  }
}

/** out = a + factor · b, where b is repeated every `period` elements (the whole length for tensors of one shape). */
export function addScaled(a: usize, b: usize, out: usize, count: i32, period: i32, factor: f32): void {
  const factors = f32x4.splat(factor)
  const length = (period as usize) << 2
  for (let base: usize = 0; base < ((count as usize) << 2); base += length) {
    const from = a + base, to = out + base
    let i: usize = 0
    for (; i + 16 <= length; i += 16) v128.store(to + i, multiplyAdd(v128.load(b + i), factors, v128.load(from + i)))
    for (; i < length; i += 4) store<f32>(to + i, load<f32>(from + i) + load<f32>(b + i) * factor)
  }
}

/** out = a ⊙ b, where b is repeated every `period` elements. */
export function multiply(a: usize, b: usize, out: usize, count: i32, period: i32): void {
  const length = (period as usize) << 2
  for (let base: usize = 0; base < ((count as usize) << 2); base += length) {
    const from = a + base, to = out + base
    let i: usize = 0
    for (; i + 16 <= length; i += 16) v128.store(to + i, f32x4.mul(v128.load(b + i), v128.load(from + i)))
    for (; i < length; i += 4) store<f32>(to + i, load<f32>(from + i) * load<f32>(b + i))
  }
}

/** The sum over the rows of x[rows, width]. */
export function sumRows(x: usize, out: usize, rows: i32, width: i32): void {
  fillZero(out, width)
  for (let row = 0; row < rows; row++) addScaled(out, x + (((row as usize) * width) << 2), out, width, width, 1)
}

export function sumOfSquares(x: usize, count: i32): f64 {
  let total: f64 = 0
  const end = (count as usize) << 2
  let i: usize = 0
  while (i + 16 <= end) {
    // Short stretches in float32, their sums in float64: as fast, and precise for a million weights.
    const stop = min(i + 4096, end & ~15)
    let sums = f32x4.splat(0)
    for (; i < stop; i += 16) {
      const values = v128.load(x + i)
      sums = multiplyAdd(values, values, sums)
    }
    total += sumLanes(sums)
  }
  for (; i < end; i += 4) {
    const value = load<f32>(x + i)
    total += value * value
  }
  return total
}

/** out = x · factor + addend. */
export function scaleShift(x: usize, out: usize, count: i32, factor: f32, addend: f32): void {
  const factors = f32x4.splat(factor), addends = f32x4.splat(addend)
  const end = (count as usize) << 2
  let i: usize = 0
  for (; i + 16 <= end; i += 16) v128.store(out + i, multiplyAdd(v128.load(x + i), factors, addends))
  for (; i < end; i += 4) store<f32>(out + i, load<f32>(x + i) * factor + addend)
}
