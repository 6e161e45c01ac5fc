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
export interface Finish {
  hasBias: boolean
  hasAdapter: boolean
}

const nameOf = ({ hasBias, hasAdapter }: Finish) =>
  [hasBias ? 'bias' : '', hasAdapter ? 'adapter' : ''].filter((word) => word !== '').join(' and ') || 'nothing'

/**
 * y_p ← y_p + bias_p + s_p · narrow_p · B_pᵀ for the projections p of one buffer, which begin at `start`, with narrow_p at `narrow`;
 * or, for a residual, stream ← stream + y_0 + ... Sizes count parts.
 */
const makeFinish = once((spelled: string, isResidual: boolean, part: Part): Program<string, string, string> => {
  const projections = JSON.parse(spelled) as Finish[]
  const each = (line: (p: number, finish: Finish) => string) =>
    projections.map((finish, p) => line(p, finish)).join('\n')
  const named = (name: string, wanted: (finish: Finish) => boolean) =>
    projections.flatMap((finish, p) => (wanted(finish) ? [[`${name}${p}`, part] as const] : []))
  const from = isResidual ? 'projected' : 'to'
  return {
    name: `finish ${projections.map(nameOf).join(', ')}${isResidual ? ' into a residual' : ''}: ${part}`,
    reads: {
      ...(isResidual && { projected: part }),
      ...Object.fromEntries([
        ...named('b', ({ hasAdapter }) => hasAdapter),
        ...named('bias', ({ hasBias }) => hasBias),
      ]),
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
    (p, { hasBias, hasAdapter }) => `
  fn finish${p}(at : i32) {
    var y = ${from}[uniforms.start${p} + at];
    ${hasBias ? `y += bias${p}[at % uniforms.width${p}];` : ''}
    ${
      hasAdapter
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
})

export const finishProjections = (projections: readonly Finish[], isResidual: boolean, part: Part) =>
  makeFinish(JSON.stringify(projections), isResidual, part)
