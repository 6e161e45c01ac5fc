/**
 * MLC's group quantisation to four bits (q4f16_1, q4f32_1), along the rows of a matrix [rows, columns]:
 *
 *     s = max |w| / 7 over 32 neighbours,   code = clamp(round(w / s + 7), 0, 14),   w ≈ (code − 7) · s
 *
 * Code k of a row is in bits 4·(k mod 8) of word ⌊k / 8⌋. Every operation is rounded to the model's type, as in a compiled
 * kernel of that type, and `round` rounds halves away from zero, as LLVM does. A group whose scale is zero has codes 7, so it
 * dequantises to zeros.
 *
 * Only for models that do not learn: rounding loses most of an update smaller than a tenth of the weights' norm.
 */
import { float16FromFloat32, float32FromFloat16 } from './half-precision.ts'

/** Weights that share a scale. */
export const GROUP = 32
const CODES_PER_WORD = 8
const MIDDLE = 7

export type QuantizedType = 'float16' | 'float32'

export interface QuantizedMatrix {
  /** [rows, 4 · ⌈columns / 32⌉] */
  words: Uint32Array
  wordsShape: [number, number]
  /** [rows, ⌈columns / 32⌉]; numbers of the model's type, widened. */
  scales: Float32Array
  scalesShape: [number, number]
}

export function quantizeGroups(
  weights: Float32Array,
  rows: number,
  columns: number,
  type: QuantizedType,
): QuantizedMatrix {
  const groups = Math.ceil(columns / GROUP)
  const wordsPerRow = (groups * GROUP) / CODES_PER_WORD
  const words = new Uint32Array(rows * wordsPerRow)
  const scales = new Float32Array(rows * groups)
  const rounded = type === 'float16' ? float32FromFloat16(float16FromFloat32(weights)) : weights
  const round = type === 'float16' ? roundToHalf : Math.fround
  for (let row = 0; row < rows; row++) {
    for (let group = 0; group < groups; group++) {
      const first = row * columns + group * GROUP
      const last = row * columns + Math.min(columns, (group + 1) * GROUP)
      let largest = 0
      for (let at = first; at < last; at++) largest = Math.max(largest, Math.abs(rounded[at]!))
      const scale = round(largest / MIDDLE)
      scales[row * groups + group] = scale
      for (let at = first; at < last; at++) {
        const scaled = scale === 0 ? MIDDLE : round(round(rounded[at]! / scale) + MIDDLE)
        const code = Math.min(2 * MIDDLE, Math.max(0, Math.floor(scaled + 0.5)))
        const column = at - row * columns
        const word = row * wordsPerRow + Math.floor(column / CODES_PER_WORD)
        words[word] = (words[word]! | (code << (4 * (column % CODES_PER_WORD)))) >>> 0
      }
    }
  }
  return { words, wordsShape: [rows, wordsPerRow], scales, scalesShape: [rows, groups] }
}

/** The weights that kernels compute with; [rows, columns]. */
export function dequantizeGroups(quantized: QuantizedMatrix, columns: number): Float32Array {
  const {
    words,
    scales,
    wordsShape: [rows, wordsPerRow],
    scalesShape: [, groups],
  } = quantized
  const weights = new Float32Array(rows * columns)
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      const word = words[row * wordsPerRow + Math.floor(column / CODES_PER_WORD)]!
      const code = (word >>> (4 * (column % CODES_PER_WORD))) & 15
      weights[row * columns + column] = (code - MIDDLE) * scales[row * groups + Math.floor(column / GROUP)]!
    }
  }
  return weights
}

const one = new Float32Array(1)

/**
 * Rounds to the nearest 16-bit number, ties to even. Rounding to 32 bits first is harmless: for a quotient or sum of two halves, 24
 * bits are more than twice the 11 of a half, so rounding twice gives the same result.
 */
function roundToHalf(value: number): number {
  const magnitude = Math.abs(value)
  if (magnitude === 0 || magnitude >= 65504) {
    one[0] = value
    return float32FromFloat16(float16FromFloat32(one))[0]!
  }
  // Eleven bits of fraction, or steps of 2^-24 below 2^-14.
  const step = Math.max(2 ** -24, 2 ** (Math.floor(Math.log2(magnitude)) - 10))
  const steps = magnitude / step
  const floor = Math.floor(steps)
  const rest = steps - floor
  const whole = rest > 0.5 || (rest === 0.5 && floor % 2 === 1) ? floor + 1 : floor
  return Math.sign(value) * whole * step
}
