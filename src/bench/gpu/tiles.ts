/**
 * Finds the settings of the matrix product that suit an adapter: how many inner indices a tile has at a time, from how many workgroups
 * on tiles are large, and up to how many rows dot products beat tiles. One setting after the other, each by the time of all products.
 */
import * as tf from '@tensorflow/tfjs-core'
import type { GpuBackend } from '../../language-model/backends/webgpu/gpu-backend.ts'
import {
  type InnerSize,
  PRODUCT_SETTINGS,
  type ProductSettings,
} from '../../language-model/backends/webgpu/matmul-code.ts'
import { repeated, type Share } from './budget.ts'
import { products } from './ceilings.ts'
import type { LeftOutRecord, TileRecord, TuningRecord } from './records.ts'

/** Rows, inner indices, columns: x · Wᵀ as layers of small and large models have it. */
type ProductShape = readonly [m: number, k: number, n: number]

export interface TileShapes {
  /** As in training and reading prompts. */
  wide: readonly ProductShape[]
  /** Few rows, as in sampling; ascending. */
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
  narrow: [8, 16, 32, 64, 128].map((rows) => [rows, 576, 1536] as const),
}

const INNER_SIZES: readonly InnerSize[] = [16, 8, 32]
const WANTED_GROUPS = [128, 32, 512]
/** A gain below three percent is noise. */
const LEAST_GAIN = 0.97
/** Bytes of a tile pair: 2 operands · 64 · inner · 4. */
const bytesOfTiles = (inner: number) => 2 * 64 * inner * 4

/** Leaves the backend with the fastest settings. A setting that the share has no time for keeps its default. */
export async function tuneProducts(
  backend: GpuBackend,
  shapes: TileShapes,
  share: Share,
  clock: () => number,
  report: (record: TileRecord | TuningRecord | LeftOutRecord) => void,
): Promise<void> {
  /** Infinity if there was time for one call only, which also compiled. */
  const msOf = async ([m, k, n]: ProductShape, settings: ProductSettings, candidate: string) => {
    backend.products = settings
    const [a, b] = [tf.randomUniform([m, k], -1, 1), tf.randomUniform([n, k], -1, 1)]
    const run = (calls: number) => products(a, b, calls, backend, true)
    const { bestMs, isWarm } = await repeated(run, portion(share), clock)
    tf.dispose([a, b])
    const gflops = (2 * m * k * n) / bestMs / 1e6
    report({ kind: 'tile', product: `${m} × ${k} · ${k} × ${n}`, candidate, gflops, isWarm })
    return isWarm ? bestMs : Infinity
  }
  const isOver = (what: string) => {
    if (share.leftMs() > 0) return false
    report({ kind: 'left out', what, why: 'The time for tuning was used up; the default stays.' })
    return true
  }

  let best = PRODUCT_SETTINGS
  let bestMs = 0
  for (const shape of shapes.wide) bestMs += await msOf(shape, best, 'default')
  const roomForTiles = backend.device.limits.maxComputeWorkgroupStorageSize
  const candidates: { name: string; settings: (from: ProductSettings) => ProductSettings }[] = [
    ...INNER_SIZES.filter((inner) => inner !== best.inner && bytesOfTiles(inner) <= roomForTiles).map((inner) => ({
      name: `${inner} inner indices at a time`,
      settings: (from: ProductSettings) => ({ ...from, inner }),
    })),
    ...WANTED_GROUPS.filter((wantedGroups) => wantedGroups !== best.wantedGroups).map((wantedGroups) => ({
      name: `large tiles from ${wantedGroups} workgroups`,
      settings: (from: ProductSettings) => ({ ...from, wantedGroups }),
    })),
  ]
  for (const { name, settings } of candidates) {
    if (isOver(name)) continue
    const tried = settings(best)
    let ms = 0
    for (const shape of shapes.wide) ms += await msOf(shape, tried, name)
    if (ms < LEAST_GAIN * bestMs) [best, bestMs] = [tried, ms]
  }

  let mostDotRows = 0
  for (const shape of shapes.narrow) {
    if (isOver(`dot products of ${shape[0]} rows`)) {
      mostDotRows = Math.max(mostDotRows, PRODUCT_SETTINGS.mostDotRows)
      break
    }
    const dots = await msOf(shape, { ...best, mostDotRows: shape[0] }, 'dot products')
    const tiles = await msOf(shape, { ...best, mostDotRows: 0 }, 'tiles')
    if (!Number.isFinite(dots + tiles)) {
      mostDotRows = Math.max(mostDotRows, PRODUCT_SETTINGS.mostDotRows)
      break
    }
    if (tiles < dots) break
    mostDotRows = shape[0]
  }
  best = { ...best, mostDotRows }
  backend.products = best
  const isDefault = (Object.keys(best) as (keyof ProductSettings)[]).every((key) => best[key] === PRODUCT_SETTINGS[key])
  report({ kind: 'tuning', settings: { ...best }, isDefault })
}

/** How much of the rest a single product may take. */
const PORTION = 0.05

function portion(share: Share): Share {
  const atStart = share.leftMs()
  return { leftMs: () => share.leftMs() - (1 - PORTION) * atStart }
}
