/** Programs of rows: normalisation, sums down the columns, and rows picked, written and added up by index. */
import { BLOCK_WORDS, GROUP } from '../../weights/weight-storage.ts'
import { once, program } from './program.ts'

/** A row is read in vectors of four numbers where four divides it. */
export type Part = 'f32' | 'vec4<f32>'
export const partOf = (width: number): Part => (width % 4 === 0 ? 'vec4<f32>' : 'f32')
export const sizeOf = (part: Part): 1 | 4 => (part === 'f32' ? 1 : 4)

/** What a weight is stored in that a program reads. */
export type Precision = 'single' | 'half' | 'four bits'

/** What a weight is read in. */
export const elementOf = (precision: Precision, part: Part) =>
  precision === 'four bits' ? 'u32' : precision === 'half' ? 'vec2<u32>' : part

/** In a program's name. */
export const precisionName = (precision: Precision) => (precision === 'single' ? '' : `, ${precision}`)

/**
 * `name`Part(at): a part of a weight that is stored so. In half precision two numbers are in a word; in four bits, four are half a word of
 * a block (weight-storage.ts).
 */
export function partReader(name: string, precision: Precision, part: Part): string {
  switch (precision) {
    case 'single':
      return `fn ${name}Part(at : i32) -> ${part} { return ${name}[at]; }`
    case 'half':
      return `
  fn ${name}Part(at : i32) -> vec4<f32> {
    return vec4<f32>(unpack2x16float(${name}[at].x), unpack2x16float(${name}[at].y));
  }
`
    case 'four bits':
      return `
  fn ${name}Part(at : i32) -> vec4<f32> {
    let block = at / ${GROUP / 4} * ${BLOCK_WORDS};
    let codes = ${name}[block + at % ${GROUP / 4} / 2] >> u32(at % 2 * 16);
    let four = (vec4<u32>(codes) >> vec4<u32>(0u, 4u, 8u, 12u)) & vec4<u32>(15u);
    return (vec4<f32>(four) - 7.0) * bitcast<f32>(${name}[block + ${BLOCK_WORDS - 1}]);
  }
`
  }
}

const THREADS = 64

/** How many threads share a row of that many parts, a power of two: about two parts for each, and at most a workgroup. */
export function lanesOf(parts: number): number {
  return Math.min(THREADS, 2 ** Math.ceil(Math.log2(Math.max(1, parts / 2))))
}

/** Rows that a workgroup works on at a time. */
export const rowsPerGroup = (lanes: number): number => THREADS / lanes

/** Sums `part` over the LANES threads of a row into the first; everybody may read it afterwards. */
const SUM_OVER_LANES = `
      workgroupBarrier();
      for (var half = LANES / 2; half > 0; half /= 2) {
        if (lane < half) { part[thread] += part[thread + half]; }
        workgroupBarrier();
      }
`

const total = (part: Part) =>
  part === 'f32'
    ? 'fn total(x : f32) -> f32 { return x; }'
    : 'fn total(x : vec4<f32>) -> f32 { return dot(x, vec4<f32>(1.0)); }'

/** x[rows, width] → y = w ⊙ x · r, r = 1 / sqrt(mean(x²) + ε). `width` counts parts, `share` is 1 / d. */
export const rmsNorm = once((part: Part, lanes: number) =>
  program({
    name: `rmsNorm ${part} ${lanes}`,
    reads: { x: part, weight: part },
    writes: { y: part },
    uniforms: { rows: 'i32', width: 'i32', share: 'f32', epsilon: 'f32' },
    threads: THREADS,
    code: `
  const LANES = ${lanes};
  var<workgroup> part : array<f32, ${THREADS}>;
  ${total(part)}
  fn main(group : i32, thread : i32) {
    let lane = thread % LANES;
    let row = group * ${rowsPerGroup(lanes)} + thread / LANES;
    let isRow = row < uniforms.rows;
    let start = min(row, uniforms.rows - 1) * uniforms.width;
    var squares = 0.0;
    for (var i = lane; i < uniforms.width; i += LANES) { squares += total(x[start + i] * x[start + i]); }
    part[thread] = squares;
    ${SUM_OVER_LANES}
    let r = inverseSqrt(part[thread - lane] * uniforms.share + uniforms.epsilon);
    if (isRow) {
      for (var i = lane; i < uniforms.width; i += LANES) { y[start + i] = x[start + i] * r * weight[i]; }
    }
  }
`,
  }),
)

/**
 * dx = r (w ⊙ dy) - x r³ mean(w ⊙ dy ⊙ x), and dy ⊙ x · r summed over the rows of each strand: strand s has the rows s, s + strands, ...
 * → dx[rows, width], weightSums[strands, width].
 */
