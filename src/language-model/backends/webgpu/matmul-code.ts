/**
 * Matrix products C = A · B in WGSL. An operand has an outer index (a row or column of C) and the inner index of the sum. It is stored
 * by 'rows' [outer, inner] or by 'columns' [inner, outer], which covers transposition.
 */
import { once, program, times } from './program.ts'
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

/** How a device's matrix products are divided; `npm run bench -- --gpu` measures which settings suit it. */
export interface ProductSettings {
  /** The largest tile. */
  mostRows: LargeTile['rows']
  mostColumns: LargeTile['columns']
  inner: InnerSize
  /** Fewest workgroups that keep the device busy: for fewer, tiles are smaller and a long inner index is split. */
  wantedGroups: number
  /** Most rows of C for which dot products are faster than tiles. */
  mostDotRows: number
}

export const PRODUCT_SETTINGS: ProductSettings = {
  mostRows: 64,
  mostColumns: 64,
  inner: 16,
  wantedGroups: 128,
  mostDotRows: 32,
}

/** Each thread has 1 × 1 or 2 × 2 blocks of 4 × 4 numbers of C: the more, the fewer reads of workgroup memory for a multiplication. */
function divisionOf({ rows, columns }: Tile) {
  const blocks = rows >= 64 ? 2 : 1
  const [threadRows, threadColumns] = [rows / 4 / blocks, columns / 4 / blocks]
  return { blocks, threadRows, threadColumns, threads: threadRows * threadColumns }
}

/** Whether a device has enough threads and workgroup memory for a tile. */
export function canRun(
  limits: Pick<
    GPUSupportedLimits,
    'maxComputeInvocationsPerWorkgroup' | 'maxComputeWorkgroupSizeX' | 'maxComputeWorkgroupStorageSize'
  >,
  tile: Tile,
  inner: InnerSize,
): boolean {
  const { threads } = divisionOf(tile)
  return (
    threads <= Math.min(limits.maxComputeInvocationsPerWorkgroup, limits.maxComputeWorkgroupSizeX) &&
    (tile.rows + tile.columns) * inner * 4 <= limits.maxComputeWorkgroupStorageSize
  )
}

/**
 * Reads blocks of 4 outer and 4 inner indices of an operand, or 0 outside the matrix, and writes them to its tile in workgroup memory:
 * [inner / 4][4][outer / 4]. A matrix in four bits has whole groups in a row, whatever the other operand has. Halves stay packed until
 * they are written: unpacking one would wait for memory before the next is read.
 */
function copier(
  name: 'a' | 'b',
  stored: Stored,
  { size, inner, part, precision }: { size: number; inner: InnerSize; part: Part; precision: Precision },
): string {
  const outers = name === 'a' ? 'uniforms.m' : 'uniforms.n'
  const [along, length, across, end] =
    stored === 'rows' ? ['inner', 'uniforms.k', 'outer', outers] : ['outer', outers, 'inner', 'uniforms.k']
  const single = [1, 2, 3].map((i) => `select(0.0, ${name}[at + ${i}], ${along} + ${i} < ${length})`)
  // Threads next to one another read what is so in memory.
  const [quad, step] =
    stored === 'rows'
      ? [`block / ${inner / 4}`, `block % ${inner / 4}`]
      : [`block % ${size / 4}`, `block / ${size / 4}`]
  const read = (i: number) => `${name}Four(start, ${stored === 'rows' ? `outer + ${i}, inner` : `outer, inner + ${i}`})`
  const isHalf = precision === 'half'
  const four = isHalf
    ? `${name}[at / 4]`
    : part === 'f32' && precision === 'single'
      ? `vec4<f32>(${name}[at], ${single.join(', ')})`
      : `${name}Part(at / 4)`
  const element = isHalf ? 'vec2<u32>' : 'vec4<f32>'
  const floats = (i: number) =>
    isHalf ? `vec4<f32>(unpack2x16float(lines[${i}].x), unpack2x16float(lines[${i}].y))` : `lines[${i}]`
  const block = `mat4x4<f32>(${[0, 1, 2, 3].map(floats).join(', ')})`
  return `
  var<workgroup> ${name}Tile : array<array<array<vec4<f32>, ${size / 4}>, 4>, ${inner / 4}>;
  ${partReader(name, precision, part)}
  fn ${name}Four(start : i32, outer : i32, inner : i32) -> ${element} {
    if (${across} >= ${end} || ${along} >= ${length}) { return ${element}(); }
    let at = start + ${across} * ${length} + ${along};
    return ${four};
  }
  fn ${name}Read(block : i32, start : i32, firstOuter : i32, firstInner : i32) -> array<${element}, 4> {
    let outer = firstOuter + 4 * (${quad});
    let inner = firstInner + 4 * (${step});
    return array<${element}, 4>(${[0, 1, 2, 3].map(read).join(', ')});
  }
  fn ${name}Write(block : i32, lines : array<${element}, 4>) {
    let numbers = ${stored === 'rows' ? `transpose(${block})` : block};
    let step = ${step};
    let place = ${placeOf(`(${quad})`, 'step', inner)};
    ${times(4, (i) => `${name}Tile[step][${i}][place] = numbers[${i}];`)}
  }
`
}

