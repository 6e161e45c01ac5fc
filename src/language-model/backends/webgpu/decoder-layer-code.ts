/** What happens between the projections of a layer and its attention when sampling, in WGSL. */
import { once, program } from './program.ts'
import type { Part } from './rows-code.ts'

const THREADS = 64

/**
 * Rotates queries in place, and writes rotated keys, and values, to their slots. A thread has a pair (i, i + half) of a head of a query,
 * or of a key and its value. `places` has the rows' positions, then their slots; sizes and starts count parts. Starting a program takes
 * longer than its arithmetic, so this does what four operations do.
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
