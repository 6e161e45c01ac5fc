/**
 * One QuickJS in one WebAssembly instance, restored to its initial state before every run:
 *
 *     boot      runtime, context and prelude; then an image of the used memory and of every mutable global
 *     restore   image → memory and globals       (a quarter of a megabyte, some 5 µs)
 *     keep      memory and globals → image       (what a script defined belongs to the initial state from then on)
 *
 * The usual fresh context per run shares an allocator, interned strings and shapes with earlier runs. Here nothing is shared,
 * because no byte that the last program wrote remains. Restoring also frees all memory, so nothing leaks, even after a trap in
 * the middle of an allocation.
 *
 * Unused parts are not restored, because nothing reads them: the dead part of the stack and the heap beyond the image. A grown
 * memory does not shrink, and would let a later program allocate without growing it, so such a machine is spent. So is a
 * machine whose engine trapped by itself.
 *
 * The guest has no host objects and cannot reach a function of the host. Of the engine's imports only the one that grows memory
 * does anything.
 */
import loadQuickJs from '@jitl/quickjs-wasmfile-release-sync/emscripten-module'
import { QuickJSFFI } from '@jitl/quickjs-wasmfile-release-sync/ffi'
import { EngineError, ExhaustedError, GuestError, type GuestValue } from './guest-errors.ts'
import { GUEST_PRELUDE } from './guest-prelude.ts'
import { MemoryImage, UNTOUCHED_BYTES } from './memory-image.ts'
import { FUEL_EXPORT, FULL, GLOBAL_PREFIX, STACK_EXPORT } from './metering.ts'

const PAGE_BYTES = 2 ** 16
/** 16 MB, 10 of them heap. A program that stays within this does not spend its machine. */
const INITIAL_PAGES = 256

/** Limits of the heap. Its first growth is up to the limit, since the engine grows memory by at least a fifth. */
export const MEMORY_LIMITS = { least: 16 * 2 ** 20, most: 256 * 2 ** 20 }

/**
 * Limit of the thread's stack, as metering.ts counts it. A worker in Chromium has 512,000 bytes, and the judge's callers use
 * some of them. This allows about 1,000 nested plain calls.
 */
const STACK_BYTES = 450_000

/** Fuel for the judge's own work in the guest: reading arguments, describing an error. */
const HOUSEKEEPING_FUEL = FULL

type Runtime = ReturnType<QuickJSFFI['QTS_NewRuntime']>
type Context = ReturnType<QuickJSFFI['QTS_NewContext']>
type QuickJsModule = Awaited<ReturnType<typeof loadQuickJs>>

