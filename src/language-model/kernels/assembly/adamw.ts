import { multiplyAdd } from './vector'

/**
 * One AdamW step over a parameter, its gradient and both moments: see src/language-model/ops/adamw.ts for the formula.
 * The bias corrections arrive folded into two factors: stepSize = η / (1 − β₁ᵗ) and rootScale = 1 / √(1 − β₂ᵗ).
 */
export function adamw(parameter: usize, gradient: usize, m: usize, v: usize, count: i32,
  gradientScale: f32, beta1: f32, beta2: f32, epsilon: f32, keep: f32, stepSize: f32, rootScale: f32): void {
  const end = (count as usize) << 2
  let i: usize = 0
  const fresh1 = f32x4.splat(1 - beta1), fresh2 = f32x4.splat(1 - beta2)
  for (; i + 16 <= end; i += 16) {
    const g = f32x4.mul(v128.load(gradient + i), f32x4.splat(gradientScale))
    const first = multiplyAdd(v128.load(m + i), f32x4.splat(beta1), f32x4.mul(g, fresh1))
    const second = multiplyAdd(v128.load(v + i), f32x4.splat(beta2), f32x4.mul(f32x4.mul(g, g), fresh2))
    v128.store(m + i, first)
    v128.store(v + i, second)
    const root = multiplyAdd(f32x4.sqrt(second), f32x4.splat(rootScale), f32x4.splat(epsilon))
    const step = f32x4.div(f32x4.mul(first, f32x4.splat(stepSize)), root)
    v128.store(parameter + i, f32x4.sub(f32x4.mul(v128.load(parameter + i), f32x4.splat(keep)), step))
  }
  for (; i < end; i += 4) {
    const g = load<f32>(gradient + i) * gradientScale
    const first = load<f32>(m + i) * beta1 + g * (1 - beta1)
    const second = load<f32>(v + i) * beta2 + g * g * (1 - beta2)
    store<f32>(m + i, first)
    store<f32>(v + i, second)
    const root = sqrt<f32>(second) * rootScale + epsilon
    store<f32>(parameter + i, load<f32>(parameter + i) * keep - (first * stepSize) / root)
  }
}
