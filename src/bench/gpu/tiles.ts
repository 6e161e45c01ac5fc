/**
 * Finds the settings of the matrix product that suit an adapter: how large tiles are, how many inner indices they have at a time,
 * from how many workgroups on they are large, and up to how many rows dot products beat them. One setting after the other, each by the
 * time of all products.
 */
import * as tf from '@tensorflow/tfjs-core'
import { keepHalf } from '../../language-model/backends/stored-weights.ts'
import type { GpuBackend } from '../../language-model/backends/webgpu/gpu-backend.ts'
import {
  canRun,
  type InnerSize,
  LARGE_TILES,
  PRODUCT_SETTINGS,
  type ProductSettings,
} from '../../language-model/backends/webgpu/matmul-code.ts'
import { repeated, type Share, type Thoroughness } from './budget.ts'
import { products } from './ceilings.ts'
import { ALL_PRODUCTS, DEFAULT, type LeftOutRecord, type TileRecord, type TuningRecord } from './records.ts'

/** Rows, inner indices, columns. */
type ProductShape = readonly [m: number, k: number, n: number]

export interface TileShapes {
  /** x · Wᵀ as in training and reading prompts. */
  wide: readonly ProductShape[]
  /** The same with W in half precision. */
  forward: readonly ProductShape[]
  /** dy · W with W in half precision. */
  backward: readonly ProductShape[]
  /** x · Wᵀ with few rows, as in sampling; ascending. */
  narrow: readonly ProductShape[]
}

export const TILE_SHAPES: TileShapes = {
  wide: [
    [2048, 96, 256],
    [2048, 320, 864],
    [1024, 576, 1536],
    [1024, 896, 4864],
    // Few numbers with long sums, as in the gradients of weights and of what the head reads.
    [320, 16_384, 864],
    [352, 49_152, 576],
  ],
  // Layers of 135 M and 0.5 B, and their heads with as many rows as are computed at a time.
  forward: [
    [1024, 576, 1536],
    [4096, 576, 1536],
    [2048, 896, 4864],
    [4096, 4864, 896],
    [341, 576, 49_152],
    [110, 896, 49_152],
  ],
  backward: [
    [1024, 1536, 576],
    [4096, 1536, 576],
    [2048, 4864, 896],
    [4096, 896, 4864],
    [341, 49_152, 576],
  ],
  narrow: [8, 16, 32, 64, 128].map((rows) => [rows, 576, 1536] as const),
}

const INNER_SIZES: readonly InnerSize[] = [16, 8, 32]
const WANTED_GROUPS = [128, 32, 512]
/** A gain below three percent is noise. */
const LEAST_GAIN = 0.97
/** There are many products and settings. */
const BRIEF: Thoroughness = { leastMs: 10, batches: 3 }

type Way = keyof TileShapes

/** Leaves the backend with the fastest settings. A setting that the share has no time for keeps its default. */
export async function tuneProducts(
  backend: GpuBackend,
  shapes: TileShapes,
  share: Share,
  clock: () => number,
  report: (record: TileRecord | TuningRecord | LeftOutRecord) => void,
): Promise<void> {
  /** Infinity if there was time for one call only, which also compiled. */
  const msOf = async (way: Way, [m, k, n]: ProductShape, settings: ProductSettings, candidate: string) => {
    backend.products = settings
    const isTransposed = way !== 'backward'
    const a = filled(m, k)
    const weights = isTransposed ? filled(n, k) : filled(k, n)
    const b = tf.variable(weights, false)
    const isHalf = (way === 'forward' || way === 'backward') && keepHalf(b)
    const run = (calls: number) => products(a, b, calls, backend, isTransposed)
    const { bestMs, isWarm } = await repeated(run, portion(share), clock, BRIEF)
    tf.dispose([a, weights, b])
    const product = `${m} × ${k} · ${k} × ${n}${isHalf ? `, ${way} with a weight in half precision` : ''}`
    report({ kind: 'tile', product, candidate, gflops: (2 * m * k * n) / bestMs / 1e6, isWarm })
    return isWarm ? bestMs : Infinity
  }
  const large = (['wide', 'forward', 'backward'] as const).flatMap((way) =>
    shapes[way].map((shape) => [way, shape] as const),
  )
  const operations = large.reduce((sum, [, [m, k, n]]) => sum + 2 * m * k * n, 0)
  const msOfAll = async (settings: ProductSettings, candidate: string) => {
    let ms = 0
    for (const [way, shape] of large) ms += await msOf(way, shape, settings, candidate)
    if (Number.isFinite(ms))
      report({ kind: 'tile', product: ALL_PRODUCTS, candidate, gflops: operations / ms / 1e6, isWarm: true })
    return ms
  }
  const isOver = (what: string) => {
    if (share.leftMs() > 0) return false
    report({ kind: 'left out', what, why: 'The time for tuning was used up; the default stays.' })
    return true
  }

  let best = PRODUCT_SETTINGS
  let bestMs = await msOfAll(best, DEFAULT)
  const candidates: { name: string; patch: Partial<ProductSettings> }[] = [
    ...LARGE_TILES.map(({ rows, columns }) => ({
      name: `tiles of ${rows} × ${columns}`,
      patch: { mostRows: rows, mostColumns: columns },
    })),
    ...INNER_SIZES.map((inner) => ({ name: `${inner} inner indices at a time`, patch: { inner } })),
    ...WANTED_GROUPS.map((wantedGroups) => ({
      name: `large tiles from ${wantedGroups} workgroups`,
      patch: { wantedGroups },
    })),
  ]
  for (const { name, patch } of candidates) {
    const tried = { ...best, ...patch }
    const isKnown = areSame(tried, best) || areSame(tried, PRODUCT_SETTINGS)
    const tile = { rows: tried.mostRows, columns: tried.mostColumns }
    if (isKnown || !canRun(backend.device.limits, tile, tried.inner)) continue
    if (isOver(name)) continue
    const ms = await msOfAll(tried, name)
    if (ms < LEAST_GAIN * bestMs) [best, bestMs] = [tried, ms]
  }

  let mostDotRows = 0
  for (const shape of shapes.narrow) {
    if (isOver(`dot products of ${shape[0]} rows`)) {
      mostDotRows = Math.max(mostDotRows, PRODUCT_SETTINGS.mostDotRows)
      break
    }
    const dots = await msOf('narrow', shape, { ...best, mostDotRows: shape[0] }, 'dot products')
    const tiles = await msOf('narrow', shape, { ...best, mostDotRows: 0 }, 'tiles')
    if (!Number.isFinite(dots + tiles)) {
      mostDotRows = Math.max(mostDotRows, PRODUCT_SETTINGS.mostDotRows)
      break
    }
    if (tiles < dots) break
    mostDotRows = shape[0]
  }
  best = { ...best, mostDotRows }
  backend.products = best
  report({ kind: 'tuning', settings: { ...best }, isDefault: areSame(best, PRODUCT_SETTINGS) })
}

const areSame = (a: ProductSettings, b: ProductSettings) =>
  (Object.keys(a) as (keyof ProductSettings)[]).every((key) => a[key] === b[key])

/** Different numbers, which the adapter makes from few random ones. */
const filled = (rows: number, columns: number) =>
  tf.tidy(() => tf.mul(tf.randomUniform([rows, 1], -1, 1), tf.randomUniform([1, columns], -1, 1)))

/** How much of the rest a single product may take. */
const PORTION = 0.05

function portion(share: Share): Share {
  const atStart = share.leftMs()
  return { leftMs: () => share.leftMs() - (1 - PORTION) * atStart }
}
