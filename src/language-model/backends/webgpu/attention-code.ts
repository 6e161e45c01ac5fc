/**
 * Attention over a forest in WGSL. A workgroup computes one row of the result: its threads take every THREADS-th partner (slots for a
 * query, queries for a slot) and combine their parts through workgroup memory at the end.
 *
 *     forward   s_m = q · k_m / √D,   L = log Σ_m e^{s_m},   o = Σ_m e^{s_m - L} v_m      softmax kept online (Milakov and Gimelshein, 2018)
 *     backward  p_m = e^{s_m - L},   δ = dy · o,   g_m = p_m (dy · v_m - δ) / √D
 *               dq = Σ_m g_m k_m,   dk_m = Σ_n g_m q_n,   dv_m = Σ_n p_m dy_n
 *
 * A head is D4 vectors of four numbers: q, k, v, dy and the results have rows [heads · D4].
 */
import { once, program } from './program.ts'

/** Workgroup memory that every device has. */
const WORKGROUP_BYTES = 16384

/** How many threads share a row if each needs this much workgroup memory. */
function threadsFor(bytesPerThread: number): number {
  let threads = 32
  while (threads > 1 && threads * bytesPerThread > WORKGROUP_BYTES) threads /= 2
  return threads
}

const constants = (headDim: number, threads: number) => `
  const D4 = ${headDim / 4};
  const THREADS = ${threads};
`

const SIZES = { queries: 'i32', heads: 'i32', keyHeads: 'i32', scale: 'f32' } as const
/** Sizes of the layout's arrays, which share a buffer: a device may allow a program as few as eight. */
const LAYOUT_SIZES = { ...SIZES, segments: 'i32', spans: 'i32' } as const

/** The query and head of this workgroup, and their start in q. */
const ROW_OF_QUERY = `
    let pair = group;
    let row = pair / uniforms.heads;
    let head = pair % uniforms.heads;
    let keyHead = head * uniforms.keyHeads / uniforms.heads;
`

/** Runs `body` with `at`, the start of a key and value in k and v, for each of this thread's slots that query `row` sees. */
const forEachSlot = (body: string) => `
    let segment = places[row];
    let starts = 2 * uniforms.queries;
    let offsets = starts + uniforms.segments;
    let spanStarts = offsets + uniforms.segments + 1;
    let spanLengths = spanStarts + uniforms.spans;
    let pastSpans = places[offsets + segment + 1];
    for (var run = places[offsets + segment]; run <= pastSpans; run++) {
      var slot = places[starts + segment];
      var end = places[uniforms.queries + row] + 1;
      if (run < pastSpans) {
        slot = places[spanStarts + run];
        end = slot + places[spanLengths + run];
      }
      for (slot += thread; slot < end; slot += THREADS) {
        let at = (slot * uniforms.keyHeads + keyHead) * D4;
        ${body}
      }
    }
`

/** → output[N, H, D4], logSumExp[N, H] */
export const attentionForward = once((headDim: number) => {
  const threads = threadsFor(headDim * 4 + 8)
  return program({
    name: `attention ${headDim}`,
    reads: { q: 'vec4<f32>', k: 'vec4<f32>', v: 'vec4<f32>', places: 'i32' },
    writes: { output: 'vec4<f32>', logSumExp: 'f32' },
    uniforms: LAYOUT_SIZES,
    threads,
    code: `
  ${constants(headDim, threads)}
  var<workgroup> partMaximum : array<f32, THREADS>;
  var<workgroup> partTotal : array<f32, THREADS>;
  var<workgroup> partSum : array<vec4<f32>, THREADS * D4>;

  fn main(group : i32, thread : i32) {
    ${ROW_OF_QUERY}
    var query : array<vec4<f32>, D4>;
    var sum : array<vec4<f32>, D4>;
    for (var i = 0; i < D4; i++) { query[i] = q[pair * D4 + i]; }
    var maximum = -3e38;
    var total = 0.0;
    ${forEachSlot(`
        var score = 0.0;
        for (var i = 0; i < D4; i++) { score += dot(query[i], k[at + i]); }
        score *= uniforms.scale;
        let higher = max(maximum, score);
        let fade = exp(maximum - higher);
        let weight = exp(score - higher);
        total = total * fade + weight;
        for (var i = 0; i < D4; i++) { sum[i] = sum[i] * fade + weight * v[at + i]; }
        maximum = higher;
    `)}
    partMaximum[thread] = maximum;
    partTotal[thread] = total;
    for (var i = 0; i < D4; i++) { partSum[thread * D4 + i] = sum[i]; }
    workgroupBarrier();

    var highest = partMaximum[0];
    for (var t = 1; t < THREADS; t++) { highest = max(highest, partMaximum[t]); }
    var all = 0.0;
    for (var t = 0; t < THREADS; t++) { all += partTotal[t] * exp(partMaximum[t] - highest); }
    for (var i = thread; i < D4; i += THREADS) {
      var whole = vec4<f32>(0.0);
      for (var t = 0; t < THREADS; t++) { whole += partSum[t * D4 + i] * exp(partMaximum[t] - highest); }
      output[pair * D4 + i] = whole / all;
    }
    if (thread == 0) { logSumExp[pair] = highest + log(all); }
  }
`,
  })
})

