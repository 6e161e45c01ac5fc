/**
 * A safetensors file read as a stream: the header first, then each tensor in the file's order. Memory holds one tensor as 32-bit
 * floats and a window of its bytes at a time, never the file.
 */
import { ByteStream } from '../tokens/byte-stream.ts'
import type { NamedTensor } from './safetensors.ts'
import { widened } from './safetensors.ts'
import {
  BYTES_OF,
  cutInData,
  cutInHeader,
  headerLength,
  overlapping,
  parseHeader,
  PREFIX_BYTES,
  type SafetensorsHeader,
  type TensorEntry,
} from './safetensors-header.ts'

/** Bytes of a tensor to widen at once. */
const WINDOW_BYTES = 1 << 22

export class SafetensorsStream {
  readonly header: SafetensorsHeader
  readonly #bytes: ByteStream
  readonly #source: string

  private constructor(header: SafetensorsHeader, bytes: ByteStream, source: string) {
    this.header = header
    this.#bytes = bytes
    this.#source = source
  }

  /** Reads the header. `source` names the file in errors. Throws SafetensorsError, or what `pieces` throws. */
  static async open(pieces: AsyncIterable<Uint8Array>, source: string): Promise<SafetensorsStream> {
    const bytes = new ByteStream(pieces)
    const prefix = new Uint8Array(PREFIX_BYTES)
    const read = await bytes.fill(prefix)
    try {
      const header = new Uint8Array(headerLength(prefix.subarray(0, read), source))
      const filled = await bytes.fill(header)
      if (filled < header.length) throw cutInHeader(source, header.length - filled)
      return new SafetensorsStream(parseHeader(header, source), bytes, source)
    } catch (error) {
      await bytes.close()
      throw error
    }
  }

  /** Reads the wanted tensors in the file's order; call it once. The caller owns the values. Throws SafetensorsError, or what the stream throws. */
  async *tensors(isWanted: (name: string) => boolean): AsyncGenerator<readonly [string, NamedTensor]> {
    const inOrder = this.header.entries.filter(({ name }) => isWanted(name)).sort((a, b) => a.start - b.start)
    let position = 0
    const missing = (): Error => cutInData(this.#source, this.header.dataBytes - position)
    try {
      for (const entry of inOrder) {
        if (entry.start < position) throw overlapping(this.#source, entry.name)
        const skipped = await this.#bytes.skip(entry.start - position)
        position += skipped
        if (position < entry.start) throw missing()
        const values = await this.#values(entry, (count) => {
          position += count
        })
        if (values === null) throw missing()
        yield [entry.name, { shape: entry.shape, values }]
      }
    } finally {
      await this.#bytes.close()
    }
  }

  close(): Promise<void> {
    return this.#bytes.close()
  }

  /** Null if the stream ends early. */
  async #values({ dtype, start, end }: TensorEntry, onBytes: (count: number) => void): Promise<Float32Array | null> {
    const values = new Float32Array((end - start) / BYTES_OF[dtype])
    if (dtype === 'F32') {
      const filled = await this.#bytes.fill(new Uint8Array(values.buffer))
      onBytes(filled)
      return filled < end - start ? null : values
    }
    const window = new Uint8Array(Math.min(WINDOW_BYTES, end - start))
    for (let at = start; at < end; at += window.length) {
      const part = window.subarray(0, end - at)
      const filled = await this.#bytes.fill(part)
      onBytes(filled)
      if (filled < part.length) return null
      values.set(widened(part, dtype), (at - start) / BYTES_OF[dtype])
    }
    return values
  }
}