type PromiseState = 'none' | 'pending' | 'fulfilled' | 'rejected'

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
  readonly #runtime: Runtime
  readonly #context: Context
  readonly #prelude: Record<PreludeFunction, GuestValue>
  readonly #image: MemoryImage
  #hasFailed = false
  #mostPages = 0
  #ranOutOfMemory = false
  #fuelThen = 0

  /** Instantiates the engine from loadEngine(). */
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
    const globals = Object.keys(exports).filter((name) => name.startsWith(GLOBAL_PREFIX))
    const untouched = this.#allocate(UNTOUCHED_BYTES)
    this.#module._free(untouched)
    this.#image = new MemoryImage(memory, globals.map(global), untouched)
  }

  /** Whether the machine must not be used again. */
  get isSpent(): boolean {
    return this.#hasFailed || this.memoryBytes !== INITIAL_PAGES * PAGE_BYTES
  }

  get memoryBytes(): number {
    return this.#memory.buffer.byteLength
  }

  /** Remaining fuel; negative once it has run out. */
  get fuel(): number {
    return this.#ranOutOfMemory ? this.#fuelThen : this.#fuel.value
  }

  set fuel(units: number) {
    this.#fuel.value = units
  }

  /** Restores the state after booting, with this memory limit for the guest and fuel for housekeeping. */
  restore(memoryLimit: number): void {
    this.#mostPages = Math.floor((this.#image.heapStart + memoryLimit) / PAGE_BYTES)
    this.#ranOutOfMemory = false
    this.#image.restore()
    this.#stack.value = STACK_BYTES
    this.#fuel.value = HOUSEKEEPING_FUEL
  }

  /**
   * Makes the present state the one that `restore` restores. To be called once, on a machine that has run nothing but the script
   * whose definitions are to be kept.
   */
  keep(): void {
    this.#image.keep()
  }

  /** Runs a script. Throws a GuestError, an ExhaustedError or an EngineError, like the methods below. */
  evaluate(source: string, fileName: string): GuestValue {
    return this.#result(() => this.#evaluate(source, fileName, 0))
  }

  /** Parses a script without running it. */
  compile(source: string, fileName: string): void {
    this.#result(() => this.#evaluate(source, fileName, COMPILE_ONLY))
  }

  /** Calls one of the judge's functions in the guest. */
  call(name: PreludeFunction, ...args: (GuestValue | string)[]): GuestValue {
    return this.#result(() => {
      const { QTS_Call, QTS_GetUndefined } = this.#ffi
      const list = this.#allocate(4 * (args.length + 1))
      const values = args.map((argument) => (typeof argument === 'string' ? this.#string(argument) : argument))
      // Creates the view only now: making strings may grow the memory, which detaches older views.
      new Uint32Array(this.#memory.buffer, list, args.length).set(values)
      type List = Parameters<typeof QTS_Call>[4]
      return QTS_Call(this.#context, this.#prelude[name], QTS_GetUndefined(), args.length, list as List)
    })
  }

  /** Runs promise reactions until none are left. */
  settle(): void {
    const { QTS_ExecutePendingJob, QTS_IsJobPending, QTS_Typeof } = this.#ffi
    while (this.#guarded(() => QTS_IsJobPending(this.#runtime)) !== 0) {
      const outcome = this.#result(() => {
        type Scratch = Parameters<typeof QTS_ExecutePendingJob>[2]
        return QTS_ExecutePendingJob(this.#runtime, -1, this.#allocate(4) as Scratch)
      })
      // The result is the number of jobs that ran or a thrown value; jobs throw only when memory or stack run out.
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

  /** Reads a string of the guest up to its first NUL. */
  text(value: GuestValue): string {
    return this.#guarded(() => {
      const characters = this.#ffi.QTS_GetString(this.#context, value)
      if (characters === 0) throw new ExhaustedError('memory')
      return this.#module.UTF8ToString(characters)
    })
  }

  /** Every byte that one program can change and another could read. For tests. */
  state(): Uint8Array {
    return this.#image.present()
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

  /** Writes a text as UTF-8 into the guest's memory; returns its address and length, without the final NUL. */
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
      // Results are on the heap; null means that the heap is full.
      if (value === 0) throw new ExhaustedError('memory')
      const thrown = this.#ffi.QTS_ResolveException(this.#context, value)
      if (thrown !== 0) throw new GuestError(thrown)
      return value
    })
  }

  /** Distinguishes traps of the counters from failures of the engine. */
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
   * Refuses memory beyond the limit. The module would turn a refusal into an error that the guest can catch, so this also sets
   * the fuel to 0, which ends the guest at the next counted operation.
   */
  #grow(pages: number, grow: (pages: number) => number): number {
    const have = this.memoryBytes / PAGE_BYTES
    if (have + pages <= this.#mostPages) return grow(this.#mostPages - have)
    // The module tries again with less memory, but never less than it needs.
    if (!this.#ranOutOfMemory) this.#fuelThen = this.#fuel.value
    this.#ranOutOfMemory = true
    this.#fuel.value = 0
    throw new RangeError('The guest may not have more memory.')
  }
}

/**
 * Keeps only the import that grows memory, which it recognises by its code because the build shortens all names. Replaces the
 * others (clock, environment, standard output, callbacks) by a function that returns ENOSYS, so the host looks the same to
 * every engine and no program can reach it.
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

/** Whether the thread's own stack overflowed before the counter did, because it is smaller than expected. */
function isStackOverflow(error: unknown): boolean {
  return error instanceof RangeError || (error instanceof Error && error.name === 'InternalError')
}
