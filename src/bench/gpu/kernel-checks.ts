/**
 * Compares every WebGPU kernel with the CPU backend: the value and all gradients of each operation, on shapes that reach each of its
 * programs (vectors of four and single numbers, dot products, tiles of all sizes and settings, split sums, half precision and four
 * bits).
 */
import * as tf from '@tensorflow/tfjs-core'
import type { BackendName } from '../../language-model/backends/backend.ts'
import { countDispatches } from '../../language-model/backends/webgpu/count-dispatches.ts'
import type { GpuBackend } from '../../language-model/backends/webgpu/gpu-backend.ts'
import type { FusedKernel } from '../../language-model/ops/backend-kernels.ts'
import {
  adamw,
  addLowRank,
  attention,
  clipScale,
  drawTokens,
  gatherRows,
  globalNorm,
  kvWrite,
  rmsNorm,
  rope,
  selectedLogProbs,
  swiglu,
} from '../../language-model/ops/index.ts'
import type { DrawnToken } from '../../language-model/ops/draw-tokens.ts'
import { TokenDistribution } from '../../language-model/sampling/sampler.ts'
import { normalStream, randomStream } from '../../language-model/sampling/random-stream.ts'
import { relativeDifference } from '../comparison.ts'
import { forest } from '../forest.ts'
import { startOwn } from '../own-backend.ts'
import { asMatrix, type KernelCheck, type Op, withGradients } from './kernel-check.ts'
import { LAYER_CHECKS } from './layer-checks.ts'
import { PRODUCT_CHECKS, STORED_WEIGHT_CHECKS } from './product-checks.ts'
import type { CheckRecord } from './records.ts'

/** Largest relative difference, for float32 sums in another order and a device's own exp and sqrt. */
export const KERNEL_TOLERANCE = 1e-4

function attentionCheck(
  prefix: number,
  branches: number,
  depth: number,
  length: number,
  heads: [number, number, number],
) {
  const [queryHeads, keyHeads, headDim] = heads
  const { layout, tokens } = forest(prefix, branches, depth, length)
  return withGradients(
    `attention, ${tokens} tokens, heads ${queryHeads}/${keyHeads} × ${headDim}`,
    [
      [tokens, queryHeads * headDim],
      [tokens, keyHeads * headDim],
      [tokens, keyHeads * headDim],
    ],
    (q, k, v) => attention(asMatrix(q), asMatrix(k), asMatrix(v), layout, headDim),
  )
}

/** `chunk` is how many rows of logits the device may have at a time. */
function logProbCheck(rows: number, width: number, words: number, chunk = rows): KernelCheck {
  const targets = Int32Array.from({ length: rows }, (_, i) => (i * 31) % words)
  const of =
    (result: 'logProbs' | 'entropy'): Op =>
    (hidden, head) =>
      selectedLogProbs(asMatrix(hidden), asMatrix(head), targets, 0.8)[result]
  return {
    name: `log-probabilities of ${rows} × ${words} words${chunk < rows ? `, ${chunk} rows at a time` : ''}`,
    inputs: [
      [rows, width],
      [words, width],
    ],
    run(tensors, device) {
      const backend = device === 'webgpu' ? (tf.backend() as GpuBackend) : { mostLogits: 0 }
      const { mostLogits } = backend
      backend.mostLogits = chunk * words
      try {
        return [of('logProbs')(...tensors), ...tf.grads(of('logProbs'))(tensors), of('entropy')(...tensors)]
      } finally {
        backend.mostLogits = mostLogits
      }
    },
  }
}

function optimizerCheck(rows: number, columns: number): KernelCheck {
  return {
    name: `AdamW with clipping, ${rows} × ${columns}`,
    inputs: [
      [rows, columns],
      [rows, columns],
      [3, 5],
    ],
    run([start, gradient, other]) {
      const parameter = tf.variable(start!.clone())
      const [first, second] = [tf.variable(tf.zerosLike(start!)), tf.variable(tf.zerosLike(start!))]
      const norm = globalNorm([gradient!, other!])
      for (let step = 1; step <= 2; step++)
        adamw(parameter, gradient!, first, second, {
          learningRate: 0.05,
          beta1: 0.9,
          beta2: 0.95,
          epsilon: 1e-6,
          weightDecay: 0.1,
          step,
          gradientScale: clipScale(norm, 1),
        })
      return [norm, parameter, first, second]
    },
  }
}

function cacheCheck(width: number): KernelCheck {
  return {
    name: `cache write of rows of ${width}`,
    inputs: [
      [9, width],
      [3, width],
    ],
    run: ([pool, rows]) => [kvWrite(asMatrix(tf.mul(pool!, 1)), asMatrix(rows), Int32Array.of(7, 0, 4))],
  }
}

/** Tokens, log-probabilities and entropies: the CPU draws with the sampler. */
function drawCheck(words: number): KernelCheck {
  const rows = Int32Array.of(0, 2, 1, 2)
  const numbers = Float32Array.of(0.1, 0.5, 0.97, 0.003)
  return {
    name: `draws from ${words} words`,
    inputs: [[3, words]],
    async run([logits], device) {
      const distribution = new TokenDistribution(words)
      const values = await logits!.data<'float32'>()
      const drawn: DrawnToken[] = []
      for (const temperature of [0.8, 0]) {
        if (device === 'webgpu') {
          drawn.push(...(await drawTokens(asMatrix(logits), rows, numbers, temperature)))
          continue
        }
        for (const [i, row] of rows.entries()) {
          distribution.read(values, row * words, temperature)
          const token = distribution.draw(1, () => numbers[i]!)
          drawn.push({ token, logProb: distribution.logProb(token), entropy: distribution.entropy })
        }
      }
      return (['token', 'logProb', 'entropy'] as const).map((of) => tf.tensor1d(drawn.map((each) => each[of])))
    },
  }
}

