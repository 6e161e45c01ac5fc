/**
 * Matrix products C = A · B in WGSL. An operand has an outer index (a row or column of C) and the inner index of the sum. It is stored
 * by 'rows' [outer, inner] or by 'columns' [inner, outer], which covers transposition.
 */
import { once, program } from './program.ts'
import { elementOf, type Part, partReader, type Precision, precisionName } from './rows-code.ts'

export type Stored = 'rows' | 'columns'
/** Rows and columns of C that a workgroup computes. */
export interface Tile {
  rows: 32 | 64 | 128
  columns: 32 | 64 | 128
}

interface LargeTile extends Tile {
  rows: 64 | 128
  columns: 64 | 128
}

export const SMALLEST_TILE: Tile = { rows: 32, columns: 32 }
export const MEDIUM_TILE: LargeTile = { rows: 64, columns: 64 }
/** From the largest on. */
export const LARGE_TILES: readonly LargeTile[] = [{ rows: 128, columns: 128 }, { rows: 128, columns: 64 }, MEDIUM_TILE]

/** Inner indices in workgroup memory at a time. */
export type InnerSize = 8 | 16 | 32

/**
 * Where the operands' next tiles are read to while the present ones are multiplied: nowhere, to registers, or to registers and from
 * there to a second buffer in workgroup memory, which saves a barrier.
 */
export type Prefetch = 'none' | 'registers' | 'second buffer'

/** How a device's matrix products are divided; `npm run bench -- --gpu` measures which settings suit it. */
export interface ProductSettings {
  /** The largest tile. */
  mostRows: LargeTile['rows']
  mostColumns: LargeTile['columns']
  inner: InnerSize
  prefetch: Prefetch
  /** Fewest workgroups that keep the device busy: for fewer, tiles are smaller and a long inner index is split. */
  wantedGroups: number
  /** Most rows of C for which dot products are faster than tiles. */
  mostDotRows: number
}

export const PRODUCT_SETTINGS: ProductSettings = {
  mostRows: 64,
  mostColumns: 64,
  inner: 16,
  prefetch: 'none',
  wantedGroups: 128,
  mostDotRows: 32,
}

/** Each thread has 1 × 1 or 2 × 2 blocks of 4 × 4 numbers of C: the more, the fewer reads of workgroup memory for a multiplication. */
function divisionOf({ rows, columns }: Tile) {
  const blocks = rows >= 64 ? 2 : 1
  const [threadRows, threadColumns] = [rows / 4 / blocks, columns / 4 / blocks]
  return { blocks, threadRows, threadColumns, threads: threadRows * threadColumns }
}

const buffersOf = (prefetch: Prefetch) => (prefetch === 'second buffer' ? 2 : 1)

/** Whether a device has enough threads and workgroup memory for a tile. */
export function canRun(
  limits: Pick<
    GPUSupportedLimits,
    'maxComputeInvocationsPerWorkgroup' | 'maxComputeWorkgroupSizeX' | 'maxComputeWorkgroupStorageSize'
  >,
  tile: Tile,
  { inner, prefetch }: Pick<ProductSettings, 'inner' | 'prefetch'>,
): boolean {
  const { threads } = divisionOf(tile)
  return (
    threads <= Math.min(limits.maxComputeInvocationsPerWorkgroup, limits.maxComputeWorkgroupSizeX) &&
    buffersOf(prefetch) * (tile.rows + tile.columns) * inner * 4 <= limits.maxComputeWorkgroupStorageSize
  )
}

/**
 * Reads four adjacent numbers at once, or 0 outside the matrix. A matrix in four bits has whole groups in a row, whatever the other
 * operand has. Halves are unpacked apart, because that would wait for what has been read.
 */
