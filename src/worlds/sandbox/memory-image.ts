/**
 * The state to which a machine is restored: its mutable globals, and of its memory the static data and the used heap. The build lays
 * its memory out as
 *
 *     static data | stack, which grows down | heap
 */
import { EngineError } from './guest-errors.ts'

/** The build's own stack (STACK_SIZE=5MB), between the static data and the heap. */
const SHADOW_STACK_BYTES = 5 * 2 ** 20
/** malloc takes a block of this size from beyond everything in use. */
export const UNTOUCHED_BYTES = 2 ** 16

interface Part {
  at: number
  bytes: Uint8Array
}

type Global = WebAssembly.Global<'i32'>

export class MemoryImage {
  readonly #memory: WebAssembly.Memory
  #globals: readonly { global: Global; value: number }[]
  #parts: readonly Part[]

  /**
   * Takes the image. `untouched` is the address of a block of UNTOUCHED_BYTES that was allocated and freed. Throws EngineError if
   * the memory is laid out differently.
   */
  constructor(memory: WebAssembly.Memory, globals: readonly Global[], untouched: number) {
    this.#memory = memory
    this.#globals = globals.map((global) => ({ global, value: global.value }))
    const bytes = new Uint8Array(memory.buffer)
    const staticEnd = this.heapStart - SHADOW_STACK_BYTES
    // malloc's bookkeeping is shortly after the block.
    const notes = bytes.subarray(untouched + UNTOUCHED_BYTES, untouched + 4 * UNTOUCHED_BYTES)
    const heapEnd = untouched + UNTOUCHED_BYTES + notes.findLastIndex((byte) => byte !== 0) + 1
    const unusedStack = bytes.subarray(staticEnd, staticEnd + UNTOUCHED_BYTES)
    if (staticEnd <= 0 || untouched <= this.heapStart || unusedStack.some((byte) => byte !== 0))
      throw new EngineError('The engine lays its memory out in another way than this version of the judge knows.')
    this.#parts = this.#copy(heapEnd)
  }

  /** The heap begins above the stack, whose pointer is the module's only mutable global. */
  get heapStart(): number {
    return this.#globals[0]?.value ?? 0
  }

  restore(): void {
    const memory = new Uint8Array(this.#memory.buffer)
    for (const { at, bytes } of this.#parts) memory.set(bytes, at)
    for (const { global, value } of this.#globals) global.value = value
  }

  /** Takes the image again. Memory that was never used is still zero, which shows where the heap ends. */
  keep(): void {
    // Word by word, because there are sixteen million bytes.
    const words = new Int32Array(this.#memory.buffer)
    let used = words.length
    while (used > 0 && words[used - 1] === 0) used--
    this.#parts = this.#copy(used * Int32Array.BYTES_PER_ELEMENT)
    this.#globals = this.#globals.map(({ global }) => ({ global, value: global.value }))
  }

  /** The memory of the image as it is now. */
  present(): Uint8Array {
    const memory = new Uint8Array(this.#memory.buffer)
    const parts = this.#parts.map(({ at, bytes }) => memory.slice(at, at + bytes.length))
    return Uint8Array.from(parts.flatMap((part) => [...part]))
  }

  /** Static data and heap. */
  #copy(heapEnd: number): Part[] {
    const memory = new Uint8Array(this.#memory.buffer)
    return [
      { at: 0, bytes: memory.slice(0, this.heapStart - SHADOW_STACK_BYTES) },
      { at: this.heapStart, bytes: memory.slice(this.heapStart, heapEnd) },
    ]
  }
}
