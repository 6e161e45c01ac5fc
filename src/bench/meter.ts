/** Observes the backend to measure what our own work costs beside time, and where the time goes. */
import type { WebGPUBackend } from '@tensorflow/tfjs-backend-webgpu'
import * as tf from '@tensorflow/tfjs-core'
import { countDispatches } from '../language-model/backends/webgpu/count-dispatches.ts'
import { SimdBackend } from '../language-model/backends/simd/simd-backend.ts'

/**
 * Peak bytes in use while `work` runs, less those in use before: activations, gradients and scratch, but not weights or moments.
 * Checked at every allocation.
 */
export async function peakBytes(work: () => Promise<unknown>): Promise<number> {
  const backend = tf.backend()
  return backend instanceof SimdBackend
    ? highest(() => backend.allocator.bytesInUse, backend.allocator, 'allocate', work)
    : highest(bytesOnDevice, (backend as WebGPUBackend).bufferManager, 'acquireBuffer', work)
}

/** Bytes of all tensors of the current backend: weights, moments and caches. */
export function bytesInUse(): number {
  const backend = tf.backend()
  return backend instanceof SimdBackend ? backend.allocator.bytesInUse : bytesOnDevice()
}

/** How far `level` rises above its current value, checked after every call of a method of `target` while `work` runs. */
async function highest<Target extends object, Name extends keyof Target>(
  level: () => number,
  target: Target,
  name: Name,
  work: () => Promise<unknown>,
): Promise<number> {
  const before = level()
  let most = before
  const restore = replaced(target, name, (method) => {
    const watched = (...values: unknown[]): unknown => {
      const result: unknown = Reflect.apply(method as () => unknown, target, values)
      most = Math.max(most, level())
      return result
    }
    return watched as Target[Name]
  })
  try {
    await work()
    return most - before
  } finally {
    restore()
  }
}

function bytesOnDevice(): number {
  return (tf.memory() as unknown as { numBytesInGPU: number }).numBytesInGPU
}

export interface KernelTime {
  calls: number
  durationMs: number
}

/** Calls of each WebAssembly kernel and their time while `work` runs on the selected backend; null unless that is `simd`. */
export async function kernelTimes(
  work: () => Promise<unknown>,
  clock: () => number,
): Promise<{ kernels: Map<string, KernelTime>; durationMs: number } | null> {
  const backend = tf.backend()
  if (!(backend instanceof SimdBackend)) return null
  const original = backend.kernels
  const kernels = new Map<string, KernelTime>()
  const timed = { ...original }
  for (const [name, kernel] of Object.entries(original) as [string, unknown][]) {
    if (typeof kernel !== 'function') continue
    const time: KernelTime = { calls: 0, durationMs: 0 }
    kernels.set(name, time)
    const measured = (...values: number[]): unknown => {
      const start = clock()
      const result: unknown = Reflect.apply(kernel, undefined, values)
      time.durationMs += clock() - start
      time.calls++
      return result
    }
    Object.assign(timed, { [name]: measured })
  }
  const restore = replaced(backend, 'kernels', () => timed)
  try {
    const start = clock()
    await work()
    return { kernels, durationMs: clock() - start }
  } finally {
    restore()
  }
}

/**
 * Counts calls of WebAssembly kernels, or dispatches to a graphics device, while `work` runs. For small models these take longer than
 * the arithmetic.
 */
export async function dispatchesOf(work: () => Promise<unknown>): Promise<number> {
  const backend = tf.backend()
  if (!(backend instanceof SimdBackend)) {
    const { count } = await countDispatches(backend as unknown as Parameters<typeof countDispatches>[0], work)
    return count.dispatches
  }
  const profile = await kernelTimes(work, () => 0)
  return [...profile!.kernels.values()].reduce((sum, { calls }) => sum + calls, 0)
}

/** Replaces a property of one object; returns a function that restores it. */
function replaced<Target extends object, Name extends keyof Target>(
  target: Target,
  name: Name,
  substitute: (original: Target[Name]) => Target[Name],
): () => void {
  const own = Object.getOwnPropertyDescriptor(target, name)
  Object.defineProperty(target, name, { value: substitute(target[name]), configurable: true, writable: true })
  return () => {
    if (own) Object.defineProperty(target, name, own)
    else Reflect.deleteProperty(target, name)
  }
}
