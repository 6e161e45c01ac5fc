/**
 * Bind groups by what they bind. Making one takes longer than the rest of a dispatch. A decode step binds what the step before bound if it
 * gets the same buffers, so the free ones are put into one order after each submission.
 */

/** Bound groups of more programs and buffers than a step uses; then all are made again. */
const MOST_GROUPS = 16_384

export class BindGroups {
  readonly #device: GPUDevice
  readonly #groups = new Map<string, GPUBindGroup>()
  readonly #ids = new WeakMap<object, number>()
  #nextId = 0

  constructor(device: GPUDevice) {
    this.#device = device
  }

  /** Binds the buffers in order, whole, and then `uniforms`, of which a dispatch sets the offset. */
  get(layout: GPUBindGroupLayout, buffers: readonly GPUBuffer[], uniforms: GPUBufferBinding): GPUBindGroup {
    let key = `${this.#idOf(layout)} ${this.#idOf(uniforms.buffer)}`
    for (const buffer of buffers) key += ` ${this.#idOf(buffer)}`
    const known = this.#groups.get(key)
    if (known) return known
    if (this.#groups.size >= MOST_GROUPS) this.clear()
    const resources: GPUBufferBinding[] = [...buffers.map((buffer) => ({ buffer })), uniforms]
    const made = this.#device.createBindGroup({
      layout,
      entries: resources.map((resource, binding) => ({ binding, resource })),
    })
    this.#groups.set(key, made)
    return made
  }

  /** Forgets all groups: while one is known, a buffer that it binds may keep its memory even when destroyed. */
  clear(): void {
    this.#groups.clear()
  }

  /** Puts free buffers in an order that does not depend on the order in which they were freed; the last one is taken first. */
  order(free: GPUBuffer[]): void {
    free.sort((a, b) => this.#idOf(b) - this.#idOf(a))
  }

  #idOf(bound: object): number {
    let id = this.#ids.get(bound)
    if (id === undefined) this.#ids.set(bound, (id = this.#nextId++))
    return id
  }
}
