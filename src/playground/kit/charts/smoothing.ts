/**
 * The exponential moving average of a curve, corrected for its bias towards zero at the start,
 *
 *     m_t = w · m_(t-1) + (1 - w) · y_t      m_0 = 0      shown: m_t / (1 - w^t)
 *
 * as in TensorBoard and W&B. A weight of 0 changes nothing.
 */
import type { Point } from './scale.ts'

export function smoothed(points: readonly Point[], weight: number): Point[] {
  let mean = 0
  let share = 1
  return points.map(({ x, y }) => {
    mean = weight * mean + (1 - weight) * y
    share *= weight
    return { x, y: mean / (1 - share) }
  })
}
