/** Kernels on logits: what an update needs of them, and draws. */
import * as tf from '@tensorflow/tfjs-core'
import { drawToken } from '../draw-code.ts'
import type { GpuBackend } from '../gpu-backend.ts'
import { selectLogProbs, selectLogProbsGradient } from '../log-prob-code.ts'
import { multiplyInto } from '../matmul.ts'
import { checkIndices } from '../../own-kernels.ts'
import { groupsFor, register } from './register-kernel.ts'

interface LogProbAttributes {
  targets: Int32Array
  temperature: number
}

export function registerLogitKernels(): void {
  register<LogProbAttributes>('SelectedLogProbs', (backend, { hidden, head }, { targets, temperature }) => {
    const [rows, words] = [hidden!.shape[0]!, head!.shape[0]!]
    checkIndices(targets, words)
    const [both, logSumExp] = [backend.allocate([2, rows]), backend.allocate([rows])]
    forEachChunk(backend, hidden!, head!, (logits, first, count) => {
      backend.dispatch(selectLogProbs, {
        reads: { logits, targets: backend.uploadOnce(targets, () => targets) },
        writes: { both, logSumExp },
        uniforms: { rows, words, first, coldness: 1 / temperature },
        groups: count,
      })
    })
    return [both, logSumExp]
  })

  register<LogProbAttributes & { needsHeadGradient: boolean }>(
    'SelectedLogProbsGradient',
    (backend, { dy, hidden, head, logSumExp }, { targets, temperature, needsHeadGradient }) => {
      const [rows, width] = hidden!.shape as [number, number]
      const words = head!.shape[0]!
      const dHidden = backend.allocate([rows, width])
      const dHead = needsHeadGradient ? backend.allocate([words, width]) : null
      forEachChunk(backend, hidden!, head!, (logits, first, count) => {
        backend.dispatch(selectLogProbsGradient, {
          reads: { dy: dy!, logSumExp: logSumExp!, targets: backend.uploadOnce(targets, () => targets) },
          writes: { logits },
          uniforms: { numbers: count * words, words, first, coldness: 1 / temperature },
          groups: groupsFor(count * words),
        })
        multiplyInto(backend, dHidden, {
          a: { tensor: logits, stored: 'rows' },
          b: { tensor: head!, stored: 'columns' },
          m: count,
          n: width,
          k: words,
          start: first * width,
        })
        if (dHead)
          multiplyInto(backend, dHead, {
            a: { tensor: logits, stored: 'columns' },
            b: { tensor: hidden!, stored: 'columns', start: first * width },
            m: words,
            n: width,
            k: count,
            add: first > 0,
          })
      })
      return dHead ? [dHidden, dHead] : [dHidden]
    },
  )

  register<{ rows: Int32Array; numbers: Float32Array; temperature: number }>(
    'DrawTokens',
    (backend, { logits }, { rows, numbers, temperature }) => {
      const [height, words] = logits!.shape as [number, number]
      checkIndices(rows, height)
      const draws = backend.makeTensorInfo([rows.length], 'float32', numbers)
      const drawn = backend.allocate([rows.length, 3])
      backend.dispatch(drawToken, {
        reads: { logits: logits!, rows: backend.uploadOnce(rows, () => rows), numbers: draws },
        writes: { drawn },
        uniforms: { words, isGreedy: temperature === 0 ? 1 : 0, coldness: temperature === 0 ? 1 : 1 / temperature },
        groups: rows.length,
      })
      backend.disposeData(draws.dataId)
      return drawn
    },
  )
}

/** Runs `work` on the logits hidden · headᵀ of all rows, in chunks that fit in memory. */
function forEachChunk(
  backend: GpuBackend,
  hidden: tf.TensorInfo,
  head: tf.TensorInfo,
  work: (logits: tf.TensorInfo, first: number, count: number) => void,
): void {
  const [rows, width] = hidden.shape as [number, number]
  const words = head.shape[0]!
  const most = Math.max(1, Math.floor(backend.mostLogits / words))
  for (let first = 0; first < rows; first += most) {
    const count = Math.min(most, rows - first)
    const logits = backend.allocate([count, words])
    multiplyInto(backend, logits, {
      a: { tensor: hidden, stored: 'rows', start: first * width },
      b: { tensor: head, stored: 'rows' },
      m: count,
      n: words,
      k: width,
    })
    work(logits, first, count)
    backend.disposeData(logits.dataId)
  }
}
