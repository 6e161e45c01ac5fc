import * as tf from '@tensorflow/tfjs-core'
import { adamw, clipScale, MOST_GRADIENTS, rootOfSum, squares } from '../optimizer-code.ts'
import { partOf, sizeOf } from '../rows-code.ts'
import { groupsFor, register } from './register-kernel.ts'

export function registerOptimizerKernels(): void {
  register('GlobalNorm', (backend, inputs) => {
    const gradients = Object.values(inputs).map((tensor) => ({ tensor, size: tf.util.sizeFromShape(tensor.shape) }))
    const vectors = gradients.filter(({ size }) => partOf(size) === 'vec4<f32>')
    const others = gradients.filter(({ size }) => partOf(size) === 'f32')
    const batches = [...inBatches(vectors), ...inBatches(others)].map((batch) => {
      const part = partOf(batch[0]!.size)
      let groups = 0
      const ends = batch.map(({ size }) => (groups += squareGroups(size / sizeOf(part))))
      return { batch, part, ends, groups }
    })
    const count = batches.reduce((sum, { groups }) => sum + groups, 0)
    const sums = backend.allocate([count])
    let first = 0
    for (const { batch, part, ends, groups } of batches) {
      backend.dispatch(squares(batch.length, part), {
        reads: numbered('gradient', batch, ({ tensor }) => tensor),
        writes: { sums },
        uniforms: {
          first,
          ...numbered('parts', batch, ({ size }) => size / sizeOf(part)),
          ...numbered('end', ends, (end) => end),
        },
        groups,
      })
      first += groups
    }
    const norm = backend.allocate([])
    backend.dispatch(rootOfSum, { reads: { sums }, writes: { norm }, uniforms: { count }, groups: 1 })
    backend.disposeData(sums.dataId)
    return norm
  })

  register<{ maximum: number }>('ClipScale', (backend, { norm }, { maximum }) => {
    const scale = backend.allocate([])
    backend.dispatch(clipScale, { reads: { norm: norm! }, writes: { scale }, uniforms: { maximum }, groups: 1 })
    return scale
  })

  register<{
    learningRate: number
    beta1: number
    beta2: number
    epsilon: number
    weightDecay: number
    correction1: number
    correction2: number
  }>('ScaledAdamW', (backend, { parameter, gradient, firstMoment, secondMoment, gradientScale }, settings) => {
    const { learningRate, beta1, beta2, epsilon, weightDecay, correction1, correction2 } = settings
    const size = tf.util.sizeFromShape(parameter!.shape)
    const part = partOf(size)
    const parts = size / sizeOf(part)
    backend.dispatch(adamw(part), {
      reads: { gradient: gradient!, scale: gradientScale! },
      writes: { parameter: parameter!, firstMoment: firstMoment!, secondMoment: secondMoment! },
      uniforms: {
        parts,
        beta1,
        beta2,
        rest1: 1 - beta1,
        rest2: 1 - beta2,
        epsilon,
        keep: 1 - learningRate * weightDecay,
        rate: learningRate / correction1,
        steadiness: 1 / Math.sqrt(correction2),
      },
      groups: groupsFor(parts),
    })
    return backend.makeTensorInfo([], 'float32', new Float32Array(1))
  })
}

/** Workgroups that sum a gradient's squares: each thread sums a few, and one workgroup adds up the sums. */
const squareGroups = (parts: number) => Math.min(64, Math.max(1, Math.ceil(parts / 1024)))

function inBatches<T>(items: readonly T[]): T[][] {
  return Array.from({ length: Math.ceil(items.length / MOST_GRADIENTS) }, (_, i) =>
    items.slice(i * MOST_GRADIENTS, (i + 1) * MOST_GRADIENTS),
  )
}

const numbered = <T, Value>(name: string, items: readonly T[], value: (item: T) => Value): Record<string, Value> =>
  Object.fromEntries(items.map((item, i) => [`${name}${i}`, value(item)]))
