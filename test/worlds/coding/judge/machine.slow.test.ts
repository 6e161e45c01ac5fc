import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { loadEngine } from '../../../../src/worlds/sandbox/engine-binary.ts'
import { Judge, judgeTest } from '../../../../src/worlds/coding/judge/judge.ts'
import { ExhaustedError, GuestError } from '../../../../src/worlds/sandbox/guest-errors.ts'
import { Machine, MEMORY_LIMITS } from '../../../../src/worlds/sandbox/machine.ts'
import type { PlainTest } from '../../../../src/worlds/coding/judge/verdict.ts'
import { HOSTILE_LIMITS, HOSTILE_PROGRAMS, testOf } from './hostile-programs.ts'

const MEMORY = MEMORY_LIMITS.least
/** One or two of every kind, since they run several times here. */
const SOME = HOSTILE_PROGRAMS.filter((_, index) => index % 4 === 0)
const LIMITS = { ...HOSTILE_LIMITS, executedMs: 20 }

describe('a machine', () => {
  let engine: WebAssembly.Module
  let machine: Machine
  beforeAll(async () => {
    engine = await loadEngine()
    machine = await Machine.boot(engine)
  })

  const evaluate = (source: string) => machine.text(machine.evaluate(source, 'test.js'))

  it('evaluates scripts, whose top-level names persist', () => {
    machine.restore(MEMORY)
    machine.evaluate('const x = 6; let y = 7; class A { static z = x * y }', 'test.js')
    expect(evaluate('String(A.z)')).toBe('42')
  })

  it('is identical to any other machine, byte for byte', async () => {
    machine.restore(MEMORY)
    const other = await Machine.boot(engine)
    other.restore(MEMORY)
    expect(Buffer.compare(other.state(), machine.state())).toBe(0)
  })

  it('is restored to every byte that it had after booting, whatever ran', () => {
    machine.restore(MEMORY)
    const before = machine.state()
    for (const program of SOME) {
      judgeTest(machine, program.source, testOf(program), LIMITS)
      if (machine.isSpent) continue
      machine.restore(MEMORY)
      expect(Buffer.compare(machine.state(), before), program.name).toBe(0)
    }
  })

  it('returns new memory as zeros, even if another program wrote there', async () => {
    machine = await Machine.boot(engine)
    machine.restore(MEMORY)
    machine.evaluate(
      'const all = []; for (let i = 0; i < 100; i++) all.push(new Uint8Array(80_000).fill(0xaa))',
      'test.js',
    )
    expect(machine.isSpent).toBe(false)
    machine.restore(MEMORY)
    expect(
      evaluate(`
        let sum = 0
        for (let i = 0; i < 100; i++) for (const byte of new Uint8Array(80_000)) sum += byte
        String(sum)
      `),
    ).toBe('0')
  })

  it('is spent only once its memory has grown', () => {
    machine.restore(MEMORY)
    machine.evaluate('new Uint8Array(8e6).fill(1)', 'test.js')
    expect(machine.isSpent).toBe(false)
    machine.restore(MEMORY)
    machine.evaluate('new Uint8Array(14e6).fill(1)', 'test.js')
    expect(machine.isSpent).toBe(true)
  })

  describe('that ran out', () => {
    const exhausted = (source: string, fuel = 10_000_000) => {
      machine.restore(MEMORY)
      machine.fuel = fuel
      try {
        machine.evaluate(source, 'test.js')
      } catch (error) {
        if (error instanceof ExhaustedError) return error.what
        throw error
      }
      return null
    }

    it.each([
      ['of fuel', 'for (;;);', 'fuel'],
      ['of stack', '(function f() { f() })()', 'stack'],
      ['of memory', 'for (const a = []; ; ) a.push(new Uint8Array(1e6))', 'memory'],
    ])('%s says so', async (_, source, what) => {
      machine = await Machine.boot(engine)
      expect(exhausted(source)).toBe(what)
    })

    it('runs no more handlers of the guest', async () => {
      machine = await Machine.boot(engine)
      for (const source of [
        'for (;;);',
        '(function f() { f() })()',
        'for (const a = []; ; ) a.push(new Uint8Array(1e6))',
      ])
        expect(
          exhausted(`try { ${source} } catch { globalThis.caught = 1 } finally { globalThis.caught = 1 }`),
        ).not.toBe(null)
    })
  })

  it('says what the guest threw', () => {
    machine.restore(MEMORY)
    expect(() => machine.evaluate('throw new TypeError("no")', 'test.js')).toThrow(GuestError)
  })

  it('allows about a thousand nested calls', () => {
    machine.restore(MEMORY)
    const depth = (calls: number) => {
      machine.restore(MEMORY)
      return evaluate(`const f = (n) => (n === 0 ? 0 : 1 + f(n - 1)); String(f(${calls}))`)
    }
    expect(depth(1000)).toBe('1000')
    expect(() => depth(1200)).toThrow(ExhaustedError)
  })
})

