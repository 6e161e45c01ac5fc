/**
 * One QuickJS in one WebAssembly instance, as it was before any program ran, again and again:
 *
 *     boot      runtime, context and prelude; then an image of the memory that is in use and of every mutable global
 *     restore   image → memory and globals       (a quarter of a megabyte, some 10 µs)
 *
 * A fresh context for every run is usual, and shares an allocator, interned strings and shapes with those before it; here
 * nothing is left to share, because there is no byte that the last program wrote. Freeing is restoring, so nothing leaks,
 * after a trap in the middle of an allocation as little as after a clean end.
 *
 * Not restored, because nobody reads it: the dead part of the stack, and the heap beyond what was in use. A memory that has
 * grown does not shrink, and would let a later program allocate without the steps of growing: such a machine is spent, as
 * is one whose engine trapped by itself.
 *
 * The guest has no host objects: no function of the host is among its values, and of what the engine imports only the
 * growing of memory does anything.
 */
import loadQuickJs from '@jitl/quickjs-wasmfile-release-sync/emscripten-module'
import { QuickJSFFI } from '@jitl/quickjs-wasmfile-release-sync/ffi'
import { GUEST_PRELUDE } from './guest-prelude.ts'
import { FUEL_EXPORT, FULL, GLOBAL_PREFIX, STACK_EXPORT } from './metering.ts'

/** The build's own stack (STACK_SIZE=5MB), right below the heap and right above the static data. */
const SHADOW_STACK_BYTES = 5 * 2 ** 20
const PAGE_BYTES = 2 ** 16
/** 16 MB, 10 of them heap: a program that stays within does not cost its machine. */
const INITIAL_PAGES = 256
const UNTOUCHED_BYTES = PAGE_BYTES

/** Of the heap. The first time that it grows it grows to the limit, and the engine grows memory by a fifth at least. */
export const MEMORY_LIMITS = { least: 16 * 2 ** 20, most: 256 * 2 ** 20 }

/**
 * Of the thread's stack, as metering.ts counts it: a worker in Chromium has 512,000 bytes, some of them taken by whoever
 * called the judge. About 1,000 plain calls of a function within one another.
 */
const STACK_BYTES = 450_000

/** Units for what the judge itself does in the guest: reading arguments, describing an error. */
const HOUSEKEEPING_FUEL = FULL

/** Where a value of the guest lies. Valid until the machine is restored. */
export type GuestValue = ReturnType<QuickJSFFI['QTS_NewString']>
type Runtime = ReturnType<QuickJSFFI['QTS_NewRuntime']>
type Context = ReturnType<QuickJSFFI['QTS_NewContext']>
type QuickJsModule = Awaited<ReturnType<typeof loadQuickJs>>

/** What the guest threw. Valid until the machine is restored. */
export class GuestError extends Error {
  readonly thrown: GuestValue

  constructor(thrown: GuestValue) {
    super('The guest threw.')
    this.thrown = thrown
  }
}

type Exhausted = 'fuel' | 'stack' | 'memory'

/** The guest ran out of something, and was stopped where it was. */
export class ExhaustedError extends Error {
  readonly what: Exhausted

  constructor(what: Exhausted) {
    super(`The guest ran out of ${what}.`)
    this.what = what
  }
}

/** The engine itself failed: a trap that no counter set off. */
export class EngineError extends Error {}

type PromiseState = 'none' | 'pending' | 'fulfilled' | 'rejected'

interface Part {
  at: number
  bytes: Uint8Array
}

const PRELUDE_FUNCTIONS = ['begin', 'invoke', 'encode', 'output', 'describe'] as const
type PreludeFunction = (typeof PRELUDE_FUNCTIONS)[number]

const COMPILE_ONLY = 1 << 5
/** Everything but Date (bit 1). */
const INTRINSICS = 0xfff & ~2

