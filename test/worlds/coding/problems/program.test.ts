import { describe, expect, it } from 'vitest'
import { formatJson } from '../../../../src/worlds/coding/problems/json.ts'
import { programOf } from '../../../../src/worlds/coding/problems/program.ts'
import { evaluate } from '../../../../src/worlds/coding/problems/semantics.ts'
import { KINDS, OPS, type Spec } from '../../../../src/worlds/coding/problems/spec.ts'
import { randomInputs, tasks, verdicts } from './samples.ts'

describe('the reference solution', () => {
  it('computes what the spec means, in all kinds and with all operations', async () => {
    const specs = [...tasks('train', 150), ...tasks('ood', 100)].map(({ body }) => body.spec!)
    for (const [seed, spec] of specs.entries()) {
      const tests = randomInputs(spec, 9, seed).map((inputs) => {
        const evaluation = evaluate(spec, inputs)
        if (!evaluation.isInRange) throw new Error(evaluation.reason)
        return { input: formatJson(inputs), output: formatJson(evaluation.output) }
      })
      const judged = await verdicts(programOf(spec), tests)
      expect(
        judged.filter(({ kind }) => kind !== 'passed'),
        programOf(spec),
      ).toEqual([])
    }
    expect(new Set(specs.map(({ kind }) => kind)).size).toBe(KINDS.length)
    const used = new Set(
      specs.flatMap(({ steps }) => steps.flatMap(({ op, arms }) => [op, ...(arms ?? []).map((arm) => arm.op)])),
    )
    expect(OPS.filter((op) => !used.has(op))).toEqual([])
  })

  it('has one line for every step', () => {
    const spec: Spec = {
      kind: 'arrays',
      steps: [
        { op: 'keep-above', constants: [3] },
        { op: 'each-multiply', constants: [2] },
        { op: 'sum', constants: [] },
      ],
    }
    expect(programOf(spec)).toBe(
      [
        'function f(xs) {',
        '  xs = xs.filter(x => x > 3)',
        '  xs = xs.map(x => x * 2)',
        '  let x = xs.reduce((a, b) => a + b, 0)',
        '  return x',
        '}',
      ].join('\n'),
    )
  })

  it('skips numbers that a loop does not keep', () => {
    const spec: Spec = {
      kind: 'loops',
      steps: [
        { op: 'range-below', constants: [1] },
        { op: 'keep-even', constants: [] },
        { op: 'each-square', constants: [] },
        { op: 'sum', constants: [] },
      ],
    }
    expect(programOf(spec)).toBe(
      [
        'function f(n) {',
        '  let total = 0',
        '  for (let i = 1; i < n; i++) {',
        '    let x = i',
        '    if (x % 2 !== 0) continue',
        '    x = x * x',
        '    total += x',
        '  }',
        '  return total',
        '}',
      ].join('\n'),
    )
  })
})
