import asc from 'assemblyscript/asc'
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { readEngine } from '../../../src/worlds/sandbox/engine-binary.ts'
import { FUEL_EXPORT, FULL, GLOBAL_PREFIX, meter, STACK_EXPORT } from '../../../src/worlds/sandbox/metering.ts'

/** Loops, branches out of them, early returns, recursion, switches, 64-bit and float results, and bulk memory. */
const SOURCE = `
  let counter: i32 = 5
  export function count(n: i32): i32 { let sum = 0; for (let i = 0; i < n; i++) sum += i; counter += 1; return sum }
  export function first(n: i32): i32 { for (let i = 2; i * i <= n; i++) { if (n % i == 0) return i } return n }
  export function fibonacci(n: i32): i64 { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2) }
  export function down(n: i32): f64 { return n == 0 ? 0.5 : down(n - 1) + 1.0 }
  export function even(n: i32): bool { return n == 0 ? true : odd(n - 1) }
  export function odd(n: i32): bool { return n == 0 ? false : even(n - 1) }
  export function collatz(n: i64): i32 {
    let steps = 0
    while (n != 1) { switch (<i32>(n & 1)) { case 0: n >>= 1; break; default: n = 3 * n + 1 } steps++ }
    return steps
  }
  export function nested(n: i32): i32 {
    let found = 0
    for (let a = 0; a < n; a++) { for (let b = 0; b < n; b++) { if (a * b == n) { found = a; break } if (b > 50) continue } }
    return found
  }
  export function move(bytes: i32): void { memory.copy(1024, 0, bytes); memory.fill(0, 7, bytes) }
  export function ask(n: i32): i32 { return n == 0 ? twice(21) : twice(n) }
  declare function twice(n: i32): i32
  export function forever(): void { while (true) {} }
  export function bottomless(n: i32): i32 { return bottomless(n + 1) + 1 }
`

interface Exports {
  count(n: number): number
  first(n: number): number
  fibonacci(n: number): bigint
  down(n: number): number
  even(n: number): number
  collatz(n: bigint): number
  nested(n: number): number
  move(bytes: number): void
  ask(n: number): number
  forever(): void
  bottomless(n: number): number
  memory: WebAssembly.Memory
}

async function compiled(source: string): Promise<Uint8Array> {
  let bytes: Uint8Array | null = null
  const flags = ['--outFile', 'm.wasm', '--runtime', 'stub', '--enable', 'bulk-memory', '--initialMemory', '2', '-O2']
  const { error } = await asc.main(['m.ts', ...flags, '--use', 'abort='], {
    readFile: (name) => (name === 'm.ts' ? source : null),
    writeFile: (name, contents) => {
      if (name === 'm.wasm') bytes = contents as Uint8Array
    },
    listFiles: () => [],
  })
  if (error || bytes === null) throw new Error('The test module did not compile.', { cause: error })
  return bytes
}

const IMPORTS = { m: { twice: (n: number) => 2 * n } }

