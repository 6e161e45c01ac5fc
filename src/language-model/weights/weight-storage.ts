/**
 * How frozen weights are stored in memory: as 32-bit floats, in half precision, or in four bits.
 *
 * Four bits cut a row into groups of 32 weights, each a block of five words: four words of eight codes, lowest bits first, and the
 * group's float32 scale. A weight thus takes 5 bits, 0.16 of 32:
 *
 *     w = (code − 7) · s,   s = max |w| / 7 over the group        (MLC's q4f32_1, scales beside their codes)
 */
import type { ModelConfig } from '../files/config.ts'
import { dequantizeGroups, GROUP, quantizeGroups } from './group-quantization.ts'
import { parameterShapes } from './parameters.ts'

export const WEIGHT_STORAGES = ['float32', 'float16', 'four-bit'] as const
export type WeightStorage = (typeof WEIGHT_STORAGES)[number]

/** Words of a group: its codes and its scale. */
export const BLOCK_WORDS = 5
const CODE_WORDS = BLOCK_WORDS - 1

/** A matrix in four bits, [rows · columns / 32] blocks, row by row. */
export type FourBitBlocks = Int32Array<ArrayBuffer>

/** Whether a weight of this shape can be stored in four bits: a matrix whose rows are whole groups. Others stay floats. */
export function isFourBitShape(shape: readonly number[]): boolean {
  return shape.length === 2 && shape[1]! % GROUP === 0
}

/** weights[rows, columns], columns a multiple of 32. */
export function fourBitBlocks(weights: Float32Array, [rows, columns]: readonly [number, number]): FourBitBlocks {
  const { words, scales } = quantizeGroups(weights, rows, columns, 'float32')
  const blocks = new Int32Array(scales.length * BLOCK_WORDS)
  const scaleBits = new Int32Array(scales.buffer)
  for (let group = 0; group < scales.length; group++) {
    const [from, to] = [group * CODE_WORDS, group * BLOCK_WORDS]
    for (let i = 0; i < CODE_WORDS; i++) blocks[to + i] = words[from + i]!
    blocks[to + CODE_WORDS] = scaleBits[group]!
  }
  return blocks
}

/** The weights that kernels compute with, row by row. */
export function floatsOfBlocks(blocks: Int32Array): Float32Array {
  const groups = blocks.length / BLOCK_WORDS
  const words = new Uint32Array(groups * CODE_WORDS)
  const scaleBits = new Int32Array(groups)
  for (let group = 0; group < groups; group++) {
    const from = group * BLOCK_WORDS
    for (let i = 0; i < CODE_WORDS; i++) words[group * CODE_WORDS + i] = blocks[from + i]!
    scaleBits[group] = blocks[from + CODE_WORDS]!
  }
  const scales = new Float32Array(scaleBits.buffer)
  return dequantizeGroups({ words, wordsShape: [groups, CODE_WORDS], scales, scalesShape: [groups, 1] }, GROUP)
}

/** Bytes of a model's weights, counting those that stay in single precision as such. */
export function weightBytes(config: ModelConfig, storage: WeightStorage): number {
  return parameterShapes(config).reduce((bytes, { shape }) => bytes + bytesOfWeight(shape, storage), 0)
}

function bytesOfWeight(shape: readonly number[], storage: WeightStorage): number {
  const size = shape.reduce((product, side) => product * side, 1)
  if (storage === 'four-bit' && isFourBitShape(shape)) return (4 * BLOCK_WORDS * size) / GROUP
  return storage === 'float16' && shape.length > 1 ? 2 * size : 4 * size
}
