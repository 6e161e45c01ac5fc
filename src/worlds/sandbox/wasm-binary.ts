/**
 * The parts of the WebAssembly binary format that a rewriter of code needs: sections, vectors, and the length of every
 * instruction. https://webassembly.github.io/spec/core/binary/ (2.0, without SIMD)
 */

export const SECTION = { type: 1, import: 2, function: 3, global: 6, export: 7, code: 10 } as const
export const KIND = { function: 0, table: 1, memory: 2, global: 3 } as const

interface Section {
  id: number
  bytes: Uint8Array
}

export function readSections(module: Uint8Array): Section[] {
  const reader = new Reader(module)
  reader.skip(8)
  const sections: Section[] = []
  while (reader.at < module.length) {
    const id = reader.byte()
    const length = reader.u32()
    sections.push({ id, bytes: module.subarray(reader.at, reader.at + length) })
    reader.skip(length)
  }
  return sections
}

export function writeModule(sections: readonly Section[]): Uint8Array<ArrayBuffer> {
  const out = new Writer()
  out.bytes([0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0])
  for (const { id, bytes } of sections) {
    out.bytes([id, ...u32(bytes.length)])
    out.bytes(bytes)
  }
  return out.written()
}

/** Appends entries to the vector of a section. */
export function appendEntries(section: Uint8Array, entries: readonly (readonly number[])[]): Uint8Array {
  const reader = new Reader(section)
  const count = reader.u32()
  const out = new Writer()
  out.bytes(u32(count + entries.length))
  out.bytes(section.subarray(reader.at))
  for (const entry of entries) out.bytes(entry)
  return out.written()
}

export interface FunctionType {
  /** Types of the parameters. */
  parameters: number[]
  /** Type of the single result, or null. */
  result: number | null
}

export function readTypes(section: Uint8Array): FunctionType[] {
  const reader = new Reader(section)
  return reader.vector(() => {
    if (reader.byte() !== 0x60) throw new TypeError('Only function types are supported.')
    const parameters = reader.vector(() => reader.byte())
    const results = reader.vector(() => reader.byte())
    if (results.length > 1) throw new TypeError('Functions with several results are not supported.')
    return { parameters, result: results[0] ?? null }
  })
}

export function countImports(section: Uint8Array): { functions: number; globals: number } {
  const reader = new Reader(section)
  const kinds = reader.vector(() => {
    reader.skip(reader.u32())
    reader.skip(reader.u32())
    const kind = reader.byte()
    if (kind === KIND.function) reader.u32()
    else if (kind === KIND.global) reader.skip(2)
    else {
      if (kind === KIND.table) reader.byte()
      const hasMaximum = reader.byte() & 1
      reader.skipLeb(1 + hasMaximum)
    }
    return kind
  })
  const count = (wanted: number) => kinds.filter((kind) => kind === wanted).length
  return { functions: count(KIND.function), globals: count(KIND.global) }
}

/** [global] whether it is mutable, for each global that the module defines. */
export function readMutability(section: Uint8Array): boolean[] {
  const reader = new Reader(section)
  return reader.vector(() => {
    reader.byte()
    const isMutable = reader.byte() === 1
    for (let opcode = reader.byte(); opcode !== OPCODE.end; opcode = reader.byte()) skipOperands(reader, opcode)
    return isMutable
  })
}

export function exportEntry(name: string, kind: number, index: number): number[] {
  const text = new TextEncoder().encode(name)
  return [...u32(text.length), ...text, kind, ...u32(index)]
}

// ------------------------------------------------------------------------------------------------ instructions

export const OPCODE = {
  unreachable: 0x00,
  block: 0x02,
  loop: 0x03,
  if: 0x04,
  end: 0x0b,
  br: 0x0c,
  brTable: 0x0e,
  return: 0x0f,
  call: 0x10,
  selectTyped: 0x1c,
  localGet: 0x20,
  globalGet: 0x23,
  globalSet: 0x24,
  i32Const: 0x41,
  f32Const: 0x43,
  f64Const: 0x44,
  i32LessSigned: 0x48,
  i32Add: 0x6a,
  i32Subtract: 0x6b,
  i32Or: 0x72,
  i32ShiftRightUnsigned: 0x76,
  prefixed: 0xfc,
} as const

/** Opcodes after the prefix 0xfc. */
export const PREFIXED = { memoryCopy: 0x0a, memoryFill: 0x0b } as const

