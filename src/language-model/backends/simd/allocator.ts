/** Every address is a multiple of this: a cache line, which also suits 16-byte vectors. */
const ALIGNMENT = 64
/** The module's own constants are below; nothing is allocated there. */
const RESERVED_BYTES = 1 << 16
const PAGE_BYTES = 1 << 16
const BINS_PER_DOUBLING = 4

interface Block {
  start: number
  size: number
  isFree: boolean
  /** Neighbours by address. */
  before: Block | null
  after: Block | null
  /** Neighbours in the free list of its size class. */
  previousFree: Block | null
  nextFree: Block | null
}

/** A backend's memory is full: the browser grants no more WebAssembly memory. */
export class OutOfMemoryError extends Error {
  override name = 'OutOfMemoryError'
}

/**
 * Allocates blocks of one WebAssembly memory: free lists by size class (four to each doubling); larger blocks are split, and freed
 * blocks are joined with their free neighbours. A training step thus reuses the blocks of the step before it, even when ragged
 * batches make every size a little different.
 *
 * The memory grows when nothing fits. Growing detaches every typed array over it, so views are created anew (see SimdTensorData);
 * only `allocate` grows, and no code holds a view across it.
 */
export class Allocator {
  readonly memory: WebAssembly.Memory
  #bins: (Block | null)[] = []
  #used = new Map<number, Block>()
  #last: Block | null = null
  #bytesInUse = 0

  constructor(memory: WebAssembly.Memory) {
    this.memory = memory
    this.#append(RESERVED_BYTES, memory.buffer.byteLength - RESERVED_BYTES)
  }

  get bytesInUse(): number {
    return this.#bytesInUse
  }

  get bytesReserved(): number {
    return this.memory.buffer.byteLength
  }

  /** Returns the address of `bytes` bytes of undefined content. Throws OutOfMemoryError. */
  allocate(bytes: number): number {
    const size = Math.max(ALIGNMENT, Math.ceil(bytes / ALIGNMENT) * ALIGNMENT)
    let block = this.#find(size)
    if (!block) {
      this.#grow(size)
      block = this.#find(size)!
    }
    this.#unlink(block)
    if (block.size - size >= ALIGNMENT) this.#split(block, size)
    block.isFree = false
    this.#used.set(block.start, block)
    this.#bytesInUse += block.size
    return block.start
  }

  free(address: number): void {
    const block = this.#used.get(address)
    if (!block) throw new RangeError(`Address ${address} was freed twice or never allocated.`)
    this.#used.delete(address)
    this.#bytesInUse -= block.size
    block.isFree = true
    if (block.after?.isFree) this.#absorbNext(block)
    if (block.before?.isFree) {
      const merged = block.before
      this.#unlink(merged)
      this.#join(merged)
      this.#link(merged)
    } else this.#link(block)
  }

  #find(size: number): Block | null {
    const own = binOf(size)
    // A block of its own class may be too small; in any higher class the first fits.
    for (let block = this.#bins[own] ?? null; block; block = block.nextFree) if (block.size >= size) return block
    for (let bin = own + 1; bin < this.#bins.length; bin++) if (this.#bins[bin]) return this.#bins[bin]!
    return null
  }

  #split(block: Block, size: number): void {
    const rest: Block = {
      start: block.start + size,
      size: block.size - size,
      isFree: true,
      before: block,
      after: block.after,
      previousFree: null,
      nextFree: null,
    }
    if (block.after) block.after.before = rest
    else this.#last = rest
    block.after = rest
    block.size = size
    this.#link(rest)
  }

  #absorbNext(block: Block): void {
    this.#unlink(block.after!)
    this.#join(block)
  }

  /** Joins a block with the one after it; neither is in a free list. */
  #join(block: Block): void {
    const next = block.after!
    block.size += next.size
    block.after = next.after
    if (next.after) next.after.before = block
    else this.#last = block
  }

  #link(block: Block): void {
    const bin = binOf(block.size)
    while (this.#bins.length <= bin) this.#bins.push(null)
    block.previousFree = null
    block.nextFree = this.#bins[bin]!
    if (block.nextFree) block.nextFree.previousFree = block
    this.#bins[bin] = block
  }

  #unlink(block: Block): void {
    if (block.previousFree) block.previousFree.nextFree = block.nextFree
    else this.#bins[binOf(block.size)] = block.nextFree
    if (block.nextFree) block.nextFree.previousFree = block.previousFree
    block.previousFree = block.nextFree = null
  }

  #append(start: number, size: number): void {
    if (this.#last?.isFree) {
      this.#unlink(this.#last)
      this.#last.size += size
      this.#link(this.#last)
      return
    }
    const block: Block = {
      start,
      size,
      isFree: true,
      before: this.#last,
      after: null,
      previousFree: null,
      nextFree: null,
    }
    if (this.#last) this.#last.after = block
    this.#last = block
    this.#link(block)
  }

  #grow(size: number): void {
    const end = this.bytesReserved
    const wanted = Math.max(size, end >> 2, 1 << 24)
    for (const bytes of [wanted, size]) {
      const pages = Math.ceil(bytes / PAGE_BYTES)
      try {
        this.memory.grow(pages)
      } catch {
        continue
      }
      this.#append(end, pages * PAGE_BYTES)
      return
    }
    throw new OutOfMemoryError(
      `${(size / 2 ** 20).toFixed(1)} MB more do not fit: ${(this.#bytesInUse / 2 ** 20).toFixed(0)} MB of ${(end / 2 ** 20).toFixed(0)} MB are in use and the memory cannot grow. Use a smaller batch or model.`,
    )
  }
}

function binOf(size: number): number {
  const doubling = 31 - Math.clz32(size / ALIGNMENT)
  const base = ALIGNMENT * 2 ** doubling
  return doubling * BINS_PER_DOUBLING + Math.floor(((size - base) / base) * BINS_PER_DOUBLING)
}
