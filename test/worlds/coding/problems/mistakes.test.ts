import { describe, expect, it } from 'vitest'
import type { Json } from '../../../../src/worlds/coding/judge/verdict.ts'
import { formatJson } from '../../../../src/worlds/coding/problems/json.ts'
import { mistakesOf, type MistakeKind } from '../../../../src/worlds/coding/problems/mistakes.ts'
import { isSameValue, outputOf, type Value } from '../../../../src/worlds/coding/problems/semantics.ts'
import { randomInputs, tasks, verdicts } from './samples.ts'

const isJson = (value: Value | null) => value !== null && Number.isFinite([value].flat().reduce((sum: number, part) => sum + (typeof part === 'number' ? part : 0), 0)) // prettier-ignore

describe('typical mistakes', () => {
  it('compute what their specs mean', async () => {
    const kinds = new Set<MistakeKind>()
    for (const [seed, { body }] of tasks('train', 60, 5000).entries()) {
      const inputs = randomInputs(body.spec!, 4, seed)
      for (const { kind, spec, program } of mistakesOf(body.spec!)) {
        kinds.add(kind)
        if (!spec) continue
        const tests = inputs
          .map((input) => ({ input: formatJson(input), value: outputOf(spec, input) }))
          .filter(({ value }) => isJson(value))
          .map(({ input, value }) => ({ input, output: formatJson(value as Json) }))
        const judged = await verdicts(program, tests)
        expect(
          judged.filter((verdict) => verdict.kind !== 'passed'),
          `${kind}\n${program}`,
        ).toEqual([])
      }
    }
    expect(kinds.size).toBe(9)
  })

  it('get the verdicts of their names if they do not run', async () => {
    for (const { body } of tasks('train', 15)) {
      for (const { kind, spec, program } of mistakesOf(body.spec!)) {
        if (spec) continue
        const [verdict] = await verdicts(program, body.tests.slice(0, 1))
        expect(verdict!.kind, program).toBe(kind === 'syntax' ? 'syntax error' : 'runtime error')
      }
    }
  })

  it('fail the ground truth if they change the meaning, in at least 995 of 1000 cases', () => {
    let changed = 0
    let caught = 0
    for (const split of ['train', 'ood'] as const) {
      for (const [seed, { body }] of tasks(split, 200, 9000).entries()) {
        const spec = body.spec!
        const own = body.tests.map(({ input }) => JSON.parse(input) as Json[])
        const many = randomInputs(spec, 300, seed).map((inputs) => ({ inputs, output: outputOf(spec, inputs) }))
        for (const mistake of mistakesOf(spec)) {
          const wrong = mistake.spec
          if (!wrong || many.every(({ inputs, output }) => isSameValue(outputOf(wrong, inputs), output))) continue
          changed++
          if (own.some((inputs) => !isSameValue(outputOf(wrong, inputs), outputOf(spec, inputs)))) caught++
        }
      }
    }
    expect(changed).toBeGreaterThan(2000)
    expect(caught / changed).toBeGreaterThan(0.995)
  })
})
