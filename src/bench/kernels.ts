/** Measures each kernel of our WebAssembly backend on the shapes of training and sampling. */
import * as tf from '@tensorflow/tfjs-core'
import { adamw, attention, linear, rmsNorm, rope, selectedLogProbs, swiglu } from '../language-model/ops/index.ts'
import { forest } from './forest.ts'
import { OWN_NAMES, startOwn } from './own-backend.ts'
import { median } from './repetitions.ts'
import type { SuiteContext } from './suite.ts'

export interface KernelOptions {
  place: string
  clock: () => number
  /** How long to repeat each kernel. */
  kernelMs: number
}

type Result = tf.Tensor | tf.Tensor[] | void

interface KernelCase {
  label: string
  /** Floating-point operations, or null if they do not determine the time. */
  work: number | null
  run(): Result
}

const MATRICES = [
  [2048, 96, 256],
  [2048, 256, 96],
  [4096, 128, 352],
  [4096, 128, 128],
  [64, 128, 352],
  [32, 96, 256],
  [32, 128, 1024],
  [1, 128, 352],
  [129, 65, 33],
] as const

/** Shared prefix, branches after it, private segments in each, tokens of each, query heads, key heads, features of a head. */
const FORESTS = [
  [1024, 1, 1, 1, 4, 4, 32],
  [256, 8, 12, 20, 4, 2, 32],
  [256, 8, 12, 20, 3, 3, 24],
  [400, 1000, 1, 1, 4, 2, 32],
] as const

/** Reports GFLOP/s, or milliseconds if operations are not counted. */
export async function measureKernels(options: KernelOptions, context: SuiteContext): Promise<void> {
  await (await startOwn('cpu')).use()
  for (const measureCases of [matrixCases, attentionCases, rowCases]) {
    for (const { cases, dispose } of measureCases()) {
      for (const { label, work, run } of cases) {
        context.signal?.throwIfAborted()
        await new Promise((resolve) => setTimeout(resolve, 0))
        const { medianMs, count } = repeated(run, options)
        context.report({
          suite: 'train',
          name: `kernel ${label}`,
          subject: OWN_NAMES.cpu,
          value: work === null ? medianMs : work / medianMs / 1e6,
          unit: work === null ? 'ms' : 'GFLOP/s',
          sizes: { in: options.place },
          note: `median over ${count} ${count === 1 ? 'call' : 'calls'}`,
        })
      }
      dispose()
    }
  }
}

/** Minimum duration of a timed batch of calls, as a browser's clock ticks every 0.1 ms. */
const LEAST_MS = 4

function repeated(run: () => Result, { clock, kernelMs }: KernelOptions): { medianMs: number; count: number } {
  const timed = (calls: number): number => {
    const results: Result[] = []
    const before = clock()
    for (let call = 0; call < calls; call++) results.push(tf.tidy(() => run() as tf.Tensor))
    const duration = clock() - before
    tf.dispose(results)
    return duration
  }
  const durations: number[] = []
  const start = clock()
  let calls = 1
  let count = 0
  while (durations.length === 0 || clock() - start < kernelMs) {
    const duration = timed(calls)
    if (duration < LEAST_MS) {
      calls *= 2
      continue
    }
    durations.push(duration / calls)
    count += calls
  }
  durations.sort((a, b) => a - b)
  return { medianMs: median(durations), count }
}

interface Prepared {
  cases: KernelCase[]
  dispose(): void
}

function prepared(tensors: tf.Tensor[], cases: KernelCase[]): Prepared {
  return { cases, dispose: () => tf.dispose(tensors) }
}

const random = (rows: number, columns: number): tf.Tensor2D => tf.randomNormal([rows, columns])

function* matrixCases(): Generator<Prepared> {
  for (const [m, k, n] of MATRICES) {
    const [a, b, bTransposed, aTransposed] = [random(m, k), random(k, n), random(n, k), random(k, m)]
    const work = 2 * m * k * n
    yield prepared(
      [a, b, bTransposed, aTransposed],
      [
        { label: `A·B (${m}×${k})·(${k}×${n})`, work, run: () => tf.matMul(a, b) },
        { label: `A·Bᵀ (${m}×${k})·(${n}×${k})ᵀ`, work, run: () => linear(a, bTransposed) },
        { label: `Aᵀ·B (${k}×${m})ᵀ·(${k}×${n})`, work, run: () => tf.matMul(aTransposed, b, true, false) },
      ],
    )
  }
}

