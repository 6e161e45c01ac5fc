/** Allocates and frees runs of consecutive slots of a pool. Free runs are ordered, and adjacent ones are joined. */
export interface SlotRun {
  start: number
  length: number
}

export class SlotAllocator {
  #capacity: number
  #free: SlotRun[]

  /** `capacity` may be Infinity. */
  constructor(capacity: number) {
    this.#capacity = capacity
    this.#free = capacity > 0 ? [{ start: 0, length: capacity }] : []
  }

  get capacity(): number {
    return this.#capacity
  }

  get freeSlots(): number {
    return this.#free.reduce((sum, run) => sum + run.length, 0)
  }

  /** Allocates the first free run of `wanted` slots, else the longest, shorter one; null if no slot is free. */
  allocate(wanted: number): SlotRun | null {
    let best = -1
    for (const [index, run] of this.#free.entries()) {
      if (best < 0 || run.length > this.#free[best]!.length) best = index
      if (run.length >= wanted) break
    }
    const run = this.#free[best]
    if (!run) return null
    const length = Math.min(wanted, run.length)
    const taken = { start: run.start, length }
    if (length === run.length) this.#free.splice(best, 1)
    else this.#free[best] = { start: run.start + length, length: run.length - length }
    return taken
  }

  release(start: number, length: number): void {
    if (length === 0) return
    let low = 0
    let high = this.#free.length
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.#free[middle]!.start < start) low = middle + 1
      else high = middle
    }
    const before = this.#free[low - 1]
    const after = this.#free[low]
    const joinsBefore = before !== undefined && before.start + before.length === start
    const joinsAfter = after !== undefined && start + length === after.start
    if (joinsBefore && joinsAfter) {
      before.length += length + after.length
      this.#free.splice(low, 1)
    } else if (joinsBefore) before.length += length
    else if (joinsAfter) this.#free[low] = { start, length: length + after.length }
    else this.#free.splice(low, 0, { start, length })
  }

  grow(capacity: number): void {
    const added = capacity - this.#capacity
    if (added <= 0) return
    this.release(this.#capacity, added)
    this.#capacity = capacity
  }
}
