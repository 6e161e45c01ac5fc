/** Draws tokens from rows of logits, with a workgroup for each token. */
import { program } from './program.ts'

const THREADS = 256

/**
 * p = softmax(z / T). Every thread has an equal share of consecutive words and computes its maximum h, then Σ e^(z - h) and
 * Σ e^(z - h) (z - h). The first thread finds the share in which the cumulated sum passes number · total, and that share's thread finds
 * the word: tokens count in order, as in sampler.ts. `drawn` is the token, its log-probability and the entropy.
 */
export const drawToken = program({
  name: 'draw a token',
  reads: { logits: 'f32', rows: 'i32', numbers: 'f32' },
  writes: { drawn: 'f32' },
  uniforms: { words: 'i32', isGreedy: 'i32', coldness: 'f32' },
  threads: THREADS,
  code: `
  var<workgroup> highests : array<f32, ${THREADS}>;
  var<workgroup> places : array<i32, ${THREADS}>;
  var<workgroup> sums : array<vec2<f32>, ${THREADS}>;
  var<workgroup> chosen : i32;
  var<workgroup> left : f32;
  var<workgroup> total : vec2<f32>;

  fn main(group : i32, thread : i32) {
    let start = rows[group] * uniforms.words;
    let share = (uniforms.words + ${THREADS - 1}) / ${THREADS};
    let first = min(thread * share, uniforms.words);
    let end = min(first + share, uniforms.words);

    var highest = -1e30;
    var place = first;
    for (var i = first; i < end; i++) {
      let z = logits[start + i];
      if (z > highest) { highest = z; place = i; }
    }
    highests[thread] = highest;
    places[thread] = place;
    workgroupBarrier();
    for (var half = ${THREADS / 2}; half > 0; half /= 2) {
      if (thread < half) {
        let other = thread + half;
        if (highests[other] > highests[thread] || (highests[other] == highests[thread] && places[other] < places[thread])) {
          highests[thread] = highests[other];
          places[thread] = places[other];
        }
      }
      workgroupBarrier();
    }
    let top = highests[0];
    let best = places[0];

    var sum = vec2<f32>(0.0);
    for (var i = first; i < end; i++) {
      let down = (logits[start + i] - top) * uniforms.coldness;
      sum += exp(down) * vec2<f32>(1.0, down);
    }
    sums[thread] = sum;
    workgroupBarrier();
    if (thread == 0) {
      var all = vec2<f32>(0.0);
      for (var t = 0; t < ${THREADS}; t++) { all += sums[t]; }
      total = all;
      chosen = -1;
      var rest = numbers[group] * all.x;
      for (var t = 0; t < ${THREADS} && chosen < 0; t++) {
        if (rest < sums[t].x) { chosen = t; left = rest; }
        rest -= sums[t].x;
      }
    }
    workgroupBarrier();

    // Rounding may leave no share, or no word of it: then the likeliest, as for temperature 0.
    let isLikeliest = uniforms.isGreedy == 1 || chosen < 0;
    if (thread != select(chosen, 0, isLikeliest)) { return; }
    var token = best;
    if (!isLikeliest) {
      var rest = left;
      for (var i = first; i < end; i++) {
        rest -= exp((logits[start + i] - top) * uniforms.coldness);
        if (rest < 0.0) { token = i; break; }
      }
    }
    let logTotal = log(total.x);
    drawn[3 * group] = f32(token);
    drawn[3 * group + 1] = (logits[start + token] - top) * uniforms.coldness - logTotal;
    drawn[3 * group + 2] = logTotal - total.y / total.x;
  }
`,
})