function reader(name: 'a' | 'b', stored: Stored, part: Part, precision: Precision): string {
  const [along, length, across, lines] =
    stored === 'rows' ? ['inner', 'uniforms.k', 'outer', 'outers'] : ['outer', 'outers', 'inner', 'uniforms.k']
  const single = [1, 2, 3].map((i) => `select(0.0, ${name}[at + ${i}], ${along} + ${i} < ${length})`)
  const isSingle = part === 'f32' && precision !== 'four bits'
  const four = isSingle ? `vec4<f32>(${name}[at], ${single.join(', ')})` : `${name}Part(at / 4)`
  const isHalf = precision === 'half'
  return `
  ${partReader(name, precision, part)}
  fn ${name}Four(start : i32, outers : i32, outer : i32, inner : i32) -> vec4<u32> {
    if (${across} >= ${lines} || ${along} >= ${length}) { return vec4<u32>(0u); }
    let at = start + ${across} * ${length} + ${along};
    return ${isHalf ? `vec4<u32>(${name}[at / 4], 0u, 0u)` : `bitcast<vec4<u32>>(${four})`};
  }
  fn ${name}Floats(four : vec4<u32>) -> vec4<f32> {
    return ${isHalf ? 'vec4<f32>(unpack2x16float(four.x), unpack2x16float(four.y))' : 'bitcast<vec4<f32>>(four)'};
  }
`
}

/**
 * Copies an operand's tile to workgroup memory, as [inner / 4][4][outer / 4]. A thread has whole blocks of 4 outer and 4 inner
 * indices, from thread `from` on, and keeps them as read in next0, next1, ... from `register` on until it writes them.
 */
function copyOf(
  name: 'a' | 'b',
  stored: Stored,
  { size, inner, threads }: { size: number; inner: InnerSize; threads: number },
  { from, register }: { from: number; register: number },
) {
  const [quads, steps] = [size / 4, inner / 4]
  const blocks = quads * steps
  const copies = Array.from({ length: Math.ceil(blocks / threads) }, (_, copy) => copy)
  const next = (copy: number, i: number) => `next${register + 4 * copy + i}`
  const ofOwnThreads = (lines: readonly string[]) =>
    blocks < threads
      ? `if (thread >= ${from} && thread < ${from + blocks}) {\n        ${lines.join('\n        ')}\n      }`
      : lines.join('\n      ')
  return {
    blocks,
    registers: 4 * copies.length,
    /** Threads next to one another read what is so in memory. */
    places: copies
      .map((copy) => {
        const block = `(thread + ${copy * threads - from})`
        const [quad, step] =
          stored === 'rows'
            ? [`${block} / ${steps}`, `${block} % ${steps}`]
            : [`${block} % ${quads}`, `${block} / ${quads}`]
        return `let ${name}Quad${copy} = ${quad}; let ${name}Step${copy} = ${step};`
      })
      .join('\n    '),
    read: (inner: string) =>
      ofOwnThreads(
        copies.flatMap((copy) =>
          [0, 1, 2, 3].map((i) => {
            const [outer, step] = [`${name}First + 4 * ${name}Quad${copy}`, `${inner} + 4 * ${name}Step${copy}`]
            const at = stored === 'rows' ? `${outer} + ${i}, ${step}` : `${outer}, ${step} + ${i}`
            return `${next(copy, i)} = ${name}Four(${name}Start, ${name}Outers, ${at});`
          }),
        ),
      ),
    write: (buffer: string) =>
      ofOwnThreads(
        copies.flatMap((copy) => {
          const lines = [0, 1, 2, 3].map((i) => `${name}Floats(${next(copy, i)})`)
          const block =
            stored === 'rows' ? `transpose(mat4x4<f32>(${lines.join(', ')}))` : `mat4x4<f32>(${lines.join(', ')})`
          const step = `${name}Step${copy}`
          return [
            `let ${name}Block${copy} = ${block};`,
            `let ${name}Place${copy} = ${placeOf(`${name}Quad${copy}`, step, inner)};`,
            ...[0, 1, 2, 3].map(
              (i) => `${name}Tile[${buffer}][${step}][${i}][${name}Place${copy}] = ${name}Block${copy}[${i}];`,
            ),
          ]
        }),
      ),
  }
}

