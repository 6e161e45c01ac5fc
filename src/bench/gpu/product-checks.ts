/** Checks of matrix products: each program by shape, tiles of all sizes, and weights in fewer bits. */
import * as tf from '@tensorflow/tfjs-core'
import { keepAgain, keepFourBit, keepHalf } from '../../language-model/backends/stored-weights.ts'
import type { GpuBackend } from '../../language-model/backends/webgpu/gpu-backend.ts'
import type { ProductSettings } from '../../language-model/backends/webgpu/matmul-code.ts'
import { gatherRows, linear } from '../../language-model/ops/index.ts'
import { float16FromFloat32, float32FromFloat16 } from '../../language-model/weights/half-precision.ts'
import { fourBitBlocks, floatsOfBlocks } from '../../language-model/weights/weight-storage.ts'
import { asMatrix, type KernelCheck, withGradients } from './kernel-check.ts'

const product = (m: number, k: number, n: number, transposeA: boolean, transposeB: boolean) =>
  withGradients(
    `matrix product ${m} × ${k} × ${n}${transposeA ? ', A transposed' : ''}${transposeB ? ', B transposed' : ''}`,
    [transposeA ? [k, m] : [m, k], transposeB ? [n, k] : [k, n]],
    (a, b) => tf.matMul(a, b, transposeA, transposeB),
  )

/** A frozen weight as the device stores it; the CPU gets the same, rounded numbers. */
function storedWeight(storage: 'half' | 'four bits', rows: number): KernelCheck {
  return {
    name: `weight in ${storage === 'half' ? 'half precision' : storage}, ${rows} rows`,
    inputs: [
      [rows, 96],
      [128, 96],
    ],
    async run([x, weight], device) {
      const values = await weight!.data<'float32'>()
      const blocks = fourBitBlocks(values, [128, 96])
      const rounded = storage === 'half' ? float32FromFloat16(float16FromFloat32(values)) : floatsOfBlocks(blocks)
      const variable = tf.variable(tf.tensor2d(rounded, [128, 96]), false)
      const keep = () => {
        if (device === 'cpu') return
        const isKept = storage === 'half' ? keepHalf(variable) : keepFourBit(variable, blocks, 'a weight')
        if (!isKept) throw new Error(`The device did not store a weight in ${storage}.`)
      }
      keep()
      const indices = Int32Array.of(5, 0, 127, 5)
      const results = [
        linear(asMatrix(x), variable),
        tf.grad((input: tf.Tensor) => linear(asMatrix(input), variable))(x!),
        gatherRows(variable, indices),
      ]
      // A reader of plain floats makes the device unpack them.
      results.push(tf.mul(variable, 2))
      await Promise.all(results.map((result) => result.data()))
      keepAgain(variable, storage === 'half' ? 'float16' : 'four-bit')
      if (device === 'webgpu') {
        const { precision } = (tf.backend() as GpuBackend).storedAloneOf(variable, 'vec4<f32>')
        if (precision !== storage)
          throw new Error(`A weight in ${storage} is in ${precision} precision after a reader of floats.`)
      }
      variable.dispose()
      return results
    },
  }
}

/** The same check with large tiles even for few numbers. */
function inTiles(
  { name, inputs, run }: KernelCheck,
  rows: ProductSettings['mostRows'],
  columns: ProductSettings['mostColumns'],
  inner: ProductSettings['inner'],
): KernelCheck {
  return {
    name: `${name}, tiles of ${rows} × ${columns} × ${inner}`,
    inputs,
    async run(tensors, device) {
      if (device === 'cpu') return run(tensors, device)
      const backend = tf.backend() as GpuBackend
      const { products } = backend
      backend.products = { ...products, mostRows: rows, mostColumns: columns, inner, wantedGroups: 1 }
      try {
        return await run(tensors, device)
      } finally {
        backend.products = products
      }
    },
  }
}

export const PRODUCT_CHECKS: readonly KernelCheck[] = [
  product(1, 352, 130, false, true),
  product(7, 128, 96, false, true),
  product(32, 65, 33, false, true),
  product(33, 35, 37, false, false),
  product(70, 48, 52, true, false),
  product(40, 1100, 36, true, true),
  product(768, 64, 704, false, true),
  // Each size with some of the ways to store an operand; tiles of 128 × 128 take a software adapter long to compile.
  inTiles(product(124, 120, 116, false, true), 128, 128, 16),
  inTiles(product(124, 120, 116, false, true), 128, 64, 16),
  inTiles(product(124, 120, 116, false, true), 64, 64, 8),
  inTiles(product(60, 1100, 64, true, true), 64, 64, 32),
]

export const STORED_WEIGHT_CHECKS: readonly KernelCheck[] = [
  ...[1, 8, 48].flatMap((rows) => [storedWeight('half', rows), storedWeight('four bits', rows)]),
  inTiles(storedWeight('half', 124), 128, 128, 16),
  inTiles(storedWeight('half', 125), 128, 64, 16),
  inTiles(storedWeight('half', 130), 128, 128, 8),
  inTiles(storedWeight('four bits', 126), 128, 64, 32),
]