function* attentionCases(): Generator<Prepared> {
  for (const [prefix, branches, depth, length, heads, keyHeads, headDim] of FORESTS) {
    const { layout, tokens, scores } = forest(prefix, branches, depth, length)
    const [q, k, v] = [
      random(tokens, heads * headDim),
      random(tokens, keyHeads * headDim),
      random(tokens, keyHeads * headDim),
    ]
    const attend = (a: tf.Tensor, b: tf.Tensor, c: tf.Tensor) =>
      attention(a as tf.Tensor2D, b as tf.Tensor2D, c as tf.Tensor2D, layout, headDim)
    const label = `prefix ${prefix}, ${branches}×${depth} segments of ${length}, heads ${heads}/${keyHeads}×${headDim}`
    const products = 2 * scores * heads * headDim
    yield prepared(
      [q, k, v],
      [
        { label: `attention, ${label}`, work: 2 * products, run: () => attend(q, k, v) },
        // The backward pass has four products, and a fifth to recompute the scores.
        {
          label: `attention forward and backward, ${label}`,
          work: 7 * products,
          run: () => tf.grads(attend)([q, k, v]),
        },
      ],
    )
  }
}

function* rowCases(): Generator<Prepared> {
  const [rows, width, hidden, words, headDim] = [4096, 128, 352, 1024, 32]
  const [x, scale, gate, up, head] = [
    random(rows, width),
    tf.ones<tf.Rank.R1>([width]),
    random(rows, hidden),
    random(rows, hidden),
    random(words, width),
  ]
  const positions = Int32Array.from({ length: rows }, (_, i) => i % 512)
  const targets = Int32Array.from({ length: rows }, (_, i) => i % words)
  const frequencies = Float32Array.from({ length: headDim / 2 }, (_, i) => 10_000 ** ((-2 * i) / headDim))
  const norm = (a: tf.Tensor, b: tf.Tensor) => rmsNorm(a as tf.Tensor2D, b as tf.Tensor1D, 1e-5)
  const activate = (a: tf.Tensor, b: tf.Tensor) => swiglu(a as tf.Tensor2D, b as tf.Tensor2D)
  const logProbs = (a: tf.Tensor, b: tf.Tensor) =>
    selectedLogProbs(a as tf.Tensor2D, b as tf.Tensor2D, targets, 1).logProbs
  const product = 2 * rows * width * words
  const label = `${rows}×${width}`
  yield prepared(
    [x, scale, gate, up, head],
    [
      { label: `rmsNorm ${label}`, work: null, run: () => norm(x, scale) },
      { label: `rmsNorm forward and backward ${label}`, work: null, run: () => tf.grads(norm)([x, scale]) },
      { label: `rope ${label}`, work: null, run: () => rope(x, positions, headDim, frequencies) },
      { label: `swiglu ${rows}×${hidden}`, work: null, run: () => activate(gate, up) },
      { label: `swiglu forward and backward ${rows}×${hidden}`, work: null, run: () => tf.grads(activate)([gate, up]) },
      { label: `selectedLogProbs ${label}, ${words} words`, work: product, run: () => logProbs(x, head) },
      // The logits again for the gradients, of which there are two.
      {
        label: `selectedLogProbs forward and backward ${label}, ${words} words`,
        work: 4 * product,
        run: () => tf.grads(logProbs)([x, head]),
      },
    ],
  )

  const size = 1024
  const gradient = random(size, size)
  const [parameter, first, second] = [random(size, size), tf.zeros([size, size]), tf.zeros([size, size])].map(
    (values) => tf.variable(values),
  ) as [tf.Variable, tf.Variable, tf.Variable]
  const settings = { learningRate: 1e-3, beta1: 0.9, beta2: 0.95, epsilon: 1e-8, weightDecay: 0.1, step: 1 }
  yield prepared(
    [gradient, parameter, first, second],
    [
      {
        label: `adamw ${size}×${size}`,
        work: null,
        run: () => adamw(parameter, gradient, first, second, settings),
      },
    ],
  )
}
