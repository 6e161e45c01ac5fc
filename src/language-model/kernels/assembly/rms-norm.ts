import { fillZero, multiplyAdd, sumLanes } from './vector'

/** y = w ⊙ x / sqrt(mean(x²) + ε), row by row. */
export function rmsNorm(x: usize, weight: usize, y: usize, rows: i32, width: i32, epsilon: f32): void {
  for (let row = 0; row < rows; row++) {
    const offset = ((row as usize) * width) << 2
    const scale = inverseRms(x + offset, width, epsilon)
    const scales = f32x4.splat(scale)
    let i = 0
    for (; i + 4 <= width; i += 4) {
      const at = (i as usize) << 2
      v128.store(y + offset + at, f32x4.mul(f32x4.mul(v128.load(x + offset + at), scales), v128.load(weight + at)))
    }
    for (; i < width; i++) {
      const at = (i as usize) << 2
      store<f32>(y + offset + at, load<f32>(x + offset + at) * scale * load<f32>(weight + at))
    }
  }
}

/** dx = r · (w ⊙ dy) − x · r³ · mean(w ⊙ dy ⊙ x) and dw = Σ_rows dy ⊙ x · r, with r recomputed. */
export function rmsNormGradient(
  dy: usize, x: usize, weight: usize, dx: usize, dw: usize, rows: i32, width: i32, epsilon: f32,
): void {
  fillZero(dw, width)
  for (let row = 0; row < rows; row++) {
    const offset = ((row as usize) * width) << 2
    const xRow = x + offset, dyRow = dy + offset, dxRow = dx + offset
    const r = inverseRms(xRow, width, epsilon)
    const rs = f32x4.splat(r)
    let sums = f32x4.splat(0)
    let i = 0
    for (; i + 4 <= width; i += 4) {
      const at = (i as usize) << 2
      const pulled = f32x4.mul(v128.load(dyRow + at), v128.load(xRow + at))
      sums = multiplyAdd(pulled, v128.load(weight + at), sums)
      v128.store(dw + at, multiplyAdd(pulled, rs, v128.load(dw + at)))
    }
    let sum = sumLanes(sums)
    for (; i < width; i++) {
      const at = (i as usize) << 2
      const pulled = load<f32>(dyRow + at) * load<f32>(xRow + at)
      sum += pulled * load<f32>(weight + at)
      store<f32>(dw + at, load<f32>(dw + at) + pulled * r)
    }
    const shrink = (-r * r * r * sum) / (width as f32)
    const shrinks = f32x4.splat(shrink)
    for (i = 0; i + 4 <= width; i += 4) {
      const at = (i as usize) << 2
      const direct = f32x4.mul(f32x4.mul(v128.load(dyRow + at), v128.load(weight + at)), rs)
      v128.store(dxRow + at, multiplyAdd(v128.load(xRow + at), shrinks, direct))
    }
    for (; i < width; i++) {
      const at = (i as usize) << 2
      store<f32>(dxRow + at, load<f32>(dyRow + at) * load<f32>(weight + at) * r + load<f32>(xRow + at) * shrink)
    }
  }
}

function inverseRms(x: usize, width: i32, epsilon: f32): f32 {
  let sums = f32x4.splat(0)
  let i = 0
  for (; i + 4 <= width; i += 4) {
    const values = v128.load(x + ((i as usize) << 2))
    sums = multiplyAdd(values, values, sums)
  }
  let sum = sumLanes(sums)
  for (; i < width; i++) {
    const value = load<f32>(x + ((i as usize) << 2))
    sum += value * value
  }
  return 1 / sqrt<f32>(sum / (width as f32) + epsilon)
}
