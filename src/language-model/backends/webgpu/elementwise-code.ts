/** Programs that compute each number, or pair of numbers, independently. */
import { once, program } from './program.ts'
import { type Part, partReader } from './rows-code.ts'

const THREADS = 64

/** σ without overflow: e^80 is finite, and beyond it σ is effectively 0 in single precision. */
const sigmoid = (part: Part) => `
  fn sigmoid(z : ${part}) -> ${part} { return 1.0 / (1.0 + exp(-max(z, ${part}(-80.0)))); }
`

/** y = silu(gate) ⊙ up, whose numbers begin at `upStart`: both may be in one buffer. */
export const swiglu = once((part: Part) =>
  program({
    name: `swiglu ${part}`,
    reads: { gate: part, up: part },
    writes: { y: part },
    uniforms: { parts: 'i32', upStart: 'i32' },
    threads: THREADS,
    code: `
  ${sigmoid(part)}
  fn main(group : i32, thread : i32) {
    let at = group * ${THREADS} + thread;
    if (at < uniforms.parts) { y[at] = gate[at] * sigmoid(gate[at]) * up[uniforms.upStart + at]; }
  }
`,
  }),
)

/** dup = dy ⊙ silu(gate),   dgate = dy ⊙ up ⊙ σ (1 + gate (1 - σ)) */
export const swigluGradient = once((part: Part) =>
  program({
    name: `swiglu gradient ${part}`,
    reads: { dy: part, gate: part, up: part },
    writes: { dgate: part, dup: part },
    uniforms: { parts: 'i32' },
    threads: THREADS,
    code: `
  ${sigmoid(part)}
  fn main(group : i32, thread : i32) {
    let at = group * ${THREADS} + thread;
    if (at < uniforms.parts) {
      let z = gate[at];
      let s = sigmoid(z);
      dup[at] = dy[at] * z * s;
      dgate[at] = dy[at] * up[at] * s * (1.0 + z * (1.0 - s));
    }
  }
`,
  }),
)

/**
 * Rotates the pair (i, i + half) of a head by the table's angle for the row's position: angles[positions, half] are cosines, followed
 * by the sines at offset `sines`. `direction` is 1, or -1 to rotate back; sizes count parts.
 */
export const rope = once((part: Part) =>
  program({
    name: `rope ${part}`,
    reads: { x: part, angles: part, positions: 'i32' },
    writes: { y: part },
    uniforms: { pairs: 'i32', half: 'i32', heads: 'i32', sines: 'i32', direction: 'f32' },
    threads: THREADS,
    code: `
  fn main(group : i32, thread : i32) {
    let pair = group * ${THREADS} + thread;
    if (pair < uniforms.pairs) {
      let head = pair / uniforms.half;
      let i = pair % uniforms.half;
      let angle = positions[head / uniforms.heads] * uniforms.half + i;
      let cosine = angles[angle];
      let sine = angles[uniforms.sines + angle] * uniforms.direction;
      let first = 2 * head * uniforms.half + i;
      let second = first + uniforms.half;
      let a = x[first];
      let b = x[second];
      y[first] = a * cosine - b * sine;
      y[second] = b * cosine + a * sine;
    }
  }
`,
  }),
)

/** y = a + b, with b repeated. */
export const addRepeated = once((part: Part) =>
  program({
    name: `add ${part}`,
    reads: { a: part, b: part },
    writes: { y: part },
    uniforms: { parts: 'i32', period: 'i32' },
    threads: THREADS,
    code: `
  fn main(group : i32, thread : i32) {
    let at = group * ${THREADS} + thread;
    if (at < uniforms.parts) { y[at] = a[at] + b[at % uniforms.period]; }
  }
`,
  }),
)

/** y = s x */
export const scaled = once((part: Part) =>
  program({
    name: `scale ${part}`,
    reads: { x: part },
    writes: { y: part },
    uniforms: { parts: 'i32', scale: 'f32' },
    threads: THREADS,
    code: `
  fn main(group : i32, thread : i32) {
    let at = group * ${THREADS} + thread;
    if (at < uniforms.parts) { y[at] = uniforms.scale * x[at]; }
  }
`,
  }),
)

/** Packs four numbers in half precision into two words. */
export const packHalf = program({
  name: 'pack half',
  reads: { x: 'vec4<f32>' },
  writes: { y: 'vec2<u32>' },
  uniforms: { parts: 'i32' },
  threads: THREADS,
  code: `
  fn main(group : i32, thread : i32) {
    let at = group * ${THREADS} + thread;
    if (at < uniforms.parts) { y[at] = vec2<u32>(pack2x16float(x[at].xy), pack2x16float(x[at].zw)); }
  }
`,
})

const unpack = (precision: 'half' | 'four bits') =>
  program({
    name: `unpack ${precision}`,
    reads: { x: precision === 'half' ? 'vec2<u32>' : 'u32' },
    writes: { y: 'vec4<f32>' },
    uniforms: { parts: 'i32' },
    threads: THREADS,
    code: `
  ${partReader('x', precision, 'vec4<f32>')}
  fn main(group : i32, thread : i32) {
    let at = group * ${THREADS} + thread;
    if (at < uniforms.parts) { y[at] = xPart(at); }
  }
`,
  })

/** Unpacks what packHalf packed. */
export const unpackHalf = unpack('half')

/** Converts blocks of a four-bit matrix to floats. */
export const unpackFourBits = unpack('four bits')
