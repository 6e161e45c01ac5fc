/** A decoder's layers for sampling, as calls of the WebAssembly kernels with no tensor between them. */
import type { TensorInfo } from '@tensorflow/tfjs-core'
import type { DecoderLayersOptions, LayerProjection, LowRankChange } from '../../ops/decoder-layers.ts'
import { angleTables } from './angle-tables.ts'
import { maximumVisible } from './layout-extent.ts'
import { checkIndices } from '../own-kernels.ts'
import { register } from './register-kernel.ts'
import type { Scratch, SimdBackend } from './simd-backend.ts'
import { uploadLayout } from './uploaded-layout.ts'
import { multiplyWeight } from './weight-product.ts'

export function registerDecoderLayers(): void {
  register<DecoderLayersOptions>('DecoderLayers', (backend, { x }, options) => {
    const [rows, width] = x!.shape as [number, number]
    checkIndices(options.layout.querySlot, options.pools[0]!.keys.shape[0])
    if (options.outputRows) checkIndices(options.outputRows, rows)
    const from = backend.addressOf(x!)
    const out = backend.allocate([options.outputRows?.length ?? rows, width])
    backend.withScratch((scratch) => runLayers(backend, scratch, from, out.address, rows, width, options))
    return out.info
  })
}

function runLayers(
  backend: SimdBackend,
  scratch: Scratch,
  x: number,
  out: number,
  rows: number,
  width: number,
  {
    layers,
    pools,
    positions,
    layout,
    outputRows,
    lastLayer,
    headDim,
    inverseFrequencies,
    normEpsilon,
  }: DecoderLayersOptions,
): void {
  const { kernels } = backend
  const [queryWidth, keyWidth, inner] = [layers[0]!.query, layers[0]!.key, layers[0]!.gate].map(
    ({ weight }) => weight.shape[0]!,
  ) as [number, number, number]
  const [heads, keyHeads] = [queryWidth / headDim, keyWidth / headDim]
  const visible = maximumVisible(layout, pools[0]!.keys.shape[0])
  const { cosine, sine } = angleTables.get(backend, inverseFrequencies, positions)

  const floats = (columns: number) => scratch.bytes(rows * columns * 4)
  const [normed, residual, queryInput] = [floats(width), floats(width), floats(width)]
  const [queries, attended, logSumExp] = [floats(queryWidth), floats(queryWidth), floats(heads)]
  const [keys, values] = [floats(keyWidth), floats(keyWidth)]
  const [gate, up] = [floats(inner), floats(inner)]
  const lowRank = lowRankScratch(layers, floats)
  const project = (from: number, projection: LayerProjection, to: number, count: number) =>
    projectInto(backend, from, projection, to, count, lowRank)
  const attentionScratch = scratch.bytes(kernels.attentionScratchBytes(heads, keyHeads, headDim, visible))
  const uploaded = (part: typeof lastLayer) => ({
    count: part.positions.length,
    positions: scratch.int32(part.positions),
    layout: uploadLayout(scratch, part.layout),
  })
  const all = uploaded({ positions, layout })
  const last = outputRows ? uploaded(lastLayer) : all
  const outputs = outputRows ? scratch.int32(outputRows) : null
  const rotate = (headCount: number, from: number, norm: TensorInfo | undefined, { count, positions }: typeof all) => {
    if (norm) kernels.rmsNorm(from, backend.addressOf(norm), from, count * headCount, headDim, normEpsilon)
    kernels.rotate(from, from, positions, cosine, sine, count, headCount, headDim, 1)
  }

  let stream = x
  for (const [index, layer] of layers.entries()) {
    const { keys: keyPool, values: valuePool } = pools[index]!
    const [keySlots, valueSlots] = [backend.addressOf(keyPool), backend.addressOf(valuePool)]
    kernels.rmsNorm(stream, backend.addressOf(layer.attentionNorm), normed, rows, width, normEpsilon)
    project(normed, layer.key, keys, rows)
    rotate(keyHeads, keys, layer.keyNorm, all)
    project(normed, layer.value, values, rows)
    kernels.writeRows(keys, all.layout[1], keySlots, rows, keyWidth)
    kernels.writeRows(values, all.layout[1], valueSlots, rows, keyWidth)

    const isLast = index === layers.length - 1
    const asking = isLast ? last : all
    // A prompt's chunk may need only its keys and values.
    if (asking.count === 0) return
    const to = isLast ? out : residual
    let from = normed
    if (isLast && outputs !== null) {
      kernels.gatherRows(stream, outputs, to, asking.count, width)
      kernels.gatherRows(normed, outputs, queryInput, asking.count, width)
      ;[stream, from] = [to, queryInput]
    }
    project(from, layer.query, queries, asking.count)
    rotate(heads, queries, layer.queryNorm, asking)
    kernels.attention(
      queries,
      keySlots,
      valueSlots,
      attended,
      logSumExp,
      asking.count,
      heads,
      keyHeads,
      headDim,
      ...asking.layout,
      visible,
      attentionScratch,
    )
    project(attended, layer.output, normed, asking.count)
    kernels.addScaled(stream, normed, to, asking.count * width, asking.count * width, 1)
    kernels.rmsNorm(to, backend.addressOf(layer.feedForwardNorm), queryInput, asking.count, width, normEpsilon)
    project(queryInput, layer.gate, gate, asking.count)
    project(queryInput, layer.up, up, asking.count)
    kernels.swiglu(gate, up, gate, asking.count * inner)
    project(gate, layer.down, normed, asking.count)
    kernels.addScaled(to, normed, to, asking.count * width, asking.count * width, 1)
    stream = to
  }
}

interface LowRankScratch {
  /** [rows, r] */
  narrow: number
  /** [rows, out] for the widest projection with an adapter. */
  change: number
}

/** Null without adapters. */
function lowRankScratch(
  layers: DecoderLayersOptions['layers'],
  floats: (columns: number) => number,
): LowRankScratch | null {
  const adapted = layers.flatMap(({ query, key, value, output, gate, up, down }) =>
    [query, key, value, output, gate, up, down].flatMap(({ adapter }) => adapter?.lowRank ?? []),
  )
  if (adapted.length === 0) return null
  const widest = (of: (change: LowRankChange) => number) => Math.max(...adapted.map(of))
  return { narrow: floats(widest(({ a }) => a.shape[0]!)), change: floats(widest(({ b }) => b.shape[0]!)) }
}

/** to[count, out] = from[count, in] · Wᵀ + b + s · (from · Aᵀ) · Bᵀ */
function projectInto(
  backend: SimdBackend,
  from: number,
  { weight, bias, adapter }: LayerProjection,
  to: number,
  count: number,
  lowRank: LowRankScratch | null,
): void {
  const { kernels } = backend
  const width = weight.shape[0]!
  multiplyWeight(backend, from, weight, to, count)
  if (bias) kernels.addScaled(to, backend.addressOf(bias), to, count * width, width, 1)
  if (!adapter || !lowRank) return
  const { a, b, scale } = adapter.lowRank
  multiplyWeight(backend, from, a, lowRank.narrow, count)
  kernels.scaleShift(lowRank.narrow, lowRank.narrow, count * a.shape[0]!, scale, 0)
  multiplyWeight(backend, lowRank.narrow, b, lowRank.change, count)
  kernels.addScaled(to, lowRank.change, to, count * width, count * width, 1)
}