export class Machine {
  readonly #memory: WebAssembly.Memory
  readonly #module: QuickJsModule
  readonly #ffi: QuickJSFFI
  readonly #fuel: WebAssembly.Global<'i32'>
  readonly #stack: WebAssembly.Global<'i32'>
  readonly #globals: readonly { global: WebAssembly.Global<'i32'>; value: number }[]
  readonly #runtime: Runtime
  readonly #context: Context
  readonly #prelude: Record<PreludeFunction, GuestValue>
  readonly #image: readonly Part[]
  #hasFailed = false
  #mostPages = 0
  #ranOutOfMemory = false
  #fuelThen = 0

  /** A new instance of the engine that loadEngine() gave. */
  static async boot(engine: WebAssembly.Module): Promise<Machine> {
    const memory = new WebAssembly.Memory({ initial: INITIAL_PAGES, maximum: 2 * (MEMORY_LIMITS.most / PAGE_BYTES) })
    let exports: WebAssembly.Exports = {}
    const options = {
      wasmMemory: memory,
      instantiateWasm(imports: WebAssembly.Imports, receive: (instance: WebAssembly.Instance) => void) {
        const instance = new WebAssembly.Instance(engine, onlyMemory(imports))
        exports = instance.exports
        receive(instance)
        return exports
      },
    }
    return new Machine(memory, await loadQuickJs(options), () => exports)
  }

  private constructor(memory: WebAssembly.Memory, module: QuickJsModule, exported: () => WebAssembly.Exports) {
    const exports = exported()
    const global = (name: string) => exports[name] as WebAssembly.Global<'i32'>
    this.#memory = memory
    const grow = memory.grow.bind(memory)
    memory.grow = (pages) => this.#grow(pages, grow)
    this.#module = module
    this.#ffi = new QuickJSFFI(module)
    this.#fuel = global(FUEL_EXPORT)
    this.#stack = global(STACK_EXPORT)
    this.#fuel.value = FULL
    const { QTS_NewRuntime, QTS_NewContext } = this.#ffi
    this.#runtime = QTS_NewRuntime()
    this.#context = QTS_NewContext(this.#runtime, INTRINSICS as Parameters<typeof QTS_NewContext>[1])
    const prelude = this.evaluate(GUEST_PRELUDE, 'prelude')
    this.#prelude = Object.fromEntries(
      PRELUDE_FUNCTIONS.map((name) => [name, this.#ffi.QTS_GetProp(this.#context, prelude, this.#string(name))]),
    ) as Record<PreludeFunction, GuestValue>
    this.#globals = Object.keys(exports)
      .filter((name) => name.startsWith(GLOBAL_PREFIX))
      .map((name) => ({ global: global(name), value: global(name).value }))
    this.#image = this.#takeImage()
  }

  /** The heap lies right above the stack; the stack's pointer is the module's one mutable global. */
  get #heapStart(): number {
    return this.#globals[0]?.value ?? 0
  }

  /** True if it must not be used again. */
  get isSpent(): boolean {
    return this.#hasFailed || this.memoryBytes !== INITIAL_PAGES * PAGE_BYTES
  }

  get memoryBytes(): number {
    return this.#memory.buffer.byteLength
  }

  /** What is left; negative once it ran out. */
  get fuel(): number {
    return this.#ranOutOfMemory ? this.#fuelThen : this.#fuel.value
  }

  set fuel(units: number) {
    this.#fuel.value = units
  }

