import * as tf from '@tensorflow/tfjs-core'
import { hasKernel, runKernel } from './backend-kernels.ts'

export interface AdamWSettings {
  learningRate: number
  beta1: number
  beta2: number
  epsilon: number
  /** Decoupled: shrinks the parameter by learningRate · weightDecay, independently of the gradient. */
  weightDecay: number
  /** 1 for the first update; sets the bias corrections 1 − βᵗ. */
  step: number
  /** Multiplies every gradient first, for clipping; a scalar tensor avoids a GPU round trip. */
  gradientScale?: number | tf.Scalar
}

/**
 * One AdamW update (Loshchilov and Hutter, 2019) of a parameter and its two moments, all three in place:
 *
 *     m ← β₁ m + (1 − β₁) g,   v ← β₂ v + (1 − β₂) g²
 *     p ← p − η (λ p + m̂ / (√v̂ + ε)),   m̂ = m / (1 − β₁ᵗ),   v̂ = v / (1 − β₂ᵗ)
 *
 * The caller disposes the gradient.
 */
export function adamw(
  parameter: tf.Variable,
  gradient: tf.Tensor,
  firstMoment: tf.Variable,
  secondMoment: tf.Variable,
  settings: AdamWSettings,
): void {
  const { learningRate, beta1, beta2, epsilon, weightDecay, step, gradientScale = 1 } = settings
  const correction1 = 1 - beta1 ** step
  const correction2 = 1 - beta2 ** step
  const own = { parameter, gradient, firstMoment, secondMoment }
  const numbers = { learningRate, beta1, beta2, epsilon, weightDecay, correction1, correction2 }
  if (hasKernel('ScaledAdamW')) {
    for (const variable of [parameter, firstMoment, secondMoment]) ownMemory(variable)
    tf.tidy(() => {
      // Stays on the device: reading it here would wait for all pending work.
      const scale = typeof gradientScale === 'number' ? tf.scalar(gradientScale) : gradientScale
      runKernel<tf.Tensor>('ScaledAdamW', { ...own, gradientScale: scale }, numbers)
    })
    return
  }
  if (hasKernel('AdamW')) {
    const scale = typeof gradientScale === 'number' ? gradientScale : gradientScale.dataSync()[0]!
    for (const variable of [parameter, firstMoment, secondMoment]) ownMemory(variable)
    const done = runKernel<tf.Tensor>('AdamW', own, { ...numbers, gradientScale: scale })
    done.dispose()
    return
  }
  tf.tidy(() => {
    const scaled = tf.mul(gradient, gradientScale)
    const m = tf.add(tf.mul(firstMoment, beta1), tf.mul(scaled, 1 - beta1))
    const v = tf.add(tf.mul(secondMoment, beta2), tf.mul(tf.square(scaled), 1 - beta2))
    const direction = tf.div(tf.div(m, correction1), tf.add(tf.sqrt(tf.div(v, correction2)), epsilon))
    parameter.assign(tf.sub(tf.mul(parameter, 1 - learningRate * weightDecay), tf.mul(direction, learningRate)))
    firstMoment.assign(m)
    secondMoment.assign(v)
  })
}

/** Gives a variable that is about to change in place memory of its own, so that clones that share its memory do not change. */
function ownMemory(variable: tf.Variable): void {
  if (tf.backend().refCount(variable.dataId) > 1) tf.tidy(() => variable.assign(tf.add(variable, 0)))
}

/** √(Σ ‖g‖²) over all gradients, as a scalar tensor. */
export function globalNorm(gradients: readonly tf.Tensor[]): tf.Scalar {
  return tf.tidy(() => {
    if (gradients.length === 0) return tf.scalar(0)
    if (hasKernel('GlobalNorm')) return runKernel<tf.Scalar>('GlobalNorm', Object.fromEntries(gradients.entries()))
    const squares = gradients.map((gradient) =>
      hasKernel('SumOfSquares')
        ? runKernel<tf.Scalar>('SumOfSquares', { x: gradient })
        : tf.sum<tf.Scalar>(tf.square(gradient)),
    )
    return tf.sqrt(tf.sum<tf.Scalar>(tf.stack(squares)))
  })
}

/** The gradientScale that keeps the global norm at or below `maximumNorm`: min(1, maximumNorm / norm). */
export function clipScale(norm: tf.Scalar, maximumNorm: number): tf.Scalar {
  if (hasKernel('ClipScale')) return runKernel<tf.Scalar>('ClipScale', { norm }, { maximum: maximumNorm })
  return tf.tidy(() => tf.minimum<tf.Scalar>(1, tf.div(maximumNorm, tf.add(norm, 1e-6))))
}