/** Skips the operands of an opcode. Throws a TypeError for unknown instructions and for those that write tables. */
export function skipOperands(reader: Reader, opcode: number): void {
  if (opcode === OPCODE.brTable) return reader.skipLeb(reader.u32() + 1)
  if (opcode === OPCODE.selectTyped) return reader.skipLeb(reader.u32())
  if (opcode === OPCODE.f32Const) return reader.skip(4)
  if (opcode === OPCODE.f64Const) return reader.skip(8)
  if (opcode === OPCODE.prefixed) {
    const operation = reader.u32()
    return reader.skipLeb(PREFIXED_OPERANDS[operation] ?? unknownInstruction([opcode, operation]))
  }
  const count = operandCounts[opcode]!
  reader.skipLeb(count < 0 ? unknownInstruction([opcode]) : count)
}

/** LEB128 operands of the truncations, memory.init, data.drop, memory.copy and memory.fill. */
const PREFIXED_OPERANDS = [0, 0, 0, 0, 0, 0, 0, 0, 2, 1, 2, 1]

/** LEB128 operands of the other opcodes: [first, last, how many]. */
const OPERANDS = [
  [0x00, 0x01, 0], // unreachable, nop
  [0x02, 0x04, 1], // block, loop, if: their type
  [0x05, 0x05, 0], // else
  [0x0b, 0x0b, 0], // end
  [0x0c, 0x0d, 1], // br, br_if
  [0x0f, 0x0f, 0], // return
  [0x10, 0x10, 1], // call
  [0x11, 0x11, 2], // call_indirect
  [0x1a, 0x1b, 0], // drop, select
  [0x20, 0x24, 1], // locals and globals
  [0x25, 0x25, 1], // table.get
  [0x28, 0x3e, 2], // loads and stores
  [0x3f, 0x42, 1], // memory.size, memory.grow, i32.const, i64.const
  [0x45, 0xc4, 0], // arithmetic
  [0xd0, 0xd0, 1], // ref.null
  [0xd1, 0xd1, 0], // ref.is_null
  [0xd2, 0xd2, 1], // ref.func
] as const

const operandCounts = new Int8Array(256).fill(-1)
for (const [first, last, count] of OPERANDS) operandCounts.fill(count, first, last + 1)

function unknownInstruction(code: number[]): never {
  throw new TypeError(`The instruction ${code.map((byte) => byte.toString(16)).join(' ')} is not supported.`)
}

// ------------------------------------------------------------------------------------------------ bytes

export class Reader {
  readonly source: Uint8Array
  at = 0

  constructor(source: Uint8Array) {
    this.source = source
  }

  byte(): number {
    const byte = this.source[this.at++]
    if (byte === undefined) throw new TypeError('The module ends in the middle of a section.')
    return byte
  }

  u32(): number {
    let value = 0
    for (let shift = 0; ; shift += 7) {
      const byte = this.byte()
      value |= (byte & 0x7f) << shift
      if (byte < 0x80) return value >>> 0
    }
  }

  vector<Entry>(read: () => Entry): Entry[] {
    return Array.from({ length: this.u32() }, read)
  }

  /** Skips LEB128 numbers of any width. */
  skipLeb(count: number): void {
    for (; count > 0; count--) while (this.byte() >= 0x80);
  }

  skip(count: number): void {
    this.at += count
  }
}

export class Writer {
  #buffer = new Uint8Array(1 << 16)
  length = 0

  bytes(bytes: ArrayLike<number>): void {
    const needed = this.length + bytes.length
    if (needed > this.#buffer.length) {
      const larger = new Uint8Array(needed * 2)
      larger.set(this.written())
      this.#buffer = larger
    }
    this.#buffer.set(bytes, this.length)
    this.length = needed
  }

  clear(): void {
    this.length = 0
  }

  /** Valid until the next write. */
  written(): Uint8Array<ArrayBuffer> {
    return this.#buffer.subarray(0, this.length)
  }
}

export function u32(value: number): number[] {
  const bytes: number[] = []
  do {
    const low = value & 0x7f
    value >>>= 7
    bytes.push(value === 0 ? low : low | 0x80)
  } while (value !== 0)
  return bytes
}

/** Encodes a non-negative number for i32.const. */
export function s32(value: number): number[] {
  const bytes: number[] = []
  for (;;) {
    const low = value & 0x7f
    value >>>= 7
    if (value === 0 && (low & 0x40) === 0) return [...bytes, low]
    bytes.push(low | 0x80)
  }
}
