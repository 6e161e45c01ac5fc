/**
 * Attention over a forest in WGSL. A workgroup has one row of the result for itself: its threads take every THREADS-th partner (slots
 * for a query, queries for a slot), and their parts are put together through workgroup memory at the end.
 *
 *     forward   s_m = q · k_m / √D,   L = log Σ_m e^{s_m},   o = Σ_m e^{s_m - L} v_m      softmax kept online (Milakov and Gimelshein, 2018)
 *     backward  p_m = e^{s_m - L},   δ = dy · o,   g_m = p_m (dy · v_m - δ) / √D
 *               dq = Σ_m g_m k_m,   dk_m = Σ_n g_m q_n,   dv_m = Σ_n p_m dy_n
 *
 * A head is D4 vectors of four numbers. Rows [heads · D4] of q, k, v, dy; a row of `packed` has D4 + 1 vectors a head, the output and L.
 */

/** Workgroup memory that every device has. */
const WORKGROUP_BYTES = 16384

/** How many threads share a row when each keeps that many bytes for the others to read. */
export function threadsFor(bytesPerThread: number): number {
  let threads = 32
  while (threads > 1 && threads * bytesPerThread > WORKGROUP_BYTES) threads /= 2
  return threads
}

const constants = (headDim: number, threads: number) => `
  const D4 = ${headDim / 4};
  const THREADS = ${threads};
`

/** Which query and head this workgroup serves, and the start of both in q; `pair` is cut to the last where there are workgroups to spare. */
const ROW_OF_QUERY = `
    let thread = index % THREADS;
    let pairs = uniforms.queries * uniforms.heads;
    let pair = min(index / THREADS, pairs - 1);
    let row = pair / uniforms.heads;
    let head = pair % uniforms.heads;
    let keyHead = head * uniforms.keyHeads / uniforms.heads;
`

/** Runs `body` with `at`, the start of a key and value in k and v, for every slot of this thread that query `row` sees. */
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

/** → packed[N, H, D4 + 1] */
export const forwardCode = (headDim: number, threads: number) => `
  ${constants(headDim, threads)}
  var<workgroup> partMaximum : array<f32, THREADS>;
  var<workgroup> partTotal : array<f32, THREADS>;
  var<workgroup> partSum : array<vec4<f32>, THREADS * D4>;

  fn main(index : i32) {
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
    if (index / THREADS < pairs) {
      for (var i = thread; i < D4; i += THREADS) {
        var whole = vec4<f32>(0.0);
        for (var t = 0; t < THREADS; t++) { whole += partSum[t * D4 + i] * exp(partMaximum[t] - highest); }
        result[pair * (D4 + 1) + i] = whole / all;
      }
      if (thread == 0) { result[pair * (D4 + 1) + D4] = vec4<f32>(highest + log(all), 0.0, 0.0, 0.0); }
    }
  }
`

/** L and δ of each query and head → [N, H], a vector (L, δ, 0, 0) each */
export const statisticsCode = (headDim: number, threads: number) => `
  ${constants(headDim, threads)}
  fn main(index : i32) {
    if (index < uniforms.pairs) {
      var delta = 0.0;
      for (var i = 0; i < D4; i++) { delta += dot(dy[index * D4 + i], packed[index * (D4 + 1) + i]); }
      result[index] = vec4<f32>(packed[index * (D4 + 1) + D4].x, delta, 0.0, 0.0);
    }
  }
`

/** → dq[N, H, D4] */
export const queryGradientCode = (headDim: number, threads: number) => `
  ${constants(headDim, threads)}
  var<workgroup> partSum : array<vec4<f32>, THREADS * D4>;

  fn main(index : i32) {
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
    if (index / THREADS < pairs) {
      for (var i = thread; i < D4; i += THREADS) {
        var whole = vec4<f32>(0.0);
        for (var t = 0; t < THREADS; t++) { whole += partSum[t * D4 + i]; }
        result[pair * D4 + i] = whole;
      }
    }
  }
`

/** → dk and dv side by side, [M, Hkv, 2 · D4] */
export const keyValueGradientCode = (headDim: number, threads: number) => `
  ${constants(headDim, threads)}
  var<workgroup> partSum : array<vec4<f32>, THREADS * 2 * D4>;

  fn main(index : i32) {
    let thread = index % THREADS;
    let pairs = uniforms.slots * uniforms.keyHeads;
    let pair = min(index / THREADS, pairs - 1);
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
    if (index / THREADS < pairs) {
      for (var i = thread; i < 2 * D4; i += THREADS) {
        var whole = vec4<f32>(0.0);
        for (var t = 0; t < THREADS; t++) { whole += partSum[t * 2 * D4 + i]; }
        result[pair * 2 * D4 + i] = whole;
      }
    }
  }
`

/** Of every group of `width` vectors the D4 from `first` on: what one program computed for two. */
export const unpackCode = (headDim: number, threads: number) => `
  ${constants(headDim, threads)}
  fn main(index : i32) {
    if (index < uniforms.vectors) {
      result[index] = packed[index / D4 * uniforms.width + uniforms.first + index % D4];
    }
  }
`