/**
 * Where four outer indices are in a row of a tile. Eight threads access workgroup memory at a time, 16 bytes each, in banks that
 * repeat after 128 bytes, as rows do. Threads that write a transposed operand have few outer indices but all inner ones: those of
 * different inner indices would wait for the same banks if their places were not exchanged.
 */
const placeOf = (quad: string, step: string, inner: InnerSize) => `${quad} ^ (${step} * ${32 / inner})`

const COMPONENTS = ['x', 'y', 'z', 'w'] as const

/**
 * Computes a tile of C in a workgroup, with the operands' tiles in workgroup memory. The inner index may be split: part s of the sum
 * goes to c[s], or c[batch, s], and the caller adds them up. A vector `part` requires that four divides every stored length.
 * `precision` is that of b; arithmetic is in single precision.
 */
export const tiledProduct = once(
  (
    rows: Tile['rows'],
    columns: Tile['columns'],
    inner: InnerSize,
    prefetch: Prefetch,
    aStored: Stored,
    bStored: Stored,
    part: Part,
    precision: Precision,
  ) => {
    const { blocks, threadRows, threadColumns, threads } = divisionOf({ rows, columns })
    const copyA = copyOf('a', aStored, { size: rows, inner, threads }, { from: 0, register: 0 })
    // If threads are left, they copy b, in the same registers.
    const copyB = copyOf(
      'b',
      bStored,
      { size: columns, inner, threads },
      copyA.blocks < threads ? { from: copyA.blocks, register: 0 } : { from: 0, register: copyA.registers },
    )
    const registers = copyA.blocks < threads ? copyA.registers : copyA.registers + copyB.registers
    const read = (from: string) => `${copyA.read(from)}\n      ${copyB.read(from)}`
    const write = (buffer: string) => `${copyA.write(buffer)}\n      ${copyB.write(buffer)}`
    const ofBlocks = Array.from({ length: blocks }, (_, i) => i)
    const each = (line: (i: number, c: number, j: number) => string) =>
      ofBlocks.flatMap((i) => COMPONENTS.flatMap((_, c) => ofBlocks.map((j) => line(i, c, j)))).join('\n      ')
    // Four inner indices are written out, and the device's bounds checks are the same for all.
    const multiply = (buffer: string) => `
      for (var step = 0; step < ${inner / 4}; step++) {
        let aPlace = ${placeOf('rowQuad', 'step', inner)};
        let bPlace = ${placeOf('columnQuad', 'step', inner)};
        ${times(
          4,
          (i) => `{
          ${times(blocks, (j) => `let a${j} = aTile[${buffer}][step][${i}][aPlace + ${threadRows * j}];`)}
          ${times(blocks, (j) => `let b${j} = bTile[${buffer}][step][${i}][bPlace + ${threadColumns * j}];`)}
          ${each((i, c, j) => `sum${i}${c}${j} += a${i}.${COMPONENTS[c]!} * b${j};`)}
        }`,
        )}
      }`
    const loops: Record<Prefetch, string> = {
      none: `
    for (var inner = first; inner < end; inner += ${inner}) {
      ${read('inner')}
      ${write('0')}
      workgroupBarrier();
      ${multiply('0')}
      workgroupBarrier();
    }`,
      registers: `
    ${read('first')}
    for (var inner = first; inner < end; inner += ${inner}) {
      ${write('0')}
      workgroupBarrier();
      if (inner + ${inner} < end) {
      ${read(`inner + ${inner}`)}
      }
      ${multiply('0')}
      workgroupBarrier();
    }`,
      'second buffer': `
    ${read('first')}
    ${write('0')}
    workgroupBarrier();
    var now = 0;
    for (var inner = first; inner < end; inner += ${inner}) {
      if (inner + ${inner} < end) {
      ${read(`inner + ${inner}`)}
      }
      ${multiply('now')}
      now = 1 - now;
      ${write('now')}
      workgroupBarrier();
    }`,
    }
    const prefetchName = prefetch === 'none' ? '' : `, prefetch to ${prefetch}`
    return program({
      name: `product in tiles of ${rows} × ${columns} × ${inner}${prefetchName}: ${aStored}, ${bStored}, ${part}${precisionName(precision)}`,
      reads: { a: part, b: elementOf(precision, part) },
      writes: { c: part },
      uniforms: {
        m: 'i32',
        n: 'i32',
        k: 'i32',
        aStart: 'i32',
        bStart: 'i32',
        cStart: 'i32',
        aBatch: 'i32',
        bBatch: 'i32',
        splits: 'i32',
        innerPerSplit: 'i32',
      },
      threads,
      code: `
  var<workgroup> aTile : array<array<array<array<vec4<f32>, ${rows / 4}>, 4>, ${inner / 4}>, ${buffersOf(prefetch)}>;
  var<workgroup> bTile : array<array<array<array<vec4<f32>, ${columns / 4}>, 4>, ${inner / 4}>, ${buffersOf(prefetch)}>;
  ${reader('a', aStored, part, 'single')}
  ${reader('b', bStored, part, precision)}
  fn put(start : i32, row : i32, column : i32, value : vec4<f32>) {
    if (row >= uniforms.m || column >= uniforms.n) { return; }
    let at = start + row * uniforms.n + column;
    ${
      part === 'f32'
        ? COMPONENTS.map((c, i) => `if (column + ${i} < uniforms.n) { c[at + ${i}] = value.${c}; }`).join('\n    ')
        : 'c[at / 4] = value;'
    }
  }

  fn main(group : i32, thread : i32) {
    let columnTiles = (uniforms.n + ${columns - 1}) / ${columns};
    let rowTiles = (uniforms.m + ${rows - 1}) / ${rows};
    let bFirst = group % columnTiles * ${columns};
    let aFirst = group / columnTiles % rowTiles * ${rows};
    let part = group / columnTiles / rowTiles;
    let batch = part / uniforms.splits;
    let aStart = uniforms.aStart + batch * uniforms.aBatch;
    let bStart = uniforms.bStart + batch * uniforms.bBatch;
    let aOuters = uniforms.m;
    let bOuters = uniforms.n;
    let first = part % uniforms.splits * uniforms.innerPerSplit;
    let end = min(first + uniforms.innerPerSplit, uniforms.k);
    ${copyA.places}
    ${copyB.places}
    ${quadsOfThread(threadColumns)}
    ${times(registers, (i) => `var next${i} = vec4<u32>(0u);`)}
    ${each((i, c, j) => `var sum${i}${c}${j} = vec4<f32>(0.0);`)}
    ${loops[prefetch]}
    let cStart = uniforms.cStart + part * uniforms.m * uniforms.n;
    ${each(
      (i, c, j) =>
        `put(cStart, aFirst + 4 * (rowQuad + ${threadRows * i}) + ${c}, bFirst + 4 * (columnQuad + ${threadColumns * j}), sum${i}${c}${j});`,
    )}
  }
`,
    })
  },
)
/**
 * The place of a thread's first block in a tile. 32 adjacent threads have 4 × 8 blocks, so that they read few different numbers. Threads
 * whose numbers differ by 1 share a row, and those by 2 a column: then NVIDIA's devices read workgroup memory in half the time
 * (https://forums.developer.nvidia.com/t/unexpected-shared-memory-bank-conflict/77228).
 */
const quadsOfThread = (threadColumns: number) => `
    let warp = thread / 32;
    let rowQuad = warp / ${threadColumns / 8} * 4 + thread / 16 % 2 * 2 + thread / 2 % 2;
    let columnQuad = warp % ${threadColumns / 8} * 8 + thread / 4 % 4 * 2 + thread % 2;`

const times = (count: number, line: (i: number) => string) =>
  Array.from({ length: count }, (_, i) => line(i)).join('\n    ')
