/**
 * The part of TVM's runtime that the engine uses, with a compiled small model: scopes that free their objects, tensors of a
 * host and a device, a paged key/value cache that forks, and functions that refuse what the real ones refuse.
 */
import { decodeFloats } from '../../weight-formats/decode.ts'
import { SMALL_MODEL, type CompiledModel } from './small-model.ts'

const BYTES: Record<string, number> = { float16: 2, float32: 4, int32: 4, uint32: 4 }
const PAGE = 16

export class StandInObject {
  isFree = false
  dispose(): void {
    if (this.isFree) throw new Error('An object was freed twice.')
    this.isFree = true
  }
  use(): void {
    if (this.isFree) throw new Error('An object was used after it had been freed.')
  }
}

export class StandInTensor extends StandInObject {
  readonly byteOffset = 0
  readonly shape: number[]
  readonly dtype: string
  readonly where: 'cpu' | 'gpu'
  readonly data: Uint8Array<ArrayBuffer>
  readonly #tvm: StandInTvm

  constructor(
    tvm: StandInTvm,
    shape: number[],
    dtype: string,
    where: 'cpu' | 'gpu',
    data = new Uint8Array(shape.reduce((a, b) => a * b, 1) * BYTES[dtype]!),
  ) {
    super()
    this.#tvm = tvm
    this.shape = shape
    this.dtype = dtype
    this.where = where
    this.data = data
  }

  copyFrom(source: StandInTensor | Int32Array): this {
    this.use()
    if (source instanceof StandInTensor) {
      source.use()
      if (source.data.length !== this.data.length) throw new Error('Sizes of tensors differ.')
      // A copy from the device is complete only after waiting for the device.
      if (source.where === 'gpu' && this.where === 'cpu') this.#tvm.pendingCopies.push(() => this.data.set(source.data))
      else this.data.set(source.data)
    } else {
      if (source.length * 4 !== this.data.length) throw new Error('Data size and shape mismatch.')
      this.data.set(new Uint8Array(source.buffer, source.byteOffset, source.byteLength))
    }
    return this
  }

  copyFromRawBytes(bytes: Uint8Array): this {
    this.use()
    if (bytes.length !== this.data.length) throw new Error(`Expect the data's length equals nbytes=${this.data.length}`)
    if (this.where === 'gpu' && bytes.length % 4 !== 0) throw new Error('WebGPU copies are four-byte-aligned.')
    this.data.set(bytes)
    return this
  }

  toRawBytes(): Uint8Array {
    this.use()
    if (this.where === 'gpu') throw new Error('Can only sync copy CPU array.')
    return this.data.slice()
  }

  view(shape: number[]): StandInTensor {
    this.use()
    if (shape.reduce((a, b) => a * b, 1) * BYTES[this.dtype]! !== this.data.length)
      throw new Error('A view of another size.')
    return this.#tvm.track(new StandInTensor(this.#tvm, shape, this.dtype, this.where, this.data))
  }

  getDataPtr(): number {
    return this.#tvm.pointerOf(this)
  }

  get floats(): Float32Array {
    return decodeFloats(this.data, this.dtype)
  }
}

class PagedCache extends StandInObject {
  readonly sequences = new Map<number, { read: number[][]; pages: number }>()
  readonly #mostSequences: number
  readonly #pages: number
  #forward: { sequence: number; length: number }[] | null = null

  constructor(mostSequences: number, tokens: number) {
    super()
    this.#mostSequences = mostSequences
    this.#pages = Math.ceil(tokens / PAGE)
  }

  add(sequence: number): void {
    this.use()
    if (this.sequences.has(sequence)) throw new Error(`Sequence ${sequence} is already there.`)
    this.#insert(sequence, { read: [], pages: 0 })
  }

  fork(parent: number, child: number, position: number): void {
    this.use()
    const from = this.sequences.get(parent)
    if (!from) throw new Error(`The parent sequence ${parent} is not there.`)
    if (this.sequences.has(child) || position !== -1) throw new Error('This fork cannot be made.')
    // Full pages are shared; the last one is copied to a page of the child.
    this.#insert(child, { read: [...from.read], pages: from.read.length % PAGE === 0 ? 0 : 1 })
    this.#checkPages()
  }

