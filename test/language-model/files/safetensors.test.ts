import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  bfloat16FromFloat32,
  float16FromFloat32,
  float32FromBfloat16,
  float32FromFloat16,
} from '../../../src/language-model/weights/half-precision.ts'
import { readSafetensors, SafetensorsError, writeSafetensors } from '../../../src/language-model/files/safetensors.ts'

const file = {
  metadata: { format: 'pt', note: 'ä' },
  tensors: new Map([
    ['a.weight', { shape: [2, 3], values: Float32Array.of(1, -2, 3.5, 0, 1e-3, 1e9) }],
    ['b', { shape: [], values: Float32Array.of(7) }],
    ['empty', { shape: [0, 4], values: new Float32Array(0) }],
  ]),
}

function withHeader(header: unknown, data = 0): Uint8Array {
  const json = new TextEncoder().encode(typeof header === 'string' ? header : JSON.stringify(header))
  const bytes = new Uint8Array(8 + json.length + data)
  new DataView(bytes.buffer).setBigUint64(0, BigInt(json.length), true)
  bytes.set(json, 8)
  return bytes
}

describe('safetensors', () => {
  test('reads what it wrote, at any memory offset', () => {
    const bytes = writeSafetensors(file)
    const shifted = new Uint8Array(bytes.length + 3)
    shifted.set(bytes, 3)
    expect(readSafetensors(shifted.subarray(3), 'test')).toEqual(file)
  })

  test.each(['F16', 'BF16'] as const)('%s keeps its precision', (dtype) => {
    const { tensors } = readSafetensors(writeSafetensors(file, dtype), 'test')
    expect(Array.from(tensors.get('a.weight')!.values.slice(0, 4))).toEqual([1, -2, 3.5, 0])
    expect(tensors.get('a.weight')!.values[4]).toBeCloseTo(1e-3, 5)
  })

  test.each<[string, () => Uint8Array, RegExp]>([
    [
      'a truncated file',
      () => writeSafetensors(file).slice(0, -5),
      /"m" is 5 bytes short: the file was cut, for example by an interrupted download\. Load it again/,
    ],
    ['a file truncated in its header', () => writeSafetensors(file).slice(0, 40), /cut off inside its header/],
    ['an empty file', () => new Uint8Array(0), /has 0 bytes/],
    [
      'a web page instead of a file',
      () => new TextEncoder().encode('<!doctype html><html></html>'),
      /not a safetensors file/,
    ],
    ['a header that is not JSON', () => withHeader('{nonsense'), /not JSON/],
    ['a header of another format', () => withHeader({ a: { dtype: 'F32' } }), /does not follow the format \(a/],
    [
      'quantised weights',
      () => withHeader({ a: { dtype: 'I8', shape: [2], data_offsets: [0, 2] } }, 2),
      /holds "a" as I8.*not quantised/,
    ],
    [
      'a shape that does not fit its bytes',
      () => withHeader({ a: { dtype: 'F32', shape: [3], data_offsets: [0, 8] } }, 8),
      /8 bytes instead of 12/,
    ],
  ])('refuses %s with advice', (_, bytes, message) => {
    expect(() => readSafetensors(bytes(), 'm')).toThrow(SafetensorsError)
    expect(() => readSafetensors(bytes(), 'm')).toThrow(message)
  })
})

describe('16-bit floats', () => {
  test('every half and bfloat survives conversion to 32 bits and back', () => {
    const all = Uint16Array.from({ length: 1 << 16 }, (_, i) => i)
    const numbers = (floats: Float32Array) => all.filter((_, i) => !Number.isNaN(floats[i]!))
    const halves = float32FromFloat16(all)
    const narrowed = float16FromFloat32(halves)
    expect(all.filter((half, i) => !Number.isNaN(halves[i]!) && narrowed[i] !== half)).toEqual(new Uint16Array(0))
    const bfloats = float32FromBfloat16(all)
    const renarrowed = bfloat16FromFloat32(bfloats)
    expect(all.filter((bfloat, i) => !Number.isNaN(bfloats[i]!) && renarrowed[i] !== bfloat)).toEqual(
      new Uint16Array(0),
    )
    expect(numbers(halves).length).toBe(65536 - 2 * 1023)
  })

  test('other numbers round to the nearest', () => {
    fc.assert(
      fc.property(fc.float({ noNaN: true, min: -60000, max: 60000 }), (x) => {
        const [half] = float32FromFloat16(float16FromFloat32(Float32Array.of(x)))
        const [bfloat] = float32FromBfloat16(bfloat16FromFloat32(Float32Array.of(x)))
        expect(Math.abs(half! - x)).toBeLessThanOrEqual(Math.max(2 ** -25, Math.abs(x) * 2 ** -11))
        expect(Math.abs(bfloat! - x)).toBeLessThanOrEqual(Math.max(2 ** -133, Math.abs(x) * 2 ** -8))
      }),
    )
    expect(Array.from(float32FromFloat16(float16FromFloat32(Float32Array.of(65519, 65520, -Infinity, NaN))))).toEqual([
      65504,
      Infinity,
      -Infinity,
      NaN,
    ])
  })
})