export const rmsNormGradient = once((part: Part, lanes: number) =>
  program({
    name: `rmsNorm gradient ${part} ${lanes}`,
    reads: { dy: part, x: part, weight: part },
    writes: { dx: part, weightSums: part },
    uniforms: { rows: 'i32', width: 'i32', strands: 'i32', steps: 'i32', share: 'f32', epsilon: 'f32' },
    threads: THREADS,
    code: `
  const LANES = ${lanes};
  var<workgroup> part : array<vec2<f32>, ${THREADS}>;
  ${total(part)}
  fn main(group : i32, thread : i32) {
    let lane = thread % LANES;
    let strand = group * ${rowsPerGroup(lanes)} + thread / LANES;
    for (var i = lane; i < uniforms.width; i += LANES) { weightSums[strand * uniforms.width + i] = ${part}(0.0); }
    for (var step = 0; step < uniforms.steps; step++) {
      let row = step * uniforms.strands + strand;
      let isRow = row < uniforms.rows;
      let start = min(row, uniforms.rows - 1) * uniforms.width;
      var sums = vec2<f32>(0.0);
      for (var i = lane; i < uniforms.width; i += LANES) {
        let value = x[start + i];
        sums += vec2<f32>(total(value * value), total(weight[i] * dy[start + i] * value));
      }
      part[thread] = sums;
      ${SUM_OVER_LANES}
      let known = part[thread - lane];
      workgroupBarrier();
      let r = inverseSqrt(known.x * uniforms.share + uniforms.epsilon);
      let fade = r * r * r * known.y * uniforms.share;
      if (isRow) {
        for (var i = lane; i < uniforms.width; i += LANES) {
          let value = x[start + i];
          let pull = dy[start + i] * r;
          dx[start + i] = weight[i] * pull - value * fade;
          weightSums[strand * uniforms.width + i] += pull * value;
        }
      }
    }
  }
`,
  }),
)

/** x[strands, columns] → the sum of all strands, put in the place of what is there or, to `add`, on top of it. */
export const sumStrands = once((part: Part, lanes: number) =>
  program({
    name: `sum of strands ${part} ${lanes}`,
    reads: { x: part },
    writes: { y: part },
    uniforms: { strands: 'i32', columns: 'i32', add: 'i32' },
    threads: THREADS,
    code: `
  const LANES = ${lanes};
  var<workgroup> part : array<${part}, ${THREADS}>;
  fn main(group : i32, thread : i32) {
    let lane = thread % LANES;
    let column = group * ${rowsPerGroup(lanes)} + thread / LANES;
    let isColumn = column < uniforms.columns;
    var sum = ${part}(0.0);
    if (isColumn) {
      for (var strand = lane; strand < uniforms.strands; strand += LANES) { sum += x[strand * uniforms.columns + column]; }
    }
    part[thread] = sum;
    ${SUM_OVER_LANES}
    if (isColumn && lane == 0) {
      if (uniforms.add == 1) { y[column] += part[thread]; } else { y[column] = part[thread]; }
    }
  }
`,
  }),
)

/** Rows `indices` of x → y[indices, width]; x may be in half precision or four bits where four divides a row. */
export const gatherRows = once((part: Part, precision: Precision) =>
  program({
    name: `gather rows ${part}${precisionName(precision)}`,
    reads: { x: elementOf(precision, part), indices: 'i32' },
    writes: { y: part },
    uniforms: { parts: 'i32', width: 'i32' },
    threads: THREADS,
    code: `
  ${partReader('x', precision, part)}
  fn main(group : i32, thread : i32) {
    let at = group * ${THREADS} + thread;
    if (at < uniforms.parts) {
      y[at] = xPart(indices[at / uniforms.width] * uniforms.width + at % uniforms.width);
    }
  }
`,
  }),
)

/** Writes each of `rows` to its place in the pool. */
export const writeRows = once((part: Part) =>
  program({
    name: `write rows ${part}`,
    reads: { rows: part, slots: 'i32' },
    writes: { pool: part },
    uniforms: { parts: 'i32', width: 'i32' },
    threads: THREADS,
    code: `
  fn main(group : i32, thread : i32) {
    let at = group * ${THREADS} + thread;
    if (at < uniforms.parts) { pool[slots[at / uniforms.width] * uniforms.width + at % uniforms.width] = rows[at]; }
  }
`,
  }),
)

/** Adds up the rows of dy that `sources` lists for each row of the result: offsets[rows + 1], then indices into dy. In order, so that a sum repeats. */
export const scatterAddRows = once((part: Part) =>
  program({
    name: `scatter rows ${part}`,
    reads: { dy: part, sources: 'i32' },
    writes: { dx: part },
    uniforms: { parts: 'i32', rows: 'i32', width: 'i32' },
    threads: THREADS,
    code: `
  fn main(group : i32, thread : i32) {
    let at = group * ${THREADS} + thread;
    if (at < uniforms.parts) {
      let row = at / uniforms.width;
      let column = at % uniforms.width;
      var sum = ${part}(0.0);
      for (var i = sources[row]; i < sources[row + 1]; i++) {
        sum += dy[sources[uniforms.rows + 1 + i] * uniforms.width + column];
      }
      dx[at] = sum;
    }
  }
`,
  }),
)
