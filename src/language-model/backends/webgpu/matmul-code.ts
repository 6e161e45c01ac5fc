/**
 * Matrix products C = A · B in WGSL. An operand has an outer index (a row or column of C) and the inner index of the sum. It is stored
 * by 'rows' [outer, inner] or by 'columns' [inner, outer], which covers transposition.
 */
import { once, program } from './program.ts'
import { elementOf, type Part, partReader, type Precision, precisionName } from './rows-code.ts'

export type Stored = 'rows' | 'columns'
const THREADS = 64

/** Rows and columns of C that a workgroup computes: each thread has one or four blocks of 4 × 4. */
export type TileSize = 32 | 64

/** Inner indices in workgroup memory at a time. */
export type InnerSize = 8 | 16 | 32

/** How a device's matrix products are divided; `npm run bench -- --gpu` measures which settings suit it. */
export interface ProductSettings {
  inner: InnerSize
  /** Fewest workgroups that keep the device busy: for fewer, tiles are smaller and a long inner index is split. */
  wantedGroups: number
  /** Most rows of C for which dot products are faster than tiles. */
  mostDotRows: number
}

export const PRODUCT_SETTINGS: ProductSettings = { inner: 16, wantedGroups: 128, mostDotRows: 32 }

/**
 * Reads four adjacent numbers at once, or 0 outside the matrix. A matrix in four bits has whole groups in a row, whatever the other
 * operand has.
 */
function reader(name: 'a' | 'b', stored: Stored, part: Part, precision: Precision): string {
  const [along, length, across, lines] =
    stored === 'rows' ? ['inner', 'uniforms.k', 'outer', 'outers'] : ['outer', 'outers', 'inner', 'uniforms.k']
  const single = [1, 2, 3].map((i) => `select(0.0, ${name}[at + ${i}], ${along} + ${i} < ${length})`)
  const isSingle = part === 'f32' && precision !== 'four bits'
  return `
  ${partReader(name, precision, part)}
  fn ${name}Four(start : i32, outers : i32, outer : i32, inner : i32) -> vec4<f32> {
    if (${across} >= ${lines} || ${along} >= ${length}) { return vec4<f32>(0.0); }
    let at = start + ${across} * ${length} + ${along};
    return ${isSingle ? `vec4<f32>(${name}[at], ${single.join(', ')})` : `${name}Part(at / 4)`};
  }
`
}

/** Copies this thread's block of 4 outer and 4 inner indices into a tile [inner][outer / 4]. */
const bring = (name: 'a' | 'b', stored: Stored, size: TileSize, inner: InnerSize) => `
      for (var block = thread; block < QUADS * ${inner / 4}; block += ${THREADS}) {
        let ${stored === 'rows' ? `quad = block / ${inner / 4}` : 'quad = block % QUADS'};
        let ${stored === 'rows' ? `step = block % ${inner / 4} * 4` : 'step = block / QUADS * 4'};
        let outer = ${name}First + 4 * quad;
        let at = step * QUADS + quad;
        ${[0, 1, 2, 3]
          .map((i) =>
            stored === 'rows'
              ? `let line${i} = ${name}Four(${name}Start, ${name}Outers, outer + ${i}, inner + step);`
              : `${name}Tile[at + ${(i * size) / 4}] = ${name}Four(${name}Start, ${name}Outers, outer, inner + step + ${i});`,
          )
          .join('\n        ')}
        ${
          stored === 'rows'
            ? ['x', 'y', 'z', 'w']
                .map(
                  (c, i) =>
                    `${name}Tile[at + ${(i * size) / 4}] = vec4<f32>(line0.${c}, line1.${c}, line2.${c}, line3.${c});`,
                )
                .join('\n        ')
            : ''
        }
      }
`

/**
 * Computes a tile of C in a workgroup, with the operands' tiles in workgroup memory. The inner index may be split: part s of the sum
 * goes to c[s], or c[batch, s], and the caller adds them up. A vector `part` requires that four divides every stored length.
 * `precision` is that of b; arithmetic is in single precision.
 */
export const tiledProduct = once(
  (size: TileSize, inner: InnerSize, aStored: Stored, bStored: Stored, part: Part, precision: Precision) => {
    const quads = Array.from({ length: size / 32 }, (_, i) => i)
    const components = ['x', 'y', 'z', 'w']
    const each = (line: (i: number, c: number, j: number) => string) =>
      quads.flatMap((i) => components.flatMap((_, c) => quads.map((j) => line(i, c, j)))).join('\n      ')
    return program({
      name: `product in tiles of ${size} × ${inner}: ${aStored}, ${bStored}, ${part}${precisionName(precision)}`,
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
      threads: THREADS,
      code: `
  const QUADS = ${size / 4};
  var<workgroup> aTile : array<vec4<f32>, ${(inner * size) / 4}>;
  var<workgroup> bTile : array<vec4<f32>, ${(inner * size) / 4}>;
  ${reader('a', aStored, part, 'single')}
  ${reader('b', bStored, part, precision)}
  fn put(start : i32, row : i32, column : i32, value : vec4<f32>) {
    if (row >= uniforms.m || column >= uniforms.n) { return; }
    let at = start + row * uniforms.n + column;
    ${
      part === 'f32'
        ? components.map((c, i) => `if (column + ${i} < uniforms.n) { c[at + ${i}] = value.${c}; }`).join('\n    ')
        : 'c[at / 4] = value;'
    }
  }

  fn main(group : i32, thread : i32) {
    let columnTiles = (uniforms.n + ${size - 1}) / ${size};
    let rowTiles = (uniforms.m + ${size - 1}) / ${size};
    let bFirst = group % columnTiles * ${size};
    let aFirst = group / columnTiles % rowTiles * ${size};
    let part = group / columnTiles / rowTiles;
    let batch = part / uniforms.splits;
    let aStart = uniforms.aStart + batch * uniforms.aBatch;
    let bStart = uniforms.bStart + batch * uniforms.bBatch;
    let aOuters = uniforms.m;
    let bOuters = uniforms.n;
    let first = part % uniforms.splits * uniforms.innerPerSplit;
    let end = min(first + uniforms.innerPerSplit, uniforms.k);
    let aQuad = thread / 8;
    let bQuad = thread % 8;
    ${each((i, c, j) => `var sum${i}${c}${j} = vec4<f32>(0.0);`)}
    for (var inner = first; inner < end; inner += ${inner}) {
      ${bring('a', aStored, size, inner)}
      ${bring('b', bStored, size, inner)}
      workgroupBarrier();
      for (var step = 0; step < ${inner}; step++) {
        ${quads.map((i) => `let a${i} = aTile[step * QUADS + aQuad + ${8 * i}];`).join('\n        ')}
        ${quads.map((j) => `let b${j} = bTile[step * QUADS + bQuad + ${8 * j}];`).join('\n        ')}
        ${each((i, c, j) => `sum${i}${c}${j} += a${i}.${components[c]!} * b${j};`)}
      }
      workgroupBarrier();
    }
    let cStart = uniforms.cStart + part * uniforms.m * uniforms.n;
    ${each(
      (i, c, j) =>
        `put(cStart, aFirst + 4 * (aQuad + ${8 * i}) + ${c}, bFirst + 4 * (bQuad + ${8 * j}), sum${i}${c}${j});`,
    )}
  }
`,
    })
  },
)
