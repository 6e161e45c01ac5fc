/** Reads bytes in any amounts from a stream of pieces of any size. */
export class ByteStream {
  readonly #pieces: AsyncIterator<Uint8Array>
  #piece: Uint8Array = new Uint8Array(0)

  constructor(pieces: AsyncIterable<Uint8Array>) {
    this.#pieces = pieces[Symbol.asyncIterator]()
  }

  /** Fills `target` and returns the number of bytes read, which is less than its length only at the stream's end. */
  async fill(target: Uint8Array): Promise<number> {
    let filled = 0
    while (filled < target.length) {
      const part = await this.#next(target.length - filled)
      if (part === null) break
      target.set(part, filled)
      filled += part.length
    }
    return filled
  }

  /** Skips `count` bytes and returns the number skipped, which is less only at the stream's end. */
  async skip(count: number): Promise<number> {
    let skipped = 0
    while (skipped < count) {
      const part = await this.#next(count - skipped)
      if (part === null) break
      skipped += part.length
    }
    return skipped
  }

  /** Abandons the rest, which ends a download. */
  async close(): Promise<void> {
    await this.#pieces.return?.()
  }

  async #next(most: number): Promise<Uint8Array | null> {
    while (this.#piece.length === 0) {
      const next = await this.#pieces.next()
      if (next.done) return null
      this.#piece = next.value
    }
    const part = this.#piece.subarray(0, most)
    this.#piece = this.#piece.subarray(part.length)
    return part
  }
}
