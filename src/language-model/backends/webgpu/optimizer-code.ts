/** The optimiser's programs: the norm of all gradients, the clipping factor, and AdamW in place. */
import { once, program } from './program.ts'
import type { Part } from './rows-code.ts'

const THREADS = 64

/** Most gradients that one program reads: with its output, they are the eight buffers that every device allows. */
export const MOST_GRADIENTS = 7

/** Sums `part` into its first element. */
const SUM = `
    workgroupBarrier();
    for (var half = ${THREADS / 2}; half > 0; half /= 2) {
      if (thread < half) { part[thread] += part[thread + half]; }
      workgroupBarrier();
    }
`

/** Sums of squares of `count` gradients: gradient g has the workgroups up to `end g`, and workgroup i writes sums[first + i]. */
export const squares = once((count: number, part: Part) => {
  const gradients = Array.from({ length: count }, (_, g) => g)
  const each = <Value>(name: string, value: Value): Record<string, Value> =>
    Object.fromEntries(gradients.map((g) => [`${name}${g}`, value]))
  const ofGradient = (g: number) => {
    const start = g === 0 ? '0' : `uniforms.end${g - 1}`
    return `if (group >= ${start} && group < uniforms.end${g}) {
      let stride = (uniforms.end${g} - ${start}) * ${THREADS};
      for (var i = (group - ${start}) * ${THREADS} + thread; i < uniforms.parts${g}; i += stride) {
        sum += square(gradient${g}[i]);
      }
    }`
  }
  return program({
    name: `squares of ${count} gradients ${part}`,
    reads: each('gradient', part),
    writes: { sums: 'f32' },
    uniforms: { first: 'i32', ...each('parts', 'i32' as const), ...each('end', 'i32' as const) },
    threads: THREADS,
    code: `
  var<workgroup> part : array<f32, ${THREADS}>;
  fn square(x : ${part}) -> f32 { return ${part === 'f32' ? 'x * x' : 'dot(x, x)'}; }
  fn main(group : i32, thread : i32) {
    var sum = 0.0;
    ${gradients.map(ofGradient).join('\n    ')}
    part[thread] = sum;
    ${SUM}
    if (thread == 0) { sums[uniforms.first + group] = part[0]; }
  }
`,
  })
})

/** √Σ sums, by one workgroup. */
export const rootOfSum = program({
  name: 'root of sum',
  reads: { sums: 'f32' },
  writes: { norm: 'f32' },
  uniforms: { count: 'i32' },
  threads: THREADS,
  code: `
  var<workgroup> part : array<f32, ${THREADS}>;
  fn main(group : i32, thread : i32) {
    var sum = 0.0;
    for (var i = thread; i < uniforms.count; i += ${THREADS}) { sum += sums[i]; }
    part[thread] = sum;
    ${SUM}
    if (thread == 0) { norm[0] = sqrt(part[0]); }
  }
`,
})

/** min(1, maximum / norm) */
export const clipScale = program({
  name: 'clip scale',
  reads: { norm: 'f32' },
  writes: { scale: 'f32' },
  uniforms: { maximum: 'f32' },
  threads: 1,
  code: 'fn main(group : i32, thread : i32) { scale[0] = min(1.0, uniforms.maximum / (norm[0] + 1e-6)); }',
})

/** `keep` is 1 - η λ, `rate` η / (1 - β₁ᵗ), `steadiness` 1 / √(1 - β₂ᵗ); the gradient is multiplied by scale[0] first. */
export const adamw = once((part: Part) =>
  program({
    name: `adamw ${part}`,
    reads: { gradient: part, scale: 'f32' },
    writes: { parameter: part, firstMoment: part, secondMoment: part },
    uniforms: {
      parts: 'i32',
      beta1: 'f32',
      beta2: 'f32',
      rest1: 'f32',
      rest2: 'f32',
      epsilon: 'f32',
      keep: 'f32',
      rate: 'f32',
      steadiness: 'f32',
    },
    threads: THREADS,
    code: `
  fn main(group : i32, thread : i32) {
    let at = group * ${THREADS} + thread;
    if (at < uniforms.parts) {
      let g = gradient[at] * scale[0];
      let m = uniforms.beta1 * firstMoment[at] + uniforms.rest1 * g;
      let v = uniforms.beta2 * secondMoment[at] + uniforms.rest2 * g * g;
      firstMoment[at] = m;
      secondMoment[at] = v;
      let step = m / (sqrt(v) * uniforms.steadiness + uniforms.epsilon);
      parameter[at] = uniforms.keep * parameter[at] - uniforms.rate * step;
    }
  }
`,
  }),
)
