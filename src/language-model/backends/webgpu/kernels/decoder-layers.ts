/**
 * A decoder's layers for sampling, in about 13 programs a layer instead of 31 with adapters. A decode step of a large model is as fast as
 * its programs are started, on the device and in JavaScript.
 */
import type * as tf from '@tensorflow/tfjs-core'
import { joinArrays } from '../../../../method/join-arrays.ts'
import type { AttentionLayout } from '../../../ops/attention-layout.ts'
import type { DecoderLayersOptions, LayerProjection } from '../../../ops/decoder-layers.ts'
import { angleTables } from '../angle-table.ts'
import { placeProjections } from '../decoder-layer-code.ts'
import { scaled, swiglu } from '../elementwise-code.ts'
import type { GpuBackend } from '../gpu-backend.ts'
import { type Addition, finishProjections } from '../low-rank-code.ts'
import { multiplyWeights } from '../matmul.ts'
import { lanesOf, type Part, partOf, rmsNormInPlace, rowsPerGroup, sizeOf } from '../rows-code.ts'
import { attend } from './attention.ts'
import { checkIndices } from '../../own-kernels.ts'
import { groupsFor, register } from './register-kernel.ts'
import { gather, normalise } from './rows.ts'

/** Rows that a layer computes. */
interface Asked {
  count: number
  positions: Int32Array
  layout: AttentionLayout
}

/** Projections of the same rows in one tensor. */
interface Projected {
  tensor: tf.TensorInfo
  /** Where each begins, in numbers. */
  starts: number[]
}

export function registerDecoderLayerKernel(): void {
  register<DecoderLayersOptions>('DecoderLayers', (backend, { x }, options) => {
    checkIndices(options.layout.querySlot, options.pools[0]!.keys.shape[0])
    const run = new LayersRun(backend, options)
    try {
      return run.run(x!)
    } finally {
      run.dispose()
    }
  })
}

class LayersRun {
  readonly #backend: GpuBackend
  readonly #options: DecoderLayersOptions
  /** Tensors that every layer writes again, by use and shape. */
  readonly #scratch = new Map<string, tf.TensorInfo>()

  constructor(backend: GpuBackend, options: DecoderLayersOptions) {
    this.#backend = backend
    this.#options = options
  }