  begin(sequences: number[], lengths: number[]): void {
    this.use()
    if (this.#forward) throw new Error('A forward is under way already.')
    if (new Set(sequences).size !== sequences.length) throw new Error('A sequence is twice in one forward.')
    this.#forward = sequences.map((sequence, i) => ({ sequence, length: lengths[i]! }))
  }

  /** Appends embedded tokens in order. Returns what each sequence had read after each of them. */
  append(embedded: number[][]): number[][][] {
    if (!this.#forward) throw new Error('No forward has begun.')
    if (this.#forward.reduce((sum, { length }) => sum + length, 0) !== embedded.length)
      throw new Error('Another number of tokens was announced.')
    let at = 0
    const states: number[][][] = []
    for (const { sequence, length } of this.#forward) {
      const state = this.sequences.get(sequence)
      if (!state) throw new Error(`Sequence ${sequence} is not there.`)
      for (let i = 0; i < length; i++) {
        if (state.read.length % PAGE === 0) state.pages++
        state.read.push(embedded[at++]!)
        states.push([...state.read])
      }
    }
    this.#checkPages()
    return states
  }

  end(): void {
    if (!this.#forward) throw new Error('No forward has begun.')
    this.#forward = null
  }

  clear(): void {
    this.use()
    this.sequences.clear()
    this.#forward = null
  }

  #insert(sequence: number, state: { read: number[][]; pages: number }): void {
    this.sequences.set(sequence, state)
    if (this.sequences.size > this.#mostSequences) throw new Error('The cache has no room for another sequence.')
  }

  #checkPages(): void {
    const used = [...this.sequences.values()].reduce((sum, { pages }) => sum + pages, 0)
    if (used > this.#pages) throw new Error('The key/value cache has no free page.')
  }
}

export class StandInTvm {
  readonly pendingCopies: (() => void)[] = []
  readonly params: StandInTensor[]
  readonly names: string[]
  readonly rows: number[] = []
  readonly prefillChunk: number
  readonly model: CompiledModel
  readonly lib: { webGPUContext: Record<string, unknown> & { device: { lost: Promise<unknown> } } }
  readonly copied: unknown[] = []
  failLookup: readonly string[] = []
  #scopes: StandInObject[][] = []
  #loseDevice: (info: { reason: string; message: string }) => void = () => {}

  constructor(
    parameters: Map<string, { shape: number[]; dtype: string; bytes: Uint8Array }>,
    prefillChunk: number,
    model: CompiledModel = SMALL_MODEL,
  ) {
    this.prefillChunk = prefillChunk
    this.model = model
    this.names = [...parameters.keys()]
    this.params = [...parameters.values()].map(
      ({ shape, dtype, bytes }) => new StandInTensor(this, shape, dtype, 'gpu', new Uint8Array(bytes)),
    )
    const queue = { submit: (commands: (() => void)[]) => commands.forEach((run) => run()) }
    const device = {
      queue,
      addEventListener: () => {},
      lost: new Promise<{ reason: string; message: string }>((resolve) => (this.#loseDevice = resolve)),
      createCommandEncoder: () => {
        const copies: (() => void)[] = []
        return {
          copyBufferToBuffer: (
            source: { data: Uint8Array },
            from: number,
            target: StandInTensor,
            to: number,
            n: number,
          ) => copies.push(() => target.data.set(source.data.subarray(from, from + n), to)),
          finish: () => () => copies.forEach((copy) => copy()),
        }
      },
    }
    this.lib = {
      webGPUContext: {
        device,
        flushCommands: () => this.copied.push('flush'),
        gpuBufferFromPtr: (pointer: number) => this.params[pointer - 1],
      },
    }
  }

  loseDevice(message: string): void {
    this.#loseDevice({ reason: 'unknown', message })
  }

  pointerOf(tensor: StandInTensor): number {
    return this.params.indexOf(tensor) + 1
  }

  /** Objects in open scopes; must be 0 between calls. */
  get openScopes(): number {
    return this.#scopes.length
  }

  beginScope(): void {
    this.#scopes.push([])
  }

  endScope(): void {
    const scope = this.#scopes.pop()
    if (!scope) throw new Error('No scope is open.')
    for (const object of scope) if (!object.isFree) object.dispose()
  }

  detachFromCurrentScope<T>(object: T): T {
    const scope = this.#scopes.at(-1)
    const at = scope?.indexOf(object as StandInObject) ?? -1
    if (at >= 0) scope!.splice(at, 1)
    return object
  }

  track<T extends StandInObject>(object: T): T {
    const scope = this.#scopes.at(-1)
    if (!scope) throw new Error('An object was made outside of any scope.')
    scope.push(object)
    return object
  }

  makeShapeTuple(shape: number[]): { shape: number[] } {
    if (!shape.every(Number.isInteger)) throw new Error('A shape of other things than whole numbers.')
    return { shape: [...shape] }
  }

  scalar(value: number, dtype: string): { value: number; dtype: string } {
    return { value, dtype }
  }

  empty(shape: number[], dtype: string, device: unknown): StandInTensor {
    return this.track(new StandInTensor(this, [...shape], dtype, device === 'cpu' ? 'cpu' : 'gpu'))
  }

  cpu(): string {
    return 'cpu'
  }

  async sync(): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, 0))
    for (const copy of this.pendingCopies.splice(0)) copy()
  }

  get weights(): Map<string, Float32Array> {
    return new Map(this.names.map((name, i) => [name, this.params[i]!.floats]))
  }

  // ------------------------------------------------------------------------------------------------ functions

  getGlobalFunc(name: string): unknown {
    if (this.failLookup.includes(name)) throw new Error(`Cannot find global function ${name}`)
    if (name !== 'vm.builtin.kv_state_fork_sequence') throw new Error(`Cannot find global function ${name}`)
    return this.#asFunction((cache: PagedCache, parent: Id, child: Id, position: Id) =>
      cache.fork(idOf(parent), idOf(child), idOf(position)),
    )
  }

  getFunction(name: string): unknown {
    const functions: Record<string, (...args: never[]) => unknown> = {
      _metadata: () =>
        JSON.stringify({
          params: this.names.map((param, i) => ({ name: param, shape: [-1], dtype: this.params[i]!.dtype })),
        }),
      create_tir_paged_kv_cache: (sequences: Shape, tokens: Shape, chunk: Shape, page: Shape, sliding: Shape) => {
        if (chunk.shape[0] !== this.prefillChunk || page.shape[0] !== PAGE || sliding.shape[0] !== 0)
          throw new Error('A cache that the library was not compiled for.')
        return this.track(new PagedCache(sequences.shape[0]!, tokens.shape[0]!))
      },
      batch_prefill: (embedded: StandInTensor, rows: StandInTensor, cache: PagedCache) => {
        if (embedded.shape[0] !== 1 || embedded.shape[1]! > this.prefillChunk)
          throw new Error('A prefill of a wrong shape.')
        const states = this.#append(embedded, cache)
        const wanted = [...new Int32Array(rows.data.buffer)]
        return this.#logits(
          wanted.map((row) => states[row]!),
          [1, wanted.length],
        )
      },
      batch_verify: (embedded: StandInTensor, cache: PagedCache) =>
        this.#logits(this.#append(embedded, cache), [1, embedded.shape[1]!]),
      batch_decode: (embedded: StandInTensor, cache: PagedCache) => {
        if (embedded.shape[1] !== 1) throw new Error('A decode of a wrong shape.')
        return this.#logits(this.#append(embedded, cache), [embedded.shape[0]!, 1])
      },
    }
    const found = functions[name]
    if (!found || this.failLookup.includes(name)) throw new Error(`Cannot find function ${name}`)
    return this.#asFunction(found)
  }

  embed = (tokens: StandInTensor): StandInTensor => {
    tokens.use()
    if (tokens.where !== 'gpu' || tokens.dtype !== 'int32') throw new Error('Tokens belong on the device as int32.')
    const ids = new Int32Array(tokens.data.buffer)
    const rows = [...ids].map((token) => this.model.embed(this.weights, token))
    const data = new Uint8Array(Float32Array.from(rows.flat()).buffer)
    return this.track(new StandInTensor(this, [ids.length, this.model.hidden], 'float32', 'gpu', data))
  }

  #append(embedded: StandInTensor, cache: PagedCache): number[][][] {
    embedded.use()
    const values = embedded.floats
    const { hidden } = this.model
    const tokens = Array.from({ length: values.length / hidden }, (_, i) => [
      ...values.subarray(i * hidden, (i + 1) * hidden),
    ])
    return cache.append(tokens)
  }