/** By the kernel whose programs they reach. Kernels that only the CPU has are null: no WebGPU program to check. */
const CHECKS: Record<
  FusedKernel | 'BatchMatMul' | 'Add' | 'Multiply' | 'stored weights',
  readonly KernelCheck[] | null
> = {
  BatchMatMul: PRODUCT_CHECKS,
  Add: [
    withGradients(
      'add, 33 × 64',
      [
        [33, 64],
        [33, 64],
      ],
      (a, b) => tf.add(tf.mul(a, 1), tf.mul(b, 1)),
    ),
    withGradients('add a row, 33 × 35', [[33, 35], [35]], (a, b) => tf.add(tf.mul(a, 1), tf.mul(b, 1))),
  ],
  Multiply: [64, 35].map((width) =>
    withGradients(`multiply by a number, 33 × ${width}`, [[33, width]], (x) => tf.mul(tf.mul(x, 1), 0.3)),
  ),
  AddLowRank: [
    [64, 16],
    [33, 8],
    [64, 3],
  ].map(([width, rank]) =>
    withGradients(
      `add of rank ${rank}, 31 × ${width}`,
      [
        [31, width!],
        [31, rank!],
        [width!, rank!],
      ],
      (y, narrow, b) => addLowRank(asMatrix(y), asMatrix(narrow), asMatrix(b), 2),
    ),
  ),
  'stored weights': STORED_WEIGHT_CHECKS,
  RmsNorm: [96, 97, 896].map((width) =>
    withGradients(`RMS norm, 65 × ${width}`, [[65, width], [width]], (x, w) =>
      rmsNorm(asMatrix(x), w as tf.Tensor1D, 1e-5),
    ),
  ),
  RmsNormGradient: [],
  RotaryEmbedding: [32, 6].map((headDim) =>
    withGradients(`rotary embedding, heads of ${headDim}`, [[37, 2 * headDim]], (x) =>
      rope(
        asMatrix(x),
        Int32Array.from({ length: 37 }, (_, i) => (i * 37) % 1300),
        headDim,
        Float32Array.from({ length: headDim / 2 }, (_, i) => 10_000 ** ((-2 * i) / headDim)),
      ),
    ),
  ),
  SwiGlu: [64, 33].map((width) =>
    withGradients(
      `SwiGLU, 31 × ${width}`,
      [
        [31, width],
        [31, width],
      ],
      (gate, up) => swiglu(asMatrix(gate), asMatrix(up)),
    ),
  ),
  SwiGluGradient: [],
  SegmentAttention: [
    attentionCheck(20, 3, 2, 9, [4, 2, 24]),
    attentionCheck(64, 1, 1, 1, [9, 3, 64]),
    attentionCheck(5, 2, 1, 70, [2, 2, 32]),
  ],
  SegmentAttentionGradient: [],
  GatherRows: [64, 33].map((width) =>
    withGradients(`gather rows of ${width}`, [[40, width]], (x) =>
      gatherRows(asMatrix(x), Int32Array.of(3, 39, 3, 0, 17, 3)),
    ),
  ),
  ScatterAddRows: [],
  SelectedLogProbs: [logProbCheck(40, 64, 500), logProbCheck(7, 33, 131), logProbCheck(40, 64, 1500, 16)],
  SelectedLogProbsGradient: [],
  WriteRows: [cacheCheck(64), cacheCheck(33)],
  ScaledAdamW: [optimizerCheck(40, 52), optimizerCheck(7, 9)],
  DrawTokens: [drawCheck(600), drawCheck(9001)],
  GlobalNorm: [],
  ClipScale: [],
  AdamW: null,
  SumOfSquares: null,
  DecoderLayers: LAYER_CHECKS,
}

export const KERNEL_CHECKS: readonly KernelCheck[] = Object.values(CHECKS).flatMap((checks) => checks ?? [])

/** Kernels of ours that the adapter's backend has and no check reaches; empty unless a kernel was added. */
export function uncheckedKernels(): string[] {
  return Object.entries(CHECKS)
    .filter(([name, checks]) => checks === null && tf.getKernel(name, 'webgpu'))
    .map(([name]) => name)
}

/** Runs a check on both backends. Its difference is Infinity if the adapter returns numbers that are not finite. */
export async function runKernelCheck(check: KernelCheck): Promise<CheckRecord> {
  const expected = await resultsOn('cpu', check)
  const found = await resultsOn('webgpu', check)
  const differences = expected.arrays.map((array, i) => relativeDifference(found.arrays[i]!, array))
  return {
    kind: 'check',
    name: check.name,
    difference: Math.max(...differences),
    tolerance: KERNEL_TOLERANCE,
    programs: found.programs,
  }
}

async function resultsOn(
  device: BackendName,
  { inputs, run }: KernelCheck,
): Promise<{ arrays: Float32Array[]; programs: string[] }> {
  await (await startOwn(device)).use()
  tf.engine().startScope()
  try {
    const tensors = inputs.map((shape, seed) => {
      const normal = normalStream(randomStream(seed, 3))
      return tf.tensor(Float32Array.from({ length: tf.util.sizeFromShape([...shape]) }, normal), [...shape])
    })
    const work = async () => {
      const arrays: Float32Array[] = []
      for (const result of await run(tensors, device)) arrays.push((await result.data<'float32'>()).slice())
      return arrays
    }
    if (device === 'cpu') return { arrays: await work(), programs: [] }
    const { result, count } = await countDispatches(
      tf.backend() as unknown as Parameters<typeof countDispatches>[0],
      work,
    )
    return { arrays: result, programs: Object.keys(count.byProgram).filter((name) => name !== '') }
  } finally {
    tf.engine().endScope()
  }
}
