import type { TensorInfo } from '@tensorflow/tfjs-core'
import { multiplyFourBit } from './four-bit-product.ts'
import type { SimdBackend } from './simd-backend.ts'

/** c[m, n] = a[m, k] · Wᵀ for a weight W[n, k], in four bits, in panels or as it is; a and c are addresses. */
export function multiplyWeight(backend: SimdBackend, a: number, weight: TensorInfo, c: number, m: number): void {
  const [n, k] = weight.shape as [number, number]
  const blocks = backend.blocksOf(weight)
  if (blocks !== null) {
    multiplyFourBit(backend, a, blocks, c, m, n, k)
    return
  }
  const { kernels, matmulScratch } = backend
  const panels = backend.panelsOf(weight, m)
  if (panels !== null) kernels.matmulPacked(a, panels, c, m, n, k, matmulScratch)
  else kernels.matmul(a, backend.addressOf(weight), c, m, n, k, k, 1, 1, k, 0, matmulScratch)
}