  dispose(): void {
    for (const { dataId } of this.#scratch.values()) this.#backend.disposeData(dataId)
  }

  run(x: tf.TensorInfo): tf.TensorInfo {
    const { layers, pools, positions, layout, outputRows, lastLayer, normEpsilon, headDim } = this.#options
    const backend = this.#backend
    const [rows, width] = x.shape as [number, number]
    const all: Asked = { count: rows, positions, layout }
    const last: Asked = outputRows ? { count: outputRows.length, ...lastLayer } : all
    let stream = backend.allocate(x.shape)
    const part = partOf(width)
    const parts = (rows * width) / sizeOf(part)
    // The layers add to their stream in place, and x is the caller's.
    backend.dispatch(scaled(part), {
      reads: { x },
      writes: { y: stream },
      uniforms: { parts, scale: 1 },
      groups: groupsFor(parts),
    })
    for (const [index, layer] of layers.entries()) {
      const pool = pools[index]!
      const asked = index === layers.length - 1 ? last : all
      const normed = this.#tensor('normed', [rows, width])
      normalise(backend, stream, layer.attentionNorm, normed, normEpsilon)
      let queries: Projected
      if (asked === all) {
        queries = this.#project('attention', normed, [layer.query, layer.key, layer.value])
        this.#normaliseHeads(queries.tensor, 0, layer.query, layer.queryNorm, rows)
        this.#normaliseHeads(queries.tensor, queries.starts[1]!, layer.key, layer.keyNorm, rows)
        this.#place(queries, { queries: true, keyAt: 1 }, all, pool)
      } else {
        const both = this.#project('attention', normed, [layer.key, layer.value])
        this.#normaliseHeads(both.tensor, 0, layer.key, layer.keyNorm, rows)
        this.#place(both, { queries: false, keyAt: 0 }, all, pool)
        // A prompt's chunk may need only its keys and values.
        const { count } = asked
        const before = stream
        stream = backend.allocate([count, width])
        if (count > 0) gather(backend, before, outputRows!, stream)
        backend.disposeData(before.dataId)
        if (count === 0) return stream
        const asking = this.#tensor('asking', [count, width])
        gather(backend, normed, outputRows!, asking)
        queries = this.#project('queries', asking, [layer.query])
        this.#normaliseHeads(queries.tensor, 0, layer.query, layer.queryNorm, count)
        this.#place(queries, { queries: true, keyAt: null }, asked, pool)
      }
      const { count } = asked
      const queryWidth = layer.query.weight.shape[0]!
      const attended = this.#tensor('attended', [count, queryWidth])
      const logSumExp = this.#tensor('logSumExp', [count, queryWidth / headDim])
      attend(
        backend,
        { q: queries.tensor, k: pool.keys, v: pool.values, output: attended, logSumExp },
        asked.layout,
        headDim,
      )
      this.#addProjection('output', attended, layer.output, stream)

      const input = this.#tensor('feed-forward', [count, width])
      normalise(backend, stream, layer.feedForwardNorm, input, normEpsilon)
      const both = this.#project('gate and up', input, [layer.gate, layer.up])
      const inner = layer.gate.weight.shape[0]!
      const gated = this.#tensor('gated', [count, inner])
      const part = partOf(count * inner)
      const parts = (count * inner) / sizeOf(part)
      backend.dispatch(swiglu(part), {
        reads: { gate: both.tensor, up: both.tensor },
        writes: { y: gated },
        uniforms: { parts, upStart: parts },
        groups: groupsFor(parts),
      })
      this.#addProjection('down', gated, layer.down, stream)
    }
    return stream
  }

  #tensor(use: string, shape: number[]): tf.TensorInfo {
    const key = `${use} ${shape.join(' ')}`
    let tensor = this.#scratch.get(key)
    if (!tensor) this.#scratch.set(key, (tensor = this.#backend.allocate(shape)))
    return tensor
  }

