/**
 * What the adapter can do at most, measured by programs that do nothing else: copying, starting programs, multiplying and adding, and
 * a large product.
 */
import * as tf from '@tensorflow/tfjs-core'
import type { GpuBackend } from '../../language-model/backends/webgpu/gpu-backend.ts'
import { submitCommands } from '../../language-model/backends/webgpu/submit-commands.ts'
import { once, program } from '../../language-model/backends/webgpu/program.ts'
import { repeated, type Share } from './budget.ts'
import type { CeilingRecord } from './records.ts'

const THREADS = 256

/** y = x, in vectors of four numbers. */
const copy = program({
  name: 'copy',
  reads: { x: 'vec4<f32>' },
  writes: { y: 'vec4<f32>' },
  uniforms: { parts: 'i32' },
  threads: THREADS,
  code: `
  fn main(group : i32, thread : i32) {
    let at = group * ${THREADS} + thread;
    if (at < uniforms.parts) { y[at] = x[at]; }
  }
`,
})

/** Independent sums of a thread, so that one multiplication need not wait for the last. */
const CHAINS = 8

/** Each thread multiplies and adds vectors in registers: 2 · 4 · CHAINS operations a step. */
const multiplyAdd = once((steps: number) =>
  program({
    name: `multiply and add ${steps}`,
    reads: { x: 'vec4<f32>' },
    writes: { y: 'vec4<f32>' },
    uniforms: {},
    threads: THREADS,
    code: `
  fn main(group : i32, thread : i32) {
    let at = group * ${THREADS} + thread;
    let factor = x[at];
    ${chains((i) => `var sum${i} = factor + ${i}.0;`)}
    for (var step = 0; step < ${steps}; step++) {
      ${chains((i) => `sum${i} = fma(sum${i}, factor, factor);`)}
    }
    y[at] = ${Array.from({ length: CHAINS }, (_, i) => `sum${i}`).join(' + ')};
  }
`,
  }),
)

function chains(line: (i: number) => string): string {
  return Array.from({ length: CHAINS }, (_, i) => line(i)).join('\n    ')
}

const SMALLEST_COPY = 1 << 22
/** Beyond any cache. */
const LARGEST_COPY = 1 << 29
const DISPATCHES = 500
const SMALLEST_GROUPS = 16
const MOST_GROUPS = 16_384
const STEPS = 256
const SMALLEST_PRODUCT = 128
const LARGEST_PRODUCT = 4096

/** How long the next size would take, if the time grows as the work. */
const isAffordable = (share: Share, ms: number, growth: number) => 3 * ms * growth < share.leftMs()

const cold = (isWarm: boolean) => (isWarm ? '' : '; one call only, which also compiled')

/** Copies larger and larger buffers and keeps the largest's speed: small ones stay in a cache. */
export async function measureCopy(backend: GpuBackend, share: Share, clock: () => number): Promise<CeilingRecord> {
  const { maxStorageBufferBindingSize, maxBufferSize } = backend.device.limits
  const most = Math.min(LARGEST_COPY, maxStorageBufferBindingSize, maxBufferSize)
  for (let bytes = SMALLEST_COPY; ; bytes *= 4) {
    const x = tf.zeros([bytes / 4])
    const y = backend.allocate([bytes / 4])
    const parts = bytes / 16
    const run = async (calls: number) => {
      for (let call = 0; call < calls; call++)
        backend.dispatch(copy, {
          reads: { x },
          writes: { y },
          uniforms: { parts },
          groups: Math.ceil(parts / THREADS),
        })
      await finished(backend)
    }
    const { bestMs, isWarm } = await repeated(run, share, clock)
    x.dispose()
    backend.disposeData(y.dataId)
    if (bytes * 4 <= most && isAffordable(share, bestMs, 4)) continue
    return {
      kind: 'ceiling',
      name: 'copy',
      value: (2 * bytes) / bestMs / 1e6,
      note: `${(bytes / 1e6).toFixed(0)} MB, read and written${cold(isWarm)}`,
    }
  }
}

/** Programs that wait for one another's results and do next to nothing: what every step of a small model costs at least. */
export async function measureDispatch(backend: GpuBackend, share: Share, clock: () => number): Promise<CeilingRecord> {
  const size = 4 * THREADS
  const [x, y] = [tf.zeros([size]), tf.zeros([size])]
  const run = async (calls: number) => {
    for (let call = 0; call < calls * DISPATCHES; call++) {
      const [from, to] = call % 2 === 0 ? [x, y] : [y, x]
      backend.dispatch(copy, { reads: { x: from }, writes: { y: to }, uniforms: { parts: THREADS }, groups: 1 })
    }
    await finished(backend)
  }
  const { bestMs, isWarm } = await repeated(run, share, clock)
  tf.dispose([x, y])
  return {
    kind: 'ceiling',
    name: 'dispatch',
    value: (1000 * bestMs) / DISPATCHES,
    note: `one of ${DISPATCHES} programs of one workgroup, each after the other${cold(isWarm)}`,
  }
}

export async function measureMultiplyAdd(
  backend: GpuBackend,
  share: Share,
  clock: () => number,
): Promise<CeilingRecord> {
  for (let groups = SMALLEST_GROUPS; ; groups *= 8) {
    const size = 4 * groups * THREADS
    const x = tf.fill([size], 0.5)
    const y = backend.allocate([size])
    const run = async (calls: number) => {
      for (let call = 0; call < calls; call++)
        backend.dispatch(multiplyAdd(STEPS), { reads: { x }, writes: { y }, uniforms: {}, groups })
      await finished(backend)
    }
    const { bestMs, isWarm } = await repeated(run, share, clock)
    x.dispose()
    backend.disposeData(y.dataId)
    if (groups * 8 <= MOST_GROUPS && isAffordable(share, bestMs, 8)) continue
    const operations = groups * THREADS * STEPS * CHAINS * 8
    return {
      kind: 'ceiling',
      name: 'multiply-add',
      value: operations / bestMs / 1e6,
      note: `${groups * THREADS} threads, single precision, in registers${cold(isWarm)}`,
    }
  }
}

/** The fastest of larger and larger square products, with the backend's settings. */
export async function measureProduct(backend: GpuBackend, share: Share, clock: () => number): Promise<CeilingRecord> {
  let best = { value: 0, size: 0, isWarm: true }
  for (let size = SMALLEST_PRODUCT; ; size *= 2) {
    const [a, b] = [tf.randomUniform([size, size], -1, 1), tf.randomUniform([size, size], -1, 1)]
    const { bestMs, isWarm } = await repeated((calls) => products(a, b, calls, backend), share, clock)
    tf.dispose([a, b])
    const value = (2 * size ** 3) / bestMs / 1e6
    if (value > best.value) best = { value, size, isWarm }
    if (size * 2 <= LARGEST_PRODUCT && isAffordable(share, bestMs, 8)) continue
    return {
      kind: 'ceiling',
      name: 'product',
      value: best.value,
      note: `${best.size}³, the fastest up to ${size}³${cold(best.isWarm)}`,
    }
  }
}

/** A · B, `calls` times; resolves when the adapter is done. */
export async function products(a: tf.Tensor, b: tf.Tensor, calls: number, backend: GpuBackend, isTransposed = false) {
  for (let call = 0; call < calls; call++) tf.matMul(a, b, false, isTransposed).dispose()
  await finished(backend)
}

/** Submits what is recorded and waits for the adapter. */
export async function finished(backend: GpuBackend): Promise<void> {
  submitCommands(backend)
  await backend.device.queue.onSubmittedWorkDone()
}
