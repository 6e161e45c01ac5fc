/**
 * Meters WebAssembly: rewrites a module so that everything it runs is counted and can be stopped, and so that its whole state
 * can be read and written from outside.
 *
 *     entry of a function     fuel := fuel - 1; stack := stack - frame;   trap if either is below zero
 *     exit of a function      stack := stack + frame
 *     pass through a loop     fuel := fuel - 1;                           trap if it is below zero
 *     copy or fill n bytes    fuel := fuel - n / 16;                      trap if it is below zero
 *
 *     frame = 80 + 8 · parameters + Σ over parameters and locals of (4 if 32 bits wide, else 9)     bytes
 *
 * The engine's own interrupt hook is not enough: QuickJS calls it between bytecodes and within regular expressions, but not
 * while it multiplies large integers or runs `indexOf` over an array-like of length 2^53. Code without loops and calls is
 * short, so counting both catches everything, and unlike a clock, counters give the same result on every machine. So do
 * frames: how deep a browser's own stack lets WebAssembly recurse depends on the browser, the thread and the optimisation of
 * each function. A frame is what V8's two compilers need or, for functions that recurse in QuickJS, up to 1.8 times as much.
 * A trap unwinds the whole call: no guest code can catch it or run after it.
 *
 * Exports all mutable globals, including the counters. Apart from these, a module that writes no tables (others are refused)
 * can change only its memory.
 */
import {
  appendEntries,
  countImports,
  exportEntry,
  KIND,
  OPCODE,
  PREFIXED,
  Reader,
  readMutability,
  readSections,
  readTypes,
  s32,
  SECTION,
  skipOperands,
  u32,
  Writer,
  writeModule,
  type FunctionType,
} from './wasm-binary.ts'

/** Names of the added exports. The prefix is followed by the number of a mutable global. */
export const FUEL_EXPORT = 'metering:fuel'
export const STACK_EXPORT = 'metering:stack'
export const GLOBAL_PREFIX = 'metering:global:'

/** 2^31 - 1: the initial value of the counters, for code that runs at instantiation. */
export const FULL = 0x7fffffff

/** Units of fuel in a millisecond of executed time. */
export const FUEL_PER_MS = 250_000

const I32 = 0x7f
const F32 = 0x7d
const VOID = 0x40
/** memory.copy and memory.fill move 2^4 bytes for one unit of fuel. */
const BULK_SHIFT = 4

/** Throws a TypeError if the module has instructions beyond WebAssembly 2.0 or writes tables. */
export function meter(module: Uint8Array): Uint8Array<ArrayBuffer> {
  const sections = readSections(module)
  const section = (id: number) => {
    const bytes = sections.find((candidate) => candidate.id === id)?.bytes
    if (bytes === undefined) throw new TypeError(`A module without section ${id} cannot be metered.`)
    return bytes
  }
  const imported = countImports(section(SECTION.import))
  const types = readTypes(section(SECTION.type))
  const declared = new Reader(section(SECTION.function))
  const functionTypes = declared.vector(() => types[declared.u32()]!)
  const mutability = readMutability(section(SECTION.global))

  const fuel = imported.globals + mutability.length
  const counters: Counters = {
    fuel: u32(fuel),
    stack: u32(fuel + 1),
    copy: u32(imported.functions + functionTypes.length),
    fill: u32(imported.functions + functionTypes.length + 1),
  }
  const counter = [I32, 1, OPCODE.i32Const, ...s32(FULL), OPCODE.end]
  const changing = mutability.flatMap((isMutable, index) => (isMutable ? [imported.globals + index] : []))
  const rewritten = new Map([
    [SECTION.type, appendEntries(section(SECTION.type), [[0x60, 3, I32, I32, I32, 0]])],
    [SECTION.function, appendEntries(section(SECTION.function), [u32(types.length), u32(types.length)])],
    [SECTION.global, appendEntries(section(SECTION.global), [counter, counter])],
    [
      SECTION.export,
      appendEntries(section(SECTION.export), [
        exportEntry(FUEL_EXPORT, KIND.global, fuel),
        exportEntry(STACK_EXPORT, KIND.global, fuel + 1),
        ...changing.map((index, number) => exportEntry(`${GLOBAL_PREFIX}${number}`, KIND.global, index)),
      ]),
    ],
    [SECTION.code, meterCode(section(SECTION.code), functionTypes, counters)],
  ] as [number, Uint8Array][])
  return writeModule(sections.map(({ id, bytes }) => ({ id, bytes: rewritten.get(id) ?? bytes })))
}

/** Encoded indices of the two globals, and of the functions that count and then copy or fill. */
type Counters = Record<'fuel' | 'stack' | 'copy' | 'fill', readonly number[]>

