/** Programs on rows: normalisation, column sums, and gathering, writing and adding rows by index. */
import { GROUP } from '../../weights/group-quantization.ts'
import { BLOCK_WORDS } from '../../weights/weight-storage.ts'
import { once, program } from './program.ts'

/** Rows are read in vectors of four numbers if four divides their length. */
export type Part = 'f32' | 'vec4<f32>'
export const partOf = (width: number): Part => (width % 4 === 0 ? 'vec4<f32>' : 'f32')
export const sizeOf = (part: Part): 1 | 4 => (part === 'f32' ? 1 : 4)

/** How a weight is stored. */
export type Precision = 'single' | 'half' | 'four bits'

/** Element type of a weight's buffer. */
export const elementOf = (precision: Precision, part: Part) =>
  precision === 'four bits' ? 'u32' : precision === 'half' ? 'vec2<u32>' : part

/** Suffix of a program's name. */
export const precisionName = (precision: Precision) => (precision === 'single' ? '' : `, ${precision}`)

/**
 * Defines `name`Part(at), which reads a part of a weight. In half precision, a word has two numbers; in four bits, half a word of a
 * block has four (weight-storage.ts).
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

/** How many threads share a row of `parts`: a power of two, about two parts for each thread, and at most a workgroup. */
export function lanesOf(parts: number): number {
  return Math.min(THREADS, 2 ** Math.ceil(Math.log2(Math.max(1, parts / 2))))
}

/** Rows that a workgroup processes at a time. */
export const rowsPerGroup = (lanes: number): number => THREADS / lanes

/** Sums `part` over the LANES threads of a row into the first; all threads may read it afterwards. */
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

const rmsNormUniforms = { rows: 'i32', width: 'i32', start: 'i32', share: 'f32', epsilon: 'f32' } as const
/** `x` is y for a normalisation in place. */
const rmsNormCode = (x: 'x' | 'y', part: Part, lanes: number) => `
  const LANES = ${lanes};
  var<workgroup> part : array<f32, ${THREADS}>;
  ${total(part)}
  fn main(group : i32, thread : i32) {
    let lane = thread % LANES;
    let row = group * ${rowsPerGroup(lanes)} + thread / LANES;
    let isRow = row < uniforms.rows;
    let start = uniforms.start + min(row, uniforms.rows - 1) * uniforms.width;
    var squares = 0.0;
    for (var i = lane; i < uniforms.width; i += LANES) { squares += total(${x}[start + i] * ${x}[start + i]); }
    part[thread] = squares;
    ${SUM_OVER_LANES}
    let r = inverseSqrt(part[thread - lane] * uniforms.share + uniforms.epsilon);
    if (isRow) {
      for (var i = lane; i < uniforms.width; i += LANES) { y[start + i] = ${x}[start + i] * r * weight[i]; }
    }
  }
`

/** x[rows, width] → y = w ⊙ x · r, r = 1 / sqrt(mean(x²) + ε), from `start` on. `width` counts parts, `share` is 1 / d. */
export const rmsNorm = once((part: Part, lanes: number) =>
  program({
    name: `rmsNorm ${part} ${lanes}`,
    reads: { x: part, weight: part },
    writes: { y: part },
    uniforms: rmsNormUniforms,
    threads: THREADS,
    code: rmsNormCode('x', part, lanes),
  }),
)

/** The same in place. */
export const rmsNormInPlace = once((part: Part, lanes: number) =>
  program({
    name: `rmsNorm in place ${part} ${lanes}`,
    reads: { weight: part },
    writes: { y: part },
    uniforms: rmsNormUniforms,
    threads: THREADS,
    code: rmsNormCode('y', part, lanes),
  }),
)

/**
 * dx = r (w ⊙ dy) - x r³ mean(w ⊙ dy ⊙ x), and dy ⊙ x · r summed over each strand's rows: strand s has the rows s, s + strands, ...
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

/** x[strands, columns] → the sum of all strands, which replaces y from `start` on or, with `add`, is added to it. */
export const sumStrands = once((part: Part, lanes: number) =>
  program({
    name: `sum of strands ${part} ${lanes}`,
    reads: { x: part },
    writes: { y: part },
    uniforms: { strands: 'i32', columns: 'i32', start: 'i32', add: 'i32' },
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
      let at = uniforms.start + column;
      if (uniforms.add == 1) { y[at] += part[thread]; } else { y[at] = part[thread]; }
    }
  }
`,
  }),
)

/** Rows `indices` of x → y[indices, width]; x may be in half precision or four bits if four divides a row. */
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

/** Writes `rows` to their slots in the pool. */
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

/** Sums the rows of dy that `sources` lists for each row of the result: offsets[rows + 1], then indices into dy. The order is deterministic. */
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