/**
 * Divides an operand's blocks among the threads from `from` on. Both operands' `read` come before their `write`, so that reads wait for
 * memory together.
 */
function copyOf(name: 'a' | 'b', blocks: number, threads: number, from: number) {
  const copies = Math.ceil(blocks / threads)
  const block = (i: number) => `thread + ${i * threads - from}`
  const read = times(
    copies,
    (i) => `let ${name}Block${i} = ${name}Read(${block(i)}, ${name}Start, ${name}First, inner);`,
  )
  const write = times(copies, (i) => `${name}Write(${block(i)}, ${name}Block${i});`)
  return blocks < threads
    ? { read: `if (thread >= ${from} && thread < ${from + blocks}) { ${read} ${write} }`, write: '' }
    : { read, write }
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
    aStored: Stored,
    bStored: Stored,
    part: Part,
    precision: Precision,
  ) => {
    const { blocks, threadRows, threadColumns, threads } = divisionOf({ rows, columns })
    const [aBlocks, bBlocks] = [(rows * inner) / 16, (columns * inner) / 16]
    const copyA = copyOf('a', aBlocks, threads, 0)
    // If threads are left, they copy b.
    const copyB = copyOf('b', bBlocks, threads, aBlocks < threads ? aBlocks : 0)
    const ofBlocks = Array.from({ length: blocks }, (_, i) => i)
    const each = (line: (i: number, c: number, j: number) => string) =>
      ofBlocks.flatMap((i) => COMPONENTS.flatMap((_, c) => ofBlocks.map((j) => line(i, c, j)))).join('\n      ')
    return program({
      name: `product in tiles of ${rows} × ${columns} × ${inner}: ${aStored}, ${bStored}, ${part}${precisionName(precision)}`,
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
  ${copier('a', aStored, { size: rows, inner, part, precision: 'single' })}
  ${copier('b', bStored, { size: columns, inner, part, precision })}
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
    let first = part % uniforms.splits * uniforms.innerPerSplit;
    let end = min(first + uniforms.innerPerSplit, uniforms.k);
    ${quadsOfThread(threadColumns)}
    ${each((i, c, j) => `var sum${i}${c}${j} = vec4<f32>(0.0);`)}
    for (var inner = first; inner < end; inner += ${inner}) {
      ${copyA.read}
      ${copyB.read}
      ${copyA.write}
      ${copyB.write}
      workgroupBarrier();
      for (var step = 0; step < ${inner / 4}; step++) {
        let aPlace = ${placeOf('rowQuad', 'step', inner)};
        let bPlace = ${placeOf('columnQuad', 'step', inner)};
        ${
          // Written out, as the device's bounds checks are the same for all four.
          times(
            4,
            (i) => `{
          ${times(blocks, (j) => `let a${j} = aTile[step][${i}][aPlace + ${threadRows * j}];`)}
          ${times(blocks, (j) => `let b${j} = bTile[step][${i}][bPlace + ${threadColumns * j}];`)}
          ${each((i, c, j) => `sum${i}${c}${j} += a${i}.${COMPONENTS[c]!} * b${j};`)}
        }`,
          )
        }
      }
      workgroupBarrier();
    }
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
