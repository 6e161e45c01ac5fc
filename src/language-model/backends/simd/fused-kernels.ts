import * as tf from '@tensorflow/tfjs-core'
import type { AttentionLayout } from '../../ops/attention-layout.ts'
import { angleTables } from './angle-tables.ts'
import { outputLayer } from './four-bit-product.ts'
import { maximumVisible } from './layout-extent.ts'
import { checkIndices } from '../own-kernels.ts'
import { register } from './register-kernel.ts'
import { uploadLayout } from './uploaded-layout.ts'

/** Registers the kernels of src/language-model/ops; the AssemblyScript sources have the mathematics. */
export function registerFusedKernels(): void {
  register<{ epsilon: number }>('RmsNorm', (backend, { x, weight }, { epsilon }) => {
    const [rows, width] = x!.shape as [number, number]
    const [from, scale] = [backend.addressOf(x!), backend.addressOf(weight!)]
    const y = backend.allocate([rows, width])
    backend.kernels.rmsNorm(from, scale, y.address, rows, width, epsilon)
    return y.info
  })

  register<{ epsilon: number }>('RmsNormGradient', (backend, { dy, x, weight }, { epsilon }) => {
    const [rows, width] = x!.shape as [number, number]
    const [pull, from, scale] = [backend.addressOf(dy!), backend.addressOf(x!), backend.addressOf(weight!)]
    const [dx, dw] = [backend.allocate([rows, width]), backend.allocate([width])]
    backend.kernels.rmsNormGradient(pull, from, scale, dx.address, dw.address, rows, width, epsilon)
    return [dx.info, dw.info]
  })

  register<{ positions: Int32Array; headDim: number; inverseFrequencies: Float32Array; direction: number }>(
    'RotaryEmbedding',
    (backend, { x }, { positions, headDim, inverseFrequencies, direction }) => {
      const [rows, width] = x!.shape as [number, number]
      const from = backend.addressOf(x!)
      const { cosine, sine } = angleTables.get(backend, inverseFrequencies, positions)
      const y = backend.allocate([rows, width])
      backend.withScratch((scratch) =>
        backend.kernels.rotate(
          from,
          y.address,
          scratch.int32(positions),
          cosine,
          sine,
          rows,
          width / headDim,
          headDim,
          direction,
        ),
      )
      return y.info
    },
  )

  register<{ layout: AttentionLayout; headDim: number }>(
    'SegmentAttention',
    (backend, { q, k, v }, { layout, headDim }) => {
      const [queries, width] = q!.shape as [number, number]
      const [heads, keyHeads] = [width / headDim, k!.shape[1]! / headDim]
      const [fromQ, fromK, fromV] = [backend.addressOf(q!), backend.addressOf(k!), backend.addressOf(v!)]
      const [output, logSumExp] = [backend.allocate([queries, width]), backend.allocate([queries, heads])]
      const visible = maximumVisible(layout, k!.shape[0]!)
      backend.withScratch((scratch) =>
        backend.kernels.attention(
          fromQ,
          fromK,
          fromV,
          output.address,
          logSumExp.address,
          queries,
          heads,
          keyHeads,
          headDim,
          ...uploadLayout(scratch, layout),
          visible,
          scratch.bytes(backend.kernels.attentionScratchBytes(heads, keyHeads, headDim, visible)),
        ),
      )
      return [output.info, logSumExp.info]
    },
  )

  register<{ layout: AttentionLayout; headDim: number }>(
    'SegmentAttentionGradient',
    (backend, { dy, q, k, v, output, logSumExp }, { layout, headDim }) => {
      const [queries, width] = q!.shape as [number, number]
      const [heads, keyHeads] = [width / headDim, k!.shape[1]! / headDim]
      const [pull, fromQ, fromK, fromV] = [
        backend.addressOf(dy!),
        backend.addressOf(q!),
        backend.addressOf(k!),
        backend.addressOf(v!),
      ]
      const [out, lse] = [backend.addressOf(output!), backend.addressOf(logSumExp!)]
      const [dq, dk, dv] = [backend.allocate(q!.shape), backend.allocate(k!.shape), backend.allocate(v!.shape)]
      backend.kernels.fillZero(dk.address, tf.util.sizeFromShape(k!.shape))
      backend.kernels.fillZero(dv.address, tf.util.sizeFromShape(v!.shape))
      const visible = maximumVisible(layout, k!.shape[0]!)
      backend.withScratch((scratch) =>
        backend.kernels.attentionGradient(
          pull,
          fromQ,
          fromK,
          fromV,
          out,
          lse,
          dq.address,
          dk.address,
          dv.address,
          queries,
          heads,
          keyHeads,
          headDim,
          ...uploadLayout(scratch, layout),
          visible,
          scratch.bytes(backend.kernels.attentionGradientScratchBytes(heads, keyHeads, headDim, visible)),
        ),
      )
      return [dq.info, dk.info, dv.info]
    },
  )

  register('SwiGlu', (backend, { gate, up }) => {
    const [g, u] = [backend.addressOf(gate!), backend.addressOf(up!)]
    const y = backend.allocate(gate!.shape)
    backend.kernels.swiglu(g, u, y.address, tf.util.sizeFromShape(gate!.shape))
    return y.info
  })

  register('SwiGluGradient', (backend, { dy, gate, up }) => {
    const [pull, g, u] = [backend.addressOf(dy!), backend.addressOf(gate!), backend.addressOf(up!)]
    const [dgate, dup] = [backend.allocate(gate!.shape), backend.allocate(gate!.shape)]
    backend.kernels.swigluGradient(pull, g, u, dgate.address, dup.address, tf.util.sizeFromShape(gate!.shape))
    return [dgate.info, dup.info]
  })

  register<{ indices: Int32Array }>('GatherRows', (backend, { x }, { indices }) => {
    const [rows, width] = x!.shape as [number, number]
    checkIndices(indices, rows)
    const blocks = backend.blocksOf(x!)
    const from = blocks ?? backend.addressOf(x!)
    const out = backend.allocate([indices.length, width])
    const gather = blocks === null ? backend.kernels.gatherRows : backend.kernels.fourBitGatherRows
    backend.withScratch((scratch) => gather(from, scratch.int32(indices), out.address, indices.length, width))
    return out.info
  })

  register<{ indices: Int32Array; rows: number }>('ScatterAddRows', (backend, { dy }, { indices, rows }) => {
    const width = dy!.shape[1]!
    checkIndices(indices, rows)
    const from = backend.addressOf(dy!)
    const out = backend.allocate([rows, width])
    backend.kernels.fillZero(out.address, rows * width)
    backend.withScratch((scratch) =>
      backend.kernels.scatterAddRows(from, scratch.int32(indices), out.address, indices.length, width),
    )
    return out.info
  })

  register<{ slots: Int32Array }>('WriteRows', (backend, { pool, rows }, { slots }) => {
    const [size, width] = pool!.shape as [number, number]
    checkIndices(slots, size)
    const [to, from] = [backend.addressOf(pool!), backend.addressOf(rows!)]
    backend.withScratch((scratch) => backend.kernels.writeRows(from, scratch.int32(slots), to, slots.length, width))
    return backend.allocate([]).info
  })

  register<{ targets: Int32Array; temperature: number }>(
    'SelectedLogProbs',
    (backend, { hidden, head }, { targets, temperature }) => {
      const [rows, width] = hidden!.shape as [number, number]
      const words = head!.shape[0]!
      checkIndices(targets, words)
      const from = backend.addressOf(hidden!)
      const output = outputLayer(backend, head!)
      const [both, logSumExp] = [backend.allocate([2, rows]), backend.allocate([rows])]
      backend.withScratch((scratch) => {
        const chosen = scratch.int32(targets)
        const chunk = chunkRows(words)
        const logits = scratch.bytes(Math.min(chunk, rows) * words * 4)
        for (let row = 0; row < rows; row += chunk) {
          const count = Math.min(chunk, rows - row)
          output.logits(from + row * width * 4, logits, count)
          backend.kernels.selectLogProbs(
            logits,
            chosen + row * 4,
            both.address + row * 4,
            both.address + (rows + row) * 4,
            logSumExp.address + row * 4,
            count,
            words,
            1 / temperature,
          )
        }
      })
      return [both.info, logSumExp.info]
    },
  )

  register<{ targets: Int32Array; temperature: number; needsHeadGradient: boolean }>(
    'SelectedLogProbsGradient',
    (backend, { dy, hidden, head, logSumExp }, { targets, temperature, needsHeadGradient }) => {
      const [rows, width] = hidden!.shape as [number, number]
      const words = head!.shape[0]!
      const [pull, from, lse] = [backend.addressOf(dy!), backend.addressOf(hidden!), backend.addressOf(logSumExp!)]
      const output = outputLayer(backend, head!)
      const dHidden = backend.allocate([rows, width])
      const dHead = needsHeadGradient ? backend.allocate([words, width]) : null
      if (dHead) backend.kernels.fillZero(dHead.address, words * width)
      backend.withScratch((scratch) => {
        const chosen = scratch.int32(targets)
        const chunk = chunkRows(words)
        const logits = scratch.bytes(Math.min(chunk, rows) * words * 4)
        for (let row = 0; row < rows; row += chunk) {
          const count = Math.min(chunk, rows - row)
          const slice = from + row * width * 4
          output.logits(slice, logits, count)
          backend.kernels.selectLogProbsGradient(
            logits,
            chosen + row * 4,
            lse + row * 4,
            pull + row * 4,
            count,
            words,
            1 / temperature,
          )
          output.gradient(logits, dHidden.address + row * width * 4, count)
          if (dHead)
            backend.kernels.matmul(
              logits,
              slice,
              dHead.address,
              words,
              width,
              count,
              1,
              words,
              width,
              1,
              1,
              backend.matmulScratch,
            )
        }
      })
      return dHead ? [dHidden.info, dHead.info] : [dHidden.info]
    },
  )

  register<{
    learningRate: number
    beta1: number
    beta2: number
    epsilon: number
    weightDecay: number
    correction1: number
    correction2: number
    gradientScale: number
  }>('AdamW', (backend, { parameter, gradient, firstMoment, secondMoment }, settings) => {
    const { learningRate, beta1, beta2, epsilon, weightDecay, correction1, correction2, gradientScale } = settings
    const [p, g, m, v] = [
      backend.addressOf(parameter!),
      backend.addressOf(gradient!),
      backend.addressOf(firstMoment!),
      backend.addressOf(secondMoment!),
    ]
    backend.forgetPanels(parameter!)
    backend.kernels.adamw(
      p,
      g,
      m,
      v,
      tf.util.sizeFromShape(parameter!.shape),
      gradientScale,
      beta1,
      beta2,
      epsilon,
      1 - learningRate * weightDecay,
      learningRate / correction1,
      1 / Math.sqrt(correction2),
    )
    return backend.allocate([]).info
  })

  register('SumOfSquares', (backend, { x }) =>
    backend.makeTensorInfo(
      [],
      'float32',
      Float32Array.of(backend.kernels.sumOfSquares(backend.addressOf(x!), tf.util.sizeFromShape(x!.shape))),
    ),
  )
}

/** Rows of logits in memory at once: about 2 MB, and enough that the output layer is not packed too often. */
function chunkRows(words: number): number {
  return Math.min(256, Math.max(16, Math.floor((1 << 19) / words)))
}