  /** As it was after booting, with this much memory for the guest and fuel for housekeeping. */
  restore(memoryLimit: number): void {
    this.#mostPages = Math.floor((this.#heapStart + memoryLimit) / PAGE_BYTES)
    this.#ranOutOfMemory = false
    const memory = new Uint8Array(this.#memory.buffer)
    for (const { at, bytes } of this.#image) memory.set(bytes, at)
    for (const { global, value } of this.#globals) global.value = value
    this.#stack.value = STACK_BYTES
    this.#fuel.value = HOUSEKEEPING_FUEL
  }

  /** Runs a script. Throws a GuestError, an ExhaustedError or an EngineError, as all that follow. */
  evaluate(source: string, fileName: string): GuestValue {
    return this.#result(() => this.#evaluate(source, fileName, 0))
  }

  /** Parses a script and does not run it. */
  compile(source: string, fileName: string): void {
    this.#result(() => this.#evaluate(source, fileName, COMPILE_ONLY))
  }

  /** Calls one of the judge's functions in the guest. */
  call(name: PreludeFunction, ...args: (GuestValue | string)[]): GuestValue {
    return this.#result(() => {
      const { QTS_Call, QTS_GetUndefined } = this.#ffi
      const list = this.#allocate(4 * (args.length + 1))
      const values = args.map((argument) => (typeof argument === 'string' ? this.#string(argument) : argument))
      // Only now: making strings may have grown the memory, which leaves older views empty.
      new Uint32Array(this.#memory.buffer, list, args.length).set(values)
      type List = Parameters<typeof QTS_Call>[4]
      return QTS_Call(this.#context, this.#prelude[name], QTS_GetUndefined(), args.length, list as List)
    })
  }

  /** Runs promise reactions until none is left. */
  settle(): void {
    const { QTS_ExecutePendingJob, QTS_IsJobPending, QTS_Typeof } = this.#ffi
    while (this.#guarded(() => QTS_IsJobPending(this.#runtime)) !== 0) {
      const outcome = this.#result(() => {
        type Scratch = Parameters<typeof QTS_ExecutePendingJob>[2]
        return QTS_ExecutePendingJob(this.#runtime, -1, this.#allocate(4) as Scratch)
      })
      // The number of jobs that ran, or what one of them threw; jobs throw only when memory or stack ran out.
      const kind = this.#guarded(() => this.#module.UTF8ToString(QTS_Typeof(this.#context, outcome)))
      if (kind !== 'number') throw new GuestError(outcome)
    }
  }

  promiseState(value: GuestValue): PromiseState {
    const states = ['pending', 'fulfilled', 'rejected'] as const
    return states[this.#guarded(() => this.#ffi.QTS_PromiseState(this.#context, value))] ?? 'none'
  }

  promiseResult(value: GuestValue): GuestValue {
    return this.#result(() => this.#ffi.QTS_PromiseResult(this.#context, value))
  }

  /** A string of the guest. It ends where it has a NUL. */
  text(value: GuestValue): string {
    return this.#guarded(() => {
      const characters = this.#ffi.QTS_GetString(this.#context, value)
      if (characters === 0) throw new ExhaustedError('memory')
      return this.#module.UTF8ToString(characters)
    })
  }

  /** Every byte that a program can have changed and another could read; for tests. */
  state(): Uint8Array {
    const memory = new Uint8Array(this.#memory.buffer)
    const parts = this.#image.map(({ at, bytes }) => memory.slice(at, at + bytes.length))
    return Uint8Array.from(parts.flatMap((part) => [...part]))
  }

  #evaluate(source: string, fileName: string, flags: number): GuestValue {
    const { QTS_Eval } = this.#ffi
    const [bytes, length] = this.#bytes(source)
    type Arguments = Parameters<typeof QTS_Eval>
    const isModule = 0 as Arguments[4]
    return QTS_Eval(this.#context, bytes as Arguments[1], length, fileName, isModule, flags as Arguments[5])
  }

  #string(text: string): GuestValue {
    const { QTS_NewString } = this.#ffi
    const [bytes] = this.#bytes(text)
    return QTS_NewString(this.#context, bytes as Parameters<typeof QTS_NewString>[1])
  }

  /** UTF-8 in the guest's memory, and how many bytes it is without the NUL behind it. */
  #bytes(text: string): [number, number] {
    const encoded = new TextEncoder().encode(text)
    const at = this.#allocate(encoded.length + 1)
    const memory = new Uint8Array(this.#memory.buffer)
    memory.set(encoded, at)
    memory[at + encoded.length] = 0
    return [at, encoded.length]
  }

  #allocate(bytes: number): number {
    const at = this.#module._malloc(bytes)
    if (at === 0) throw new ExhaustedError('memory')
    return at
  }

  #result(run: () => GuestValue): GuestValue {
    return this.#guarded(() => {
      const value = run()
      // Results lie on the heap, and there is no heap left to lay them on.
      if (value === 0) throw new ExhaustedError('memory')
      const thrown = this.#ffi.QTS_ResolveException(this.#context, value)
      if (thrown !== 0) throw new GuestError(thrown)
      return value
    })
  }