function add(counter: readonly number[], amount: readonly number[]): number[] {
  return [OPCODE.globalGet, ...counter, ...amount, OPCODE.i32Add, OPCODE.globalSet, ...counter]
}

function take(counter: readonly number[], amount: readonly number[]): number[] {
  return [OPCODE.globalGet, ...counter, ...amount, OPCODE.i32Subtract, OPCODE.globalSet, ...counter]
}

/** Traps if `value` leaves a negative number on the operand stack. */
function trapBelowZero(value: readonly number[]): number[] {
  const isNegative = [...value, OPCODE.i32Const, 0, OPCODE.i32LessSigned]
  return [...isNegative, OPCODE.if, VOID, OPCODE.unreachable, OPCODE.end]
}

function meterCode(section: Uint8Array, types: readonly FunctionType[], counters: Counters): Uint8Array {
  const { fuel, stack } = counters
  const one = [OPCODE.i32Const, 1]
  const pass = [...take(fuel, one), ...trapBelowZero([OPCODE.globalGet, ...fuel])]
  const both = [OPCODE.globalGet, ...fuel, OPCODE.globalGet, ...stack, OPCODE.i32Or]

  const reader = new Reader(section)
  const out = new Writer()
  const body = new Writer()
  const count = reader.u32()
  out.bytes(u32(count + 2))
  for (const type of types) {
    const end = reader.u32() + reader.at
    const start = reader.at
    const locals = type.parameters.map((local) => ({ count: 1, local }))
    for (let groups = reader.u32(); groups > 0; groups--) locals.push({ count: reader.u32(), local: reader.byte() })
    const frame = [OPCODE.i32Const, ...s32(frameBytes(type.parameters.length, locals))]
    body.clear()
    body.bytes(section.subarray(start, reader.at))
    body.bytes([...take(fuel, one), ...take(stack, frame), ...trapBelowZero(both)])
    // The body becomes a block, so that a return or a branch to the outermost label ends the block, not the function.
    body.bytes([OPCODE.block, type.result ?? VOID])
    meterInstructions(reader, end, body, pass, counters)
    body.bytes([...add(stack, frame), OPCODE.end])
    out.bytes(u32(body.length))
    out.bytes(body.written())
  }
  for (const operation of [
    [OPCODE.prefixed, PREFIXED.memoryCopy, 0, 0],
    [OPCODE.prefixed, PREFIXED.memoryFill, 0],
  ]) {
    const [to, from, length] = [0, 1, 2].map((local) => [OPCODE.localGet, local]) as [number[], number[], number[]]
    const cost = [...length, OPCODE.i32Const, BULK_SHIFT, OPCODE.i32ShiftRightUnsigned]
    const counted = [...take(fuel, cost), ...trapBelowZero([OPCODE.globalGet, ...fuel])]
    const code = [0, ...counted, ...to, ...from, ...length, ...operation, OPCODE.end]
    out.bytes([...u32(code.length), ...code])
  }
  return out.written()
}

function frameBytes(parameters: number, locals: readonly { count: number; local: number }[]): number {
  return locals.reduce(
    (sum, { count, local }) => sum + count * (local === I32 || local === F32 ? 4 : 9),
    80 + 8 * parameters,
  )
}

/** Copies instructions up to `end` and inserts the counting. The last one ends the block around the body. */
function meterInstructions(
  reader: Reader,
  end: number,
  out: Writer,
  pass: readonly number[],
  counters: Counters,
): void {
  let copied = reader.at
  let depth = 0
  const copyUpTo = (at: number) => {
    out.bytes(reader.source.subarray(copied, at))
    copied = at
  }
  const replace = (start: number, instruction: readonly number[]) => {
    copyUpTo(start)
    out.bytes(instruction)
    copied = reader.at
  }
  while (reader.at < end) {
    const start = reader.at
    const opcode = reader.byte()
    skipOperands(reader, opcode)
    if (opcode === OPCODE.block || opcode === OPCODE.if) depth++
    else if (opcode === OPCODE.loop) {
      depth++
      copyUpTo(reader.at)
      out.bytes(pass)
    } else if (opcode === OPCODE.end) depth--
    else if (opcode === OPCODE.return) replace(start, [OPCODE.br, ...u32(depth)])
    else if (opcode === OPCODE.prefixed) {
      const operation = reader.source[start + 1]
      if (operation === PREFIXED.memoryCopy) replace(start, [OPCODE.call, ...counters.copy])
      else if (operation === PREFIXED.memoryFill) replace(start, [OPCODE.call, ...counters.fill])
    }
  }
  copyUpTo(end)
}
