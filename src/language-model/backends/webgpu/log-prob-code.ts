/** What a policy update needs of rows of logits z / T, with a workgroup for each row. */
import { program } from './program.ts'

const THREADS = 64

/**
 * log p(target), the entropy H and L = log Σ e^z of each row. Every thread computes the maximum h, s = Σ e^(z - h) and
 * t = Σ e^(z - h) (z - h) of its share; for the whole row, L = h + log s and H = log s - t / s. `both` has the log-probabilities of
 * all `rows`, then their entropies; the logits are those of the rows from `first` on.
 */
export const selectLogProbs = program({
  name: 'select log-probabilities',
  reads: { logits: 'f32', targets: 'i32' },
  writes: { both: 'f32', logSumExp: 'f32' },
  uniforms: { rows: 'i32', words: 'i32', first: 'i32', coldness: 'f32' },
  threads: THREADS,
  code: `
  var<workgroup> part : array<vec3<f32>, ${THREADS}>;

  fn together(a : vec3<f32>, b : vec3<f32>) -> vec3<f32> {
    let highest = max(a.x, b.x);
    let down = vec2<f32>(a.x, b.x) - highest;
    let fade = exp(down);
    return vec3<f32>(highest, dot(fade, vec2<f32>(a.y, b.y)), dot(fade, vec2<f32>(a.z, b.z) + down * vec2<f32>(a.y, b.y)));
  }

  fn main(group : i32, thread : i32) {
    let start = group * uniforms.words;
    var highest = -1e30;
    for (var i = thread; i < uniforms.words; i += ${THREADS}) { highest = max(highest, logits[start + i] * uniforms.coldness); }
    var sums = vec2<f32>(0.0);
    for (var i = thread; i < uniforms.words; i += ${THREADS}) {
      let down = logits[start + i] * uniforms.coldness - highest;
      sums += exp(down) * vec2<f32>(1.0, down);
    }
    part[thread] = vec3<f32>(highest, sums);
    workgroupBarrier();
    for (var half = ${THREADS / 2}; half > 0; half /= 2) {
      if (thread < half) { part[thread] = together(part[thread], part[thread + half]); }
      workgroupBarrier();
    }
    if (thread == 0) {
      let whole = part[0];
      let row = uniforms.first + group;
      let logSum = log(whole.y);
      logSumExp[row] = whole.x + logSum;
      both[row] = logits[start + targets[row]] * uniforms.coldness - whole.x - logSum;
      both[uniforms.rows + row] = logSum - whole.z / whole.y;
    }
  }
`,
})

/** dz = g / T · (1[v = target] - e^(z - L)), in the place of the logits. */
export const selectLogProbsGradient = program({
  name: 'select log-probabilities gradient',
  reads: { dy: 'f32', logSumExp: 'f32', targets: 'i32' },
  writes: { logits: 'f32' },
  uniforms: { numbers: 'i32', words: 'i32', first: 'i32', coldness: 'f32' },
  threads: THREADS,
  code: `
  fn main(group : i32, thread : i32) {
    let at = group * ${THREADS} + thread;
    if (at < uniforms.numbers) {
      let row = uniforms.first + at / uniforms.words;
      let chosen = select(0.0, 1.0, at % uniforms.words == targets[row]);
      let probability = exp(logits[at] * uniforms.coldness - logSumExp[row]);
      logits[at] = dy[row] * uniforms.coldness * (chosen - probability);
    }
  }
`,
})
