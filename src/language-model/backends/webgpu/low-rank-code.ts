/** Low-rank changes of projections, in WGSL. */
import { once, program, type Program } from './program.ts'
import { type Part, sizeOf } from './rows-code.ts'

const THREADS = 64

/** Adds narrow[row] · b[column]ᵀ to `sum`, a part of a row: `row` and `column` are starts in `narrow` and `b`, and `rank` counts parts. */
const addProduct = (part: Part, narrow: string, b: string) => `
    for (var i = 0; i < uniforms.rank; i++) {
      let x = ${narrow}[row + i];
      ${
        part === 'f32'
          ? `sum += x * ${b}[column + i];`
          : `sum += x * mat4x4<f32>(${[0, 1, 2, 3].map((j) => `${b}[column + ${j} * uniforms.rank + i]`).join(', ')});`
      }
    }
`

/**
 * z = y + s · narrow · Bᵀ with few inner indices: y[rows, columns], narrow[rows, rank], b[columns, rank]. A thread computes a part of a
 * row; `width` and `rank` count parts, `parts` all of y's.
 */
export const addLowRank = once((part: Part) =>
  program({
    name: `add low rank ${part}`,
    reads: { y: part, narrow: part, b: part },
    writes: { z: part },
    uniforms: { parts: 'i32', width: 'i32', rank: 'i32', scale: 'f32' },
    threads: THREADS,
    code: `
  fn main(group : i32, thread : i32) {
    let at = group * ${THREADS} + thread;
    if (at >= uniforms.parts) { return; }
    let row = at / uniforms.width * uniforms.rank;
    let column = at % uniforms.width * ${sizeOf(part)} * uniforms.rank;
    var sum = ${part}(0.0);
    ${addProduct(part, 'narrow', 'b')}
    z[at] = y[at] + uniforms.scale * sum;
  }
`,
  }),
)

/** What a projection adds to the product with its weight. */
export type Addition = 'nothing' | 'bias' | 'adapter' | 'bias and adapter'

const hasBias = (addition: Addition) => addition.startsWith('bias')
const hasAdapter = (addition: Addition) => addition.endsWith('adapter')

/**
 * y_p ← y_p + bias_p + s_p · narrow_p · B_pᵀ for the projections p of one buffer, which begin at `start`, with narrow_p at `narrow`;
 * or, for a residual, stream ← stream + y_0 + ... Sizes count parts. `additions` are those of the projections, separated by commas.
 */
export const finishProjections = once(
  (additions: string, isResidual: boolean, part: Part): Program<string, string, string> => {
    const projections = additions.split(',') as Addition[]
    const each = (line: (p: number, addition: Addition) => string) =>
      projections.map((addition, p) => line(p, addition)).join('\n')
    const named = (name: string, isRead: (addition: Addition) => boolean) =>
      projections.flatMap((addition, p) => (isRead(addition) ? [[`${name}${p}`, part] as const] : []))
    const from = isResidual ? 'projected' : 'to'
    return {
      name: `finish ${projections.join(', ')}${isResidual ? ' into a residual' : ''}: ${part}`,
      reads: {
        ...(isResidual && { projected: part }),
        ...Object.fromEntries([...named('b', hasAdapter), ...named('bias', hasBias)]),
      },
      writes: { to: part },
      uniforms: {
        rank: 'i32',
        ...Object.fromEntries(
          projections.flatMap((_, p) => [
            ...['parts', 'width', 'start', 'narrow'].map((name) => [`${name}${p}`, 'i32'] as const),
            [`scale${p}`, 'f32'] as const,
          ]),
        ),
      },
      threads: THREADS,
      code: `
  ${each(
    (p, addition) => `
  fn finish${p}(at : i32) {
    var y = ${from}[uniforms.start${p} + at];
    ${hasBias(addition) ? `y += bias${p}[at % uniforms.width${p}];` : ''}
    ${
      hasAdapter(addition)
        ? `
    let row = uniforms.narrow${p} + at / uniforms.width${p} * uniforms.rank;
    let column = at % uniforms.width${p} * ${sizeOf(part)} * uniforms.rank;
    var sum = ${part}(0.0);
    ${addProduct(part, from, `b${p}`)}
    y += uniforms.scale${p} * sum;`
        : ''
    }
    ${isResidual ? 'to[at] += y;' : `to[uniforms.start${p} + at] = y;`}
  }`,
  )}

  fn main(group : i32, thread : i32) {
    var left = group * ${THREADS} + thread;
    ${each(
      (p) => `
    if (left < uniforms.parts${p}) {
      finish${p}(left);
      return;
    }
    left -= uniforms.parts${p};`,
    )}
  }
`,
    }
  },
)
