/**
 * The uniforms of all dispatches of a submission in one buffer, written at once: a buffer and a write for each dispatch, as in
 * TensorFlow.js, would cost more than the dispatch.
 */

/** Bytes; 256 dispatches at the usual alignment. */
const CHUNK_BYTES = 65_536

interface Chunk {
  buffer: GPUBuffer
  values: DataView<ArrayBuffer>
}

export class UniformArena {
  readonly #device: GPUDevice
  readonly #alignment: number
  readonly #chunks: Chunk[] = []
  /** Bytes used by the submission being recorded, over all chunks. */
  #used = 0

  constructor(device: GPUDevice) {
    this.#device = device
    this.#alignment = device.limits.minUniformBufferOffsetAlignment
  }

  /** Reserves `count` numbers of four bytes, to fill in before the submission, at a dynamic offset of the binding. */
  take(count: number): { binding: GPUBufferBinding; offset: number; values: DataView<ArrayBuffer> } {
    const size = Math.ceil(count / 4) * 16
    const chunk = this.#chunkAt(Math.floor(this.#used / CHUNK_BYTES))
    const offset = this.#used % CHUNK_BYTES
    this.#used += Math.ceil(size / this.#alignment) * this.#alignment
    return {
      binding: { buffer: chunk.buffer, size },
      offset,
      values: new DataView(chunk.values.buffer, offset, size),
    }
  }

  /** Writes everything taken since the last call to the device's buffers. Call it right before the submission. */
  write(queue: GPUQueue): void {
    for (let at = 0; at < this.#used; at += CHUNK_BYTES) {
      const { buffer, values } = this.#chunkAt(at / CHUNK_BYTES)
      queue.writeBuffer(buffer, 0, values.buffer, 0, Math.min(CHUNK_BYTES, this.#used - at))
    }
    this.#used = 0
  }

  dispose(): void {
    for (const { buffer } of this.#chunks) buffer.destroy()
    this.#chunks.length = 0
  }

  #chunkAt(index: number): Chunk {
    return (this.#chunks[index] ??= {
      buffer: this.#device.createBuffer({
        label: 'uniforms',
        size: CHUNK_BYTES,
        usage: GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST,
      }),
      values: new DataView(new ArrayBuffer(CHUNK_BYTES)),
    })
  }
}
