/** The part of the protocol-buffer wire format that ONNX files need: numbers, floats, bytes and messages, each with a field number. */
import { joinArrays } from '../../../method/join-arrays.ts'

const VARINT = 0
const LENGTH_DELIMITED = 2
const FIXED32 = 5

export class Message {
  readonly #parts: Uint8Array[] = []
  #byteLength = 0

  get byteLength(): number {
    return this.#byteLength
  }

  integer(field: number, value: number): this {
    this.#varint((field << 3) | VARINT)
    this.#varint(value)
    return this
  }

  float(field: number, value: number): this {
    this.#varint((field << 3) | FIXED32)
    const bytes = new Uint8Array(4)
    new DataView(bytes.buffer).setFloat32(0, value, true)
    this.#append(bytes)
    return this
  }

  bytes(field: number, value: Uint8Array): this {
    this.#varint((field << 3) | LENGTH_DELIMITED)
    this.#varint(value.length)
    this.#append(value)
    return this
  }

  text(field: number, value: string): this {
    return this.bytes(field, new TextEncoder().encode(value))
  }

  message(field: number, value: Message): this {
    this.#varint((field << 3) | LENGTH_DELIMITED)
    this.#varint(value.byteLength)
    for (const part of value.#parts) this.#append(part)
    return this
  }

  encode(): Uint8Array {
    return joinArrays(Uint8Array, this.#parts)
  }

  /** Writes seven bits per byte, lowest first, of a whole number from 0 to 2^53. */
  #varint(value: number): void {
    if (!Number.isSafeInteger(value) || value < 0)
      throw new RangeError(`${value} is not a whole number that this format supports.`)
    const bytes: number[] = []
    let rest = value
    do {
      const low = rest % 128
      rest = Math.floor(rest / 128)
      bytes.push(rest > 0 ? low + 128 : low)
    } while (rest > 0)
    this.#append(Uint8Array.from(bytes))
  }

  #append(part: Uint8Array): void {
    this.#parts.push(part)
    this.#byteLength += part.length
  }
}