describe('a metered module', () => {
  let plain: Exports
  let module: WebAssembly.Module
  beforeAll(async () => {
    const bytes = await compiled(SOURCE)
    plain = (await WebAssembly.instantiate(bytes as BufferSource, IMPORTS)).instance.exports as unknown as Exports
    module = await WebAssembly.compile(meter(bytes))
  })

  function instance() {
    const { exports } = new WebAssembly.Instance(module, IMPORTS)
    const fuel = exports[FUEL_EXPORT] as WebAssembly.Global<'i32'>
    const stack = exports[STACK_EXPORT] as WebAssembly.Global<'i32'>
    /** Fuel that a call takes. */
    const cost = (call: () => unknown) => {
      const before = fuel.value
      call()
      return before - fuel.value
    }
    return { run: exports as unknown as Exports, exports, fuel, stack, cost }
  }

  it('computes what the module computes', () => {
    const { run } = instance()
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 300 }), (n) => {
        expect(run.count(n)).toBe(plain.count(n))
        expect(run.first(n)).toBe(plain.first(n))
        expect(run.down(n)).toBe(plain.down(n))
        expect(run.even(n)).toBe(plain.even(n))
        expect(run.collatz(BigInt(n))).toBe(plain.collatz(BigInt(n)))
        expect(run.nested(n)).toBe(plain.nested(n))
        expect(run.ask(n)).toBe(plain.ask(n))
      }),
    )
    expect(run.fibonacci(15)).toBe(plain.fibonacci(15))
  })

  it('counts one unit for every pass through a loop and every call', () => {
    const { run, cost } = instance()
    expect(cost(() => run.count(1000)) - cost(() => run.count(0))).toBe(1000)
    expect(cost(() => run.down(100)) - cost(() => run.down(0))).toBe(100)
    // fibonacci(n) makes 2 · F(n + 1) - 1 calls, its first one among them.
    expect(cost(() => run.fibonacci(10))).toBe(2 * 89 - 1)
  })

  it('counts copies and fills by their length', () => {
    const { run, cost } = instance()
    const [small, large] = [cost(() => run.move(16)), cost(() => run.move(16 * 1001))]
    expect(large - small).toBe(2 * 1000)
  })

  it('copies and fills what the module copies and fills', () => {
    const { run } = instance()
    plain.move(3000)
    run.move(3000)
    expect(Buffer.from(run.memory.buffer).equals(Buffer.from(plain.memory.buffer))).toBe(true)
    expect(new Uint8Array(run.memory.buffer)[2999]).toBe(7)
  })

  it('releases the stack however a function ends', () => {
    const { run, stack } = instance()
    for (const call of [() => run.first(9), () => run.first(97), () => run.nested(12), () => run.fibonacci(8)]) {
      call()
      expect(stack.value).toBe(FULL)
    }
  })

  it('traps when the fuel is used up, at the same place every time', () => {
    const sums = [1, 2].map(() => {
      const { run, fuel, exports } = instance()
      fuel.value = 5000
      expect(() => run.forever()).toThrow(WebAssembly.RuntimeError)
      expect(fuel.value).toBe(-1)
      fuel.value = 100
      expect(() => run.count(1000)).toThrow(WebAssembly.RuntimeError)
      expect(fuel.value).toBe(-1)
      return (exports[`${GLOBAL_PREFIX}0`] as WebAssembly.Global<'i32'>).value
    })
    expect(sums[0]).toBe(sums[1])
  })

  it('traps when the stack is used up', () => {
    const { run, stack } = instance()
    stack.value = 100_000
    expect(() => run.bottomless(0)).toThrow(WebAssembly.RuntimeError)
    expect(stack.value).toBeLessThan(0)
    stack.value = 100_000
    expect(run.down(50)).toBe(50.5)
  })

  it('exports its mutable globals, which can restore it', () => {
    const { run, exports } = instance()
    const counter = exports[`${GLOBAL_PREFIX}0`] as WebAssembly.Global<'i32'>
    const before = counter.value
    run.count(1)
    expect(counter.value).toBe(before + 1)
    counter.value = before
    run.count(1)
    expect(counter.value).toBe(before + 1)
  })
})

describe('metering', () => {
  it('works on the published QuickJS', async () => {
    const module = new WebAssembly.Module(meter(await readEngine()))
    const names = WebAssembly.Module.exports(module).map(({ name }) => name)
    expect(names).toContain(FUEL_EXPORT)
    expect(names).toContain(STACK_EXPORT)
    // The stack pointer is the only global that code can change: memory and this are the engine's whole state.
    expect(names.filter((name) => name.startsWith(GLOBAL_PREFIX))).toHaveLength(1)
  })

  it('refuses a module that writes a table, since that state is not exported', async () => {
    // A module with one function whose body is table.get, table.set on an empty table of functions.
    const module = Uint8Array.from([
      ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
      ...[1, 4, 1, 0x60, 0, 0], // type: () -> ()
      ...[2, 7, 1, 1, 0x61, 1, 0x62, 0, 0], // import a.b: a function
      ...[3, 2, 1, 0],
      ...[4, 4, 1, 0x70, 0, 1], // table of one function
      ...[6, 6, 1, 0x7f, 1, 0x41, 0, 0x0b], // a mutable global
      ...[7, 5, 1, 1, 0x66, 0, 1], // export f
      ...[10, 12, 1, 10, 0, 0x41, 0, 0x41, 0, 0x25, 0, 0x26, 0, 0x0b],
    ])
    expect(WebAssembly.validate(module)).toBe(true)
    expect(() => meter(module)).toThrow('The instruction 26 is not supported')
  })

  it('refuses a truncated module', async () => {
    const engine = await readEngine()
    expect(() => meter(engine.slice(0, 200_000))).toThrow(TypeError)
  })
})