/** L and δ of each query and head → statistics[N, H], a pair each */
export const attentionStatistics = once((headDim: number) =>
  program({
    name: `attention statistics ${headDim}`,
    reads: { dy: 'vec4<f32>', output: 'vec4<f32>', logSumExp: 'f32' },
    writes: { statistics: 'vec2<f32>' },
    uniforms: { pairs: 'i32' },
    threads: 64,
    code: `
  ${constants(headDim, 64)}
  fn main(group : i32, thread : i32) {
    let pair = group * THREADS + thread;
    if (pair < uniforms.pairs) {
      var delta = 0.0;
      for (var i = 0; i < D4; i++) { delta += dot(dy[pair * D4 + i], output[pair * D4 + i]); }
      statistics[pair] = vec2<f32>(logSumExp[pair], delta);
    }
  }
`,
  }),
)

/** → dq[N, H, D4] */
export const queryGradient = once((headDim: number) => {
  const threads = threadsFor(headDim * 4)
  return program({
    name: `attention query gradient ${headDim}`,
    reads: {
      dy: 'vec4<f32>',
      q: 'vec4<f32>',
      k: 'vec4<f32>',
      v: 'vec4<f32>',
      statistics: 'vec2<f32>',
      places: 'i32',
    },
    writes: { dq: 'vec4<f32>' },
    uniforms: LAYOUT_SIZES,
    threads,
    code: `
  ${constants(headDim, threads)}
  var<workgroup> partSum : array<vec4<f32>, THREADS * D4>;

  fn main(group : i32, thread : i32) {
    ${ROW_OF_QUERY}
    let known = statistics[pair];
    var query : array<vec4<f32>, D4>;
    var pull : array<vec4<f32>, D4>;
    var sum : array<vec4<f32>, D4>;
    for (var i = 0; i < D4; i++) {
      query[i] = q[pair * D4 + i];
      pull[i] = dy[pair * D4 + i];
    }
    ${forEachSlot(`
        var score = 0.0;
        var slope = 0.0;
        for (var i = 0; i < D4; i++) {
          score += dot(query[i], k[at + i]);
          slope += dot(pull[i], v[at + i]);
        }
        let share = exp(score * uniforms.scale - known.x) * (slope - known.y) * uniforms.scale;
        for (var i = 0; i < D4; i++) { sum[i] += share * k[at + i]; }
    `)}
    for (var i = 0; i < D4; i++) { partSum[thread * D4 + i] = sum[i]; }
    workgroupBarrier();
    for (var i = thread; i < D4; i += THREADS) {
      var whole = vec4<f32>(0.0);
      for (var t = 0; t < THREADS; t++) { whole += partSum[t * D4 + i]; }
      dq[pair * D4 + i] = whole;
    }
  }
`,
  })
})

/** → dk[M, Hkv, D4], dv[M, Hkv, D4] */
export const keyValueGradient = once((headDim: number) => {
  const threads = threadsFor(2 * headDim * 4)
  return program({
    name: `attention key and value gradient ${headDim}`,
    reads: {
      dy: 'vec4<f32>',
      q: 'vec4<f32>',
      k: 'vec4<f32>',
      v: 'vec4<f32>',
      statistics: 'vec2<f32>',
      readers: 'i32',
    },
    writes: { dk: 'vec4<f32>', dv: 'vec4<f32>' },
    uniforms: { ...SIZES, slots: 'i32', intervals: 'i32' },
    threads,
    code: `
  ${constants(headDim, threads)}
  var<workgroup> partSum : array<vec4<f32>, THREADS * 2 * D4>;

  fn main(group : i32, thread : i32) {
    let pair = group;
    let slot = pair / uniforms.keyHeads;
    let keyHead = pair % uniforms.keyHeads;
    let sharing = uniforms.heads / uniforms.keyHeads;
    var key : array<vec4<f32>, D4>;
    var value : array<vec4<f32>, D4>;
    var keySum : array<vec4<f32>, D4>;
    var valueSum : array<vec4<f32>, D4>;
    for (var i = 0; i < D4; i++) {
      key[i] = k[pair * D4 + i];
      value[i] = v[pair * D4 + i];
    }
    let offsets = uniforms.queries + uniforms.slots;
    let ranges = offsets + uniforms.intervals + 1;
    let interval = readers[uniforms.queries + slot];
    for (var range = readers[offsets + interval]; range < readers[offsets + interval + 1]; range++) {
      let end = readers[ranges + 3 * range + 1];
      let isOwnSegment = readers[ranges + 3 * range + 2] == 1;
      for (var row = readers[ranges + 3 * range] + thread; row < end; row += THREADS) {
        if (isOwnSegment && readers[row] < slot) { continue; }
        for (var h = 0; h < sharing; h++) {
          let at = row * uniforms.heads + keyHead * sharing + h;
          let known = statistics[at];
          var score = 0.0;
          var slope = 0.0;
          for (var i = 0; i < D4; i++) {
            score += dot(q[at * D4 + i], key[i]);
            slope += dot(dy[at * D4 + i], value[i]);
          }
          let weight = exp(score * uniforms.scale - known.x);
          let share = weight * (slope - known.y) * uniforms.scale;
          for (var i = 0; i < D4; i++) {
            keySum[i] += share * q[at * D4 + i];
            valueSum[i] += weight * dy[at * D4 + i];
          }
        }
      }
    }
    for (var i = 0; i < D4; i++) {
      partSum[thread * 2 * D4 + i] = keySum[i];
      partSum[thread * 2 * D4 + D4 + i] = valueSum[i];
    }
    workgroupBarrier();
    for (var i = thread; i < 2 * D4; i += THREADS) {
      var whole = vec4<f32>(0.0);
      for (var t = 0; t < THREADS; t++) { whole += partSum[t * 2 * D4 + i]; }
      if (i < D4) { dk[pair * D4 + i] = whole; } else { dv[pair * D4 + i - D4] = whole; }
    }
  }
`,
  })
})
