/**
 * GFLOP/s of the kernels per shape. Run: node scripts/build-kernels.mjs && npx tsx src/language-model/backends/bench-kernels.ts
 * With fused multiply-add in Node 20: node --experimental-wasm-relaxed-simd --import tsx src/language-model/backends/bench-kernels.ts
 */
import * as tf from '@tensorflow/tfjs-core'
import {
  adamw,
  attention,
  type AttentionLayout,
  linear,
  rmsNorm,
  rope,
  selectedLogProbs,
  swiglu,
} from '../ops/index.ts'
import { selectBackend } from './index.ts'

const MEASURED_MS = 250

/** Runs `work` for a quarter of a second and prints the best run: the operation's floating-point work over its time, or only its time. */
function measure(label: string, flop: number | null, work: () => tf.Tensor | tf.Tensor[] | void): void {
  let best = Infinity
  for (const start = performance.now(); performance.now() - start < MEASURED_MS;) {
    const before = performance.now()
    const result = tf.tidy(() => work() as tf.Tensor)
    best = Math.min(best, performance.now() - before)
    tf.dispose(result)
  }
  const speed = flop === null ? '' : `${(flop / best / 1e6).toFixed(1)} GFLOP/s`
  process.stdout.write(`${label.padEnd(58)} ${best.toFixed(3).padStart(9)} ms  ${speed}\n`)
}

const random = (rows: number, columns: number): tf.Tensor2D => tf.randomNormal([rows, columns])

/** `branches` segments of `length` tokens behind one shared prefix, each also behind `depth` − 1 private ones of the same length. */
function forest(
  prefix: number,
  branches: number,
  depth: number,
  length: number,
): { layout: AttentionLayout; tokens: number; scores: number } {
  const segmentStart = [0]
  const spans: [number, number][][] = [[]]
  let next = prefix
  for (let branch = 0; branch < branches; branch++) {
    const above: [number, number][] = [[0, prefix]]
    for (let level = 0; level < depth; level++) {
      segmentStart.push(next)
      spans.push([...above])
      above.push([next, length])
      next += length
    }
  }
  const querySegment: number[] = []
  segmentStart.forEach((start, segment) => {
    for (let slot = start; slot < (segmentStart[segment + 1] ?? next); slot++) querySegment.push(segment)
  })
  const offsets = Int32Array.from({ length: spans.length + 1 }, (_, s) => spans.slice(0, s).flat().length)
  const layout = {
    querySegment: Int32Array.from(querySegment),
    querySlot: Int32Array.from(querySegment, (_, n) => n),
    segmentStart: Int32Array.from(segmentStart),
    spanOffsets: offsets,
    spanStart: Int32Array.from(spans.flat(), (span) => span[0]),
    spanLength: Int32Array.from(spans.flat(), (span) => span[1]),
  }
  const scores = querySegment.reduce(
    (sum, segment, n) =>
      sum + spans[segment]!.reduce((total, span) => total + span[1], 0) + n - segmentStart[segment]! + 1,
    0,
  )
  return { layout, tokens: next, scores }
}

const { description } = await selectBackend('cpu')
process.stdout.write(`${description}\n`)

for (const [m, k, n] of [
  [2048, 96, 256],
  [2048, 256, 96],
  [4096, 128, 352],
  [1024, 1024, 1024],
  [32, 96, 256],
  [32, 128, 1024],
  [1, 128, 352],
  [129, 65, 33],
] as const) {
  const [a, b, bt, at] = [random(m, k), random(k, n), random(n, k), random(k, m)]
  measure(`A·B   (${m}×${k})·(${k}×${n})`, 2 * m * k * n, () => tf.matMul(a, b))
  measure(`A·Bᵀ  (${m}×${k})·(${n}×${k})ᵀ`, 2 * m * k * n, () => linear(a, bt))
  measure(`Aᵀ·B  (${k}×${m})ᵀ·(${k}×${n})`, 2 * m * k * n, () => tf.matMul(at, b, true, false))
  tf.dispose([a, b, bt, at])
}

for (const [prefix, branches, depth, length, heads, keyHeads, d] of [
  [1024, 1, 1, 1, 4, 4, 32],
  [256, 8, 12, 20, 4, 2, 32],
  [256, 8, 12, 20, 3, 3, 24],
  [400, 1000, 1, 1, 4, 2, 32],
] as const) {
  const { layout, tokens, scores } = forest(prefix, branches, depth, length)
  const [q, k, v] = [random(tokens, heads * d), random(tokens, keyHeads * d), random(tokens, keyHeads * d)]
  const attend = (a: tf.Tensor, b: tf.Tensor, c: tf.Tensor) =>
    attention(a as tf.Tensor2D, b as tf.Tensor2D, c as tf.Tensor2D, layout, d)
  const label = `prefix ${prefix}, ${branches}×${depth} segments of ${length}, heads ${heads}/${keyHeads}×${d}`
  measure(`attention ${label}`, 4 * scores * heads * d, () => attend(q, k, v))
  measure('  forward and backward', 14 * scores * heads * d, () => tf.grads(attend)([q, k, v]))
  tf.dispose([q, k, v])
}

const [rows, width, hidden, words] = [4096, 128, 352, 1024]
const [x, scale, gate, up, head] = [
  random(rows, width),
  tf.ones<tf.Rank.R1>([width]),
  random(rows, hidden),
  random(rows, hidden),
  random(words, width),
]
const positions = Int32Array.from({ length: rows }, (_, i) => i % 512)
const targets = Int32Array.from({ length: rows }, (_, i) => i % words)
const frequencies = Float32Array.from({ length: 16 }, (_, i) => 10000 ** (-i / 16))
measure(`rmsNorm ${rows}×${width}`, null, () => rmsNorm(x, scale, 1e-5))
measure('  forward and backward', null, () =>
  tf.grads((a, b) => rmsNorm(a as tf.Tensor2D, b as tf.Tensor1D, 1e-5))([x, scale]),
)
measure(`rope ${rows}×${width}`, null, () => rope(x, positions, 32, frequencies))
measure(`swiglu ${rows}×${hidden}`, null, () => swiglu(gate, up))
measure('  forward and backward', null, () =>
  tf.grads((a, b) => swiglu(a as tf.Tensor2D, b as tf.Tensor2D))([gate, up]),
)
measure(
  `selectedLogProbs ${rows}×${width}, ${words} words`,
  2 * rows * width * words,
  () => selectedLogProbs(x, head, targets, 1).logProbs,
)
measure('  forward and backward', 8 * rows * width * words, () =>
  tf.grads((a, b) => selectedLogProbs(a as tf.Tensor2D, b as tf.Tensor2D, targets, 1).logProbs)([x, head]),
)
const [parameter, gradient, m, v] = [
  tf.variable(random(1024, 1024)),
  random(1024, 1024),
  tf.variable(tf.zeros([1024, 1024])),
  tf.variable(tf.zeros([1024, 1024])),
]
measure('adamw 1024×1024', null, () =>
  adamw(parameter, gradient, m, v, {
    learningRate: 1e-3,
    beta1: 0.9,
    beta2: 0.95,
    epsilon: 1e-8,
    weightDecay: 0.1,
    step: 1,
  }),
)