describe('what a machine asks of its host', () => {
  const Instance = WebAssembly.Instance
  afterEach(() => {
    WebAssembly.Instance = Instance
  })

  it('is only memory, once it has booted', async () => {
    const calls = new Map<string, number>()
    const counting = (imports: WebAssembly.Imports): WebAssembly.Imports =>
      Object.fromEntries(
        Object.entries(imports).map(([from, values]) => [
          from,
          Object.fromEntries(
            Object.entries(values).map(([name, value]) => {
              if (typeof value !== 'function') return [name, value]
              const counted = (...args: unknown[]): unknown => {
                calls.set(name, (calls.get(name) ?? 0) + 1)
                return Reflect.apply(value, undefined, args)
              }
              return [name, counted]
            }),
          ),
        ]),
      )
    // Machines take what the global object has when they boot.
    WebAssembly.Instance = new Proxy(Instance, {
      construct: (target, [module, imports]: [WebAssembly.Module, WebAssembly.Imports]) =>
        new target(module, counting(imports)),
    })
    const engine = await loadEngine()
    let machine = await Machine.boot(engine)
    expect(calls.size).toBeGreaterThan(0)
    calls.clear()

    machine.restore(MEMORY)
    machine.evaluate('new Uint8Array(14e6).fill(1)', 'test.js')
    const [growing] = calls.keys()
    expect(calls.size).toBe(1)

    for (const program of HOSTILE_PROGRAMS) {
      if (machine.isSpent) machine = await Machine.boot(engine)
      calls.clear()
      judgeTest(machine, program.source, testOf(program), LIMITS)
      calls.delete(growing!)
      expect([...calls.keys()], program.name).toEqual([])
    }
  })
})

describe('over 10,000 programs', () => {
  it('neither the heap nor the engine grows, and no verdict changes', async () => {
    setFlagsFromString('--expose-gc')
    const collect = runInNewContext('gc') as () => void
    const machine = await Machine.boot(await loadEngine())
    const bytes = machine.memoryBytes
    const source = (i: number) => `
      const kept = []
      for (let i = 0; i < ${i % 50}; i++) kept.push({ ['key' + i + '/${i}']: Symbol('s' + i), text: 'x'.repeat(i) })
      Array.prototype.extra${i} = kept
      function f(x) { if (x === ${i % 7}) throw new Error('no ' + x); return kept.length + x }
    `
    const test = (i: number): PlainTest => ({ kind: 'call', functionName: 'f', arguments: [3], expected: (i % 50) + 3 })
    let unexpected = 0
    const heap = () => {
      collect()
      const { heapUsed, external } = process.memoryUsage()
      return heapUsed + external
    }
    const heapAfter = (from: number, to: number) => {
      for (let i = from; i < to; i++) {
        const { kind } = judgeTest(machine, source(i), test(i), HOSTILE_LIMITS)
        if (kind !== (i % 7 === 3 ? 'runtime error' : 'passed')) unexpected++
      }
      return heap()
    }
    const before = heapAfter(0, 1000)
    heapAfter(1000, 11_000)
    // Less than ten bytes a program: V8's own. What it collects in other threads may follow between two tasks.
    await expect.poll(() => heap() - before).toBeLessThan(100_000)
    expect(unexpected).toBe(0)
    expect(machine.isSpent).toBe(false)
    expect(machine.memoryBytes).toBe(bytes)
  })

  it('not even with programs that each spend a machine', async () => {
    setFlagsFromString('--expose-gc')
    const collect = runInNewContext('gc') as () => void
    const judge = new Judge()
    const source = 'const all = []; for (;;) all.push(new Uint8Array(1e6))'
    const test: PlainTest = { kind: 'stdio', input: '', expected: '' }
    const memoryAfter = async (programs: number) => {
      for (let i = 0; i < programs; i++) {
        const [verdict] = await judge.judge({ source, tests: [test], limits: HOSTILE_LIMITS })
        expect(verdict!.kind).toBe('memory limit')
      }
      // Unreferenced memories are released between two tasks.
      for (let i = 0; i < 5; i++) {
        collect()
        await new Promise((resolve) => setImmediate(resolve))
      }
      const { heapUsed, external, arrayBuffers } = process.memoryUsage()
      return heapUsed + external + arrayBuffers
    }
    const before = await memoryAfter(10)
    // One machine is 16 MB. Of fifty, all but a few are already collected.
    expect((await memoryAfter(50)) - before).toBeLessThan(10 * 16 * 2 ** 20)
  })
})
