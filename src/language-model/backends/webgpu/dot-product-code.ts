/**
 * Products of few rows with weights, in WGSL, as when a few tokens pass through a layer. Weights that read the same rows, such as those
 * of queries, keys and values, share a program run: starting a program takes longer than its arithmetic.
 */
import { once, type Program, times } from './program.ts'
import { elementOf, type Part, partReader, type Precision, precisionName, rowsPerGroup } from './rows-code.ts'

const THREADS = 64
/** Columns of C that share a lane's reads of A. */
const DOT_COLUMNS = 4
/** Most rows of C that share a lane's reads of B. */
const DOT_ROWS = 8
/** Most weights of a program: a device may allow one as few as eight buffers. */
export const MOST_DOT_WEIGHTS = 6

/** Workgroups of a product with m rows and n columns. */
export const dotGroups = (m: number, n: number, rows: number, lanes: number) =>
  Math.ceil(m / rows) * Math.ceil(n / (DOT_COLUMNS * rowsPerGroup(lanes)))

/** Rows of C that a workgroup computes at a time if there are m. */
export const dotRows = (m: number) => Math.min(DOT_ROWS, 2 ** Math.ceil(Math.log2(m)))

/**
 * C_w = A · B_wᵀ for each weight w, which share a result and begin at cStart_w: a[m, k], b_w[n_w, k]. Lanes share the inner index of
 * `rows` × 4 numbers of C and add up their sums through workgroup memory or, if `lanes` is a workgroup, within subgroups first.
 * `precisions` are those of the weights, separated by commas. `k` and the starts of the operands count parts.
 */
export const dotProducts = once(
  (
    rows: number,
    lanes: number,
    part: Part,
    precisions: string,
    subgroups: boolean,
  ): Program<string, string, string> => {
    const weights = precisions.split(',') as Precision[]
    const each = (line: (w: number, precision: Precision) => string) =>
      weights.map((precision, w) => line(w, precision)).join('\n    ')
    const [parameters, passed] = subgroups
      ? [', subgroupLane : i32, subgroupLanes : i32', ', subgroupLane, subgroupLanes']
      : ['', '']
    return {
      name: `dot products of ${rows} rows: ${lanes} lanes, ${part}${weightsName(weights)}${subgroups ? ', subgroups' : ''}`,
      reads: {
        a: part,
        ...Object.fromEntries(weights.map((precision, w) => [`b${w}`, elementOf(precision, part)])),
      },
      writes: { c: 'f32' },
      uniforms: {
        m: 'i32',
        k: 'i32',
        aStart: 'i32',
        ...Object.fromEntries(
          weights.flatMap((_, w) => [`n${w}`, `bStart${w}`, `cStart${w}`].map((name) => [name, 'i32'] as const)),
        ),
      },
      threads: THREADS,
      usesSubgroups: subgroups,
      code: `
  const LANES = ${lanes};
  const ROWS = ${rows};
  const COLUMNS = ${DOT_COLUMNS * rowsPerGroup(lanes)};
  var<workgroup> part : array<vec4<f32>, ${THREADS} * ROWS>;
  ${each((w, precision) => partReader(`b${w}`, precision, part))}

  ${each(
    (w) => `
  fn product${w}(group : i32, thread : i32${parameters}) {
    let columnGroups = (uniforms.n${w} + COLUMNS - 1) / COLUMNS;
    let lane = thread % LANES;
    let column = group % columnGroups * COLUMNS + thread / LANES * ${DOT_COLUMNS};
    let row = group / columnGroups * ROWS;
    ${times(4, (j) => `let b${j} = uniforms.bStart${w} + min(column + ${j}, uniforms.n${w} - 1) * uniforms.k;`)}
    ${times(rows, (r) => `let a${r} = uniforms.aStart + min(row + ${r}, uniforms.m - 1) * uniforms.k;`)}
    ${times(rows, (r) => `var sum${r} = vec4<f32>(0.0);`)}
    for (var i = lane; i < uniforms.k; i += LANES) {
      let y = ${part === 'f32' ? 'vec4<f32>' : 'mat4x4<f32>'}(${[0, 1, 2, 3].map((j) => `b${w}Part(b${j} + i)`).join(', ')});
      ${times(rows, (r) => `sum${r} += a[a${r} + i] * y;`)}
    }
    ${subgroups ? withSubgroups(rows) : throughMemory(rows)}
    for (var r = lane; r < min(ROWS, uniforms.m - row); r += LANES) {
      let at = uniforms.cStart${w} + (row + r) * uniforms.n${w} + column;
      ${subgroups ? SUM_OF_SUBGROUPS : 'let value = part[(thread - lane) * ROWS + r];'}
      for (var j = 0; j < min(${DOT_COLUMNS}, uniforms.n${w} - column); j++) { c[at + j] = value[j]; }
    }
  }`,
  )}

  fn main(group : i32, thread : i32${parameters}) {
    let rowGroups = (uniforms.m + ROWS - 1) / ROWS;
    var left = group;
    ${each(
      (w) => `
    let groups${w} = rowGroups * ((uniforms.n${w} + COLUMNS - 1) / COLUMNS);
    if (left < groups${w}) {
      product${w}(left, thread${passed});
      return;
    }
    left -= groups${w};`,
    )}
  }
`,
    }
  },
)

/** "half" for one weight, and "3 half, 3 single" for several. */
function weightsName(weights: readonly Precision[]): string {
  if (weights.length === 1) return precisionName(weights[0]!)
  const runs: { precision: Precision; count: number }[] = []
  for (const precision of weights) {
    const last = runs.at(-1)
    if (last?.precision === precision) last.count++
    else runs.push({ precision, count: 1 })
  }
  return runs.map(({ precision, count }) => `, ${count} ${precision}`).join('')
}

/** Adds up the lanes' sums in the place of the first. */
const throughMemory = (rows: number) => `
    ${times(rows, (r) => `part[thread * ROWS + ${r}] = sum${r};`)}
    workgroupBarrier();
    for (var half = LANES / 2; half > 0; half /= 2) {
      if (lane < half) {
        for (var r = 0; r < ROWS; r++) { part[thread * ROWS + r] += part[(thread + half) * ROWS + r]; }
      }
      workgroupBarrier();
    }
`

/** Adds up each subgroup's sums in the place of its first thread. */
const withSubgroups = (rows: number) => `
    let first = subgroupMin(thread);
    let isInOrder = subgroupAll(thread / subgroupLanes == first / subgroupLanes);
    ${times(rows, (r) => `sum${r} = subgroupAdd(sum${r});`)}
    if (subgroupLane == 0) {
      ${times(rows, (r) => `part[first * ROWS + ${r}] = sum${r};`)}
    }
    workgroupBarrier();
`

/** The device decides which threads form a subgroup: sums are at multiples of its size if threads are in order, else anywhere. */
const SUM_OF_SUBGROUPS = `
      let stride = select(1, subgroupLanes, isInOrder);
      var value = part[r];
      for (var other = stride; other < ${THREADS}; other += stride) { value += part[other * ROWS + r]; }
`
