/** 16-bit floats to and from 32 bits: IEEE half (f16) and the upper half of a float (bf16), both rounded to nearest, ties to even. */

const bits = new Uint32Array(1)
const value = new Float32Array(bits.buffer)

/** All 65 536 halves, computed on first use. */
let halves: Float32Array | null = null

export function float32FromFloat16(source: Uint16Array): Float32Array {
  const table = (halves ??= Float32Array.from({ length: 1 << 16 }, (_, half) => decodeHalf(half)))
  const widened = new Float32Array(source.length)
  for (let i = 0; i < source.length; i++) widened[i] = table[source[i]!]!
  return widened
}

export function float32FromBfloat16(source: Uint16Array): Float32Array {
  const widened = new Uint32Array(source.length)
  for (let i = 0; i < source.length; i++) widened[i] = source[i]! << 16
  return new Float32Array(widened.buffer)
}

export function float16FromFloat32(source: Float32Array): Uint16Array {
  return Uint16Array.from(source, encodeHalf)
}

export function bfloat16FromFloat32(source: Float32Array): Uint16Array {
  const words = new Uint32Array(source.buffer, source.byteOffset, source.length)
  return Uint16Array.from(words, (word) => {
    const isNaN = (word & 0x7fffffff) > 0x7f800000
    return isNaN ? (word >>> 16) | 0x40 : (word + 0x7fff + ((word >>> 16) & 1)) >>> 16
  })
}

function decodeHalf(half: number): number {
  const sign = half & 0x8000 ? -1 : 1
  const exponent = (half >> 10) & 0x1f
  const fraction = half & 0x3ff
  if (exponent === 0x1f) return fraction ? NaN : sign * Infinity
  return exponent === 0 ? sign * fraction * 2 ** -24 : sign * (1 + fraction / 1024) * 2 ** (exponent - 15)
}

function encodeHalf(number: number): number {
  value[0] = number
  const sign = (bits[0]! >>> 16) & 0x8000
  const magnitude = Math.abs(number)
  if (Number.isNaN(number)) return sign | 0x7e00
  if (magnitude >= 65520) return sign | 0x7c00
  if (magnitude < 2 ** -14) return sign | roundToEven(magnitude * 2 ** 24)
  const exponent = ((bits[0]! >>> 23) & 0xff) - 127
  // A fraction that rounds up to 1024 correctly carries into the exponent.
  return sign | (((exponent + 15) << 10) + roundToEven((magnitude / 2 ** exponent - 1) * 1024))
}

function roundToEven(x: number): number {
  const floor = Math.floor(x)
  const rest = x - floor
  return rest > 0.5 || (rest === 0.5 && floor % 2 === 1) ? floor + 1 : floor
}
