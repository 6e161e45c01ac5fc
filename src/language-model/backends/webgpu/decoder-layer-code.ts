/**
 * Programs of a decoder's layer for sampling, in WGSL, which read and write parts of one buffer of projections: starting a program takes
 * longer than its arithmetic, so each does what several operations do. Sizes and starts count parts.
 */
import { sigmoid } from './elementwise-code.ts'
import { once, program } from './program.ts'
import { type Part, rowsPerGroup, SUM_OVER_LANES, total } from './rows-code.ts'

const THREADS = 64

/** Normalises each head in place: x ← w ⊙ x · r, r = 1 / sqrt(mean(x²) + ε), for `heads` rows from `start` on. */
export const normaliseHeads = once((part: Part, lanes: number) =>
  program({
    name: `normalise heads ${part} ${lanes}`,
    reads: { weight: part },
    writes: { x: part },
    uniforms: { heads: 'i32', width: 'i32', start: 'i32', share: 'f32', epsilon: 'f32' },
    threads: THREADS,
    code: `
  const LANES = ${lanes};
  var<workgroup> part : array<f32, ${THREADS}>;
  ${total(part)}
  fn main(group : i32, thread : i32) {
    let lane = thread % LANES;
    let head = group * ${rowsPerGroup(lanes)} + thread / LANES;
    let start = uniforms.start + min(head, uniforms.heads - 1) * uniforms.width;
    var squares = 0.0;
    for (var i = lane; i < uniforms.width; i += LANES) { squares += total(x[start + i] * x[start + i]); }
    part[thread] = squares;
    ${SUM_OVER_LANES}
    let r = inverseSqrt(part[thread - lane] * uniforms.share + uniforms.epsilon);
    if (head < uniforms.heads) {
      for (var i = lane; i < uniforms.width; i += LANES) { x[start + i] = x[start + i] * r * weight[i]; }
    }
  }
`,
  }),
)

/**
 * Rotates queries in place, and writes rotated keys, and values, to their slots. A thread has a pair (i, i + half) of a head of a query,
 * or of a key and its value. `places` has the rows' positions, then their slots.
 */
export const placeProjections = once((part: Part) =>
  program({
    name: `place projections ${part}`,
    reads: { angles: part, places: 'i32' },
    writes: { rows: part, keys: part, values: part },
    uniforms: {
      queryPairs: 'i32',
      keyPairs: 'i32',
      half: 'i32',
      heads: 'i32',
      keyHeads: 'i32',
      queryStart: 'i32',
      keyStart: 'i32',
      valueStart: 'i32',
      sines: 'i32',
      count: 'i32',
    },
    threads: THREADS,
    code: `
  fn main(group : i32, thread : i32) {
    let pair = group * ${THREADS} + thread;
    let isQuery = pair < uniforms.queryPairs;
    if (!isQuery && pair - uniforms.queryPairs >= uniforms.keyPairs) { return; }
    let own = select(pair - uniforms.queryPairs, pair, isQuery);
    let heads = select(uniforms.keyHeads, uniforms.heads, isQuery);
    let head = own / uniforms.half;
    let i = own % uniforms.half;
    let row = head / heads;
    let angle = places[row] * uniforms.half + i;
    let cosine = angles[angle];
    let sine = angles[uniforms.sines + angle];
    let first = 2 * head * uniforms.half + i;
    let at = select(uniforms.keyStart, uniforms.queryStart, isQuery) + first;
    let a = rows[at];
    let b = rows[at + uniforms.half];
    let turned = a * cosine - b * sine;
    let other = b * cosine + a * sine;
    if (isQuery) {
      rows[at] = turned;
      rows[at + uniforms.half] = other;
      return;
    }
    let slot = (places[uniforms.count + row] * heads + head % heads) * 2 * uniforms.half + i;
    keys[slot] = turned;
    keys[slot + uniforms.half] = other;
    values[slot] = rows[uniforms.valueStart + first];
    values[slot + uniforms.half] = rows[uniforms.valueStart + first + uniforms.half];
  }
`,
  }),
)

/** y = silu(gate) ⊙ up, both in one buffer: gate from 0 on, and up from `parts` on. */
export const swigluOfBoth = once((part: Part) =>
  program({
    name: `swiglu of both ${part}`,
    reads: { both: part },
    writes: { y: part },
    uniforms: { parts: 'i32' },
    threads: THREADS,
    code: `
  ${sigmoid(part)}
  fn main(group : i32, thread : i32) {
    let at = group * ${THREADS} + thread;
    if (at < uniforms.parts) { y[at] = both[at] * sigmoid(both[at]) * both[uniforms.parts + at]; }
  }
`,
  }),
)