  /** Tells traps of the counters from failures of the engine. */
  #guarded<Result>(run: () => Result): Result {
    try {
      return run()
    } catch (error) {
      if (error instanceof GuestError || error instanceof ExhaustedError) throw error
      if (this.#ranOutOfMemory) throw new ExhaustedError('memory')
      if (this.#fuel.value < 0) throw new ExhaustedError('fuel')
      if (this.#stack.value < 0 || isStackOverflow(error)) throw new ExhaustedError('stack')
      this.#hasFailed = true
      throw new EngineError('The engine failed.', { cause: error })
    }
  }

  /**
   * The engine asks for memory through its module's code, which takes a refusal for an answer: the guest would see an
   * error that it can catch. Instead the next thing that is counted ends it.
   */
  #grow(pages: number, grow: (pages: number) => number): number {
    const have = this.memoryBytes / PAGE_BYTES
    if (have + pages <= this.#mostPages) return grow(this.#mostPages - have)
    // The module tries again with less, but never less than it needs.
    if (!this.#ranOutOfMemory) this.#fuelThen = this.#fuel.value
    this.#ranOutOfMemory = true
    this.#fuel.value = 0
    throw new RangeError('The guest may not have more memory.')
  }

  #takeImage(): Part[] {
    const memory = new Uint8Array(this.#memory.buffer)
    const stackTop = this.#heapStart
    const staticEnd = stackTop - SHADOW_STACK_BYTES
    // What malloc takes from untouched memory lies beyond everything in use; a little beyond that it keeps notes.
    const block = this.#allocate(UNTOUCHED_BYTES)
    this.#module._free(block)
    const notes = memory.subarray(block + UNTOUCHED_BYTES, block + 4 * UNTOUCHED_BYTES)
    const heapEnd = block + UNTOUCHED_BYTES + notes.findLastIndex((byte) => byte !== 0) + 1
    const unusedStack = memory.subarray(staticEnd, staticEnd + UNTOUCHED_BYTES)
    if (staticEnd <= 0 || block <= stackTop || unusedStack.some((byte) => byte !== 0))
      throw new EngineError('The engine lays its memory out in another way than this version of the judge knows.')
    return [
      { at: 0, bytes: memory.slice(0, staticEnd) },
      { at: stackTop, bytes: memory.slice(stackTop, heapEnd) },
    ]
  }
}

/**
 * Imports with one function among them, the one that grows memory; by its code, for the build has shortened all names. In
 * place of the others (clock, environment, standard output, callbacks) one that says ENOSYS: the host looks the same to
 * every engine, and no program can find a way to it.
 */
function onlyMemory(imports: WebAssembly.Imports): WebAssembly.Imports {
  const functions = Object.values(imports).flatMap((values) => Object.values(values).filter(isFunction))
  const growing = functions.filter((value) => String(value).includes('.grow('))
  if (growing.length !== 1)
    throw new EngineError('The engine grows its memory in another way than this version of the judge knows.')
  const ENOSYS = 52
  const only = (value: WebAssembly.ImportValue) =>
    isFunction(value) && !growing.includes(value) ? () => ENOSYS : value
  return Object.fromEntries(
    Object.entries(imports).map(([from, values]) => [
      from,
      Object.fromEntries(Object.entries(values).map(([name, value]) => [name, only(value)])),
    ]),
  )
}

function isFunction(value: unknown): value is (...args: unknown[]) => unknown {
  return typeof value === 'function'
}

/** The thread's own stack was smaller than expected: the same verdict, a little earlier. */
function isStackOverflow(error: unknown): boolean {
  return error instanceof RangeError || (error instanceof Error && error.name === 'InternalError')
}