  #project(use: string, x: tf.TensorInfo, projections: readonly LayerProjection[]): Projected {
    const projected = this.#multiply(use, x, projections)
    if (projections.some(({ bias, adapter }) => bias || adapter)) this.#finish(projected, projections, projected.tensor)
    return projected
  }

  /** stream ← stream + the projection of x */
  #addProjection(use: string, x: tf.TensorInfo, projection: LayerProjection, stream: tf.TensorInfo): void {
    this.#finish(this.#multiply(use, x, [projection]), [projection], stream)
  }

  /** Products with the weights, then with the adapters' first matrices. */
  #multiply(use: string, x: tf.TensorInfo, projections: readonly LayerProjection[]): Projected {
    const [m, k] = x.shape as [number, number]
    const starts: number[] = []
    let size = 0
    const placed = (tensor: tf.TensorInfo) => {
      const n = tensor.shape[0]!
      starts.push(size)
      size += m * n
      return { tensor, n, start: starts.at(-1)! }
    }
    const weights = [
      ...projections.map(({ weight }) => placed(weight)),
      ...projections.flatMap(({ adapter }) => (adapter ? [placed(adapter.lowRank.a)] : [])),
    ]
    const tensor = this.#tensor(use, [size])
    multiplyWeights(this.#backend, tensor, { a: x, m, k, weights })
    return { tensor, starts }
  }

  /** Adds biases and adapters in place, or all of it to a residual `to`. */
  #finish({ tensor, starts }: Projected, projections: readonly LayerProjection[], to: tf.TensorInfo): void {
    const isResidual = to !== tensor
    const rank = projections.find(({ adapter }) => adapter)?.adapter?.lowRank.a.shape[0] ?? 4
    const part: Part = [rank, ...starts, ...projections.map(({ weight }) => weight.shape[0]!)].every(
      (size) => size % 4 === 0,
    )
      ? 'vec4<f32>'
      : 'f32'
    const inParts = (numbers: number) => numbers / sizeOf(part)
    const reads: Record<string, tf.TensorInfo> = isResidual ? { projected: tensor } : {}
    const uniforms: Record<string, number> = { rank: inParts(rank) }
    let narrowAt = projections.length
    let parts = 0
    for (const [p, { weight, bias, adapter }] of projections.entries()) {
      const end = starts[p + 1] ?? tensor.shape[0]!
      if (bias) reads[`bias${p}`] = bias
      if (adapter) reads[`b${p}`] = adapter.lowRank.b
      Object.assign(uniforms, {
        [`parts${p}`]: inParts(end - starts[p]!),
        [`width${p}`]: inParts(weight.shape[0]!),
        [`start${p}`]: inParts(starts[p]!),
        [`narrow${p}`]: adapter ? inParts(starts[narrowAt++]!) : 0,
        [`scale${p}`]: adapter?.lowRank.scale ?? 0,
      })
      parts += inParts(end - starts[p]!)
    }
    const additions = projections.map(({ bias, adapter }): Addition =>
      adapter ? (bias ? 'bias and adapter' : 'adapter') : bias ? 'bias' : 'nothing',
    )
    this.#backend.dispatch(finishProjections(additions.join(), isResidual, part), {
      reads,
      writes: { to },
      uniforms,
      groups: groupsFor(parts),
    })
  }

  #normaliseHeads(
    x: tf.TensorInfo,
    start: number,
    { weight: projection }: LayerProjection,
    weight: tf.TensorInfo | undefined,
    rows: number,
  ): void {
    if (!weight) return
    const { headDim, normEpsilon } = this.#options
    const part = partOf(headDim)
    const width = headDim / sizeOf(part)
    const lanes = lanesOf(width)
    const heads = (rows * projection.shape[0]!) / headDim
    this.#backend.dispatch(rmsNormInPlace(part, lanes), {
      reads: { weight },
      writes: { y: x },
      uniforms: { rows: heads, width, start: start / sizeOf(part), share: 1 / headDim, epsilon: normEpsilon },
      groups: Math.ceil(heads / rowsPerGroup(lanes)),
    })
  }

  /** `keyAt` is the index of the keys in `projected`, followed by the values; null if there are none. */
  #place(
    { tensor, starts }: Projected,
    { queries, keyAt }: { queries: boolean; keyAt: number | null },
    asked: Asked,
    { keys, values }: DecoderLayersOptions['pools'][number],
  ): void {
    const { layers, headDim, inverseFrequencies } = this.#options
    const { count, positions, layout } = asked
    const part = partOf(headDim / 2)
    const half = headDim / 2 / sizeOf(part)
    const heads = layers[0]!.query.weight.shape[0]! / headDim
    const keyHeads = keys.shape[1] / headDim
    const table = angleTables.get(this.#backend, inverseFrequencies, positions)
    const places = this.#backend.uploadOnce(asked, () => joinArrays(Int32Array, [positions, layout.querySlot]))
    const queryPairs = queries ? count * heads * half : 0
    const keyPairs = keyAt === null ? 0 : count * keyHeads * half
    this.#backend.dispatch(placeProjections(part), {
      reads: { angles: table.angles, places },
      writes: { rows: tensor, keys, values },
      uniforms: {
        queryPairs,
        keyPairs,
        half,
        heads,
        keyHeads,
        queryStart: 0,
        keyStart: keyAt === null ? 0 : starts[keyAt]! / sizeOf(part),
        valueStart: keyAt === null ? 0 : starts[keyAt + 1]! / sizeOf(part),
        sines: table.positions * half,
        count,
      },
      groups: groupsFor(queryPairs + keyPairs),
    })
  }
}