  #logits(states: number[][][], shape: [number, number]): unknown {
    this.rows.push(states.length)
    const rows = states.map((state) => this.model.logits(this.weights, state))
    const data = new Uint8Array(Float32Array.from(rows.flatMap((row) => [...row])).buffer)
    const tensor = this.track(new StandInTensor(this, [...shape, this.model.vocabulary], 'float32', 'gpu', data))
    return { get: () => tensor, dispose: () => {} }
  }

  #asFunction(implementation: (...args: never[]) => unknown): unknown {
    return Object.assign((...args: never[]) => implementation(...args), { dispose: () => {} })
  }
}

interface Id {
  value: number
  dtype: string
}
interface Shape {
  shape: number[]
}

function idOf({ value, dtype }: Id): number {
  if (dtype !== 'int64') throw new Error('Ids of sequences are int64.')
  return value
}

export const cacheFunctions = {
  fclearKVCaches: (cache: PagedCache) => cache.clear(),
  fKVCacheAddSequence: (cache: PagedCache, sequence: Id) => cache.add(idOf(sequence)),
  fKVCacheBeginForward: (cache: PagedCache, sequences: Shape, lengths: Shape) =>
    cache.begin(sequences.shape, lengths.shape),
  fKVCacheEndForward: (cache: PagedCache) => cache.end(),
}
