/** Sample problems and inputs, and verdicts of the judge, for these tests. */
import { DEFAULT_LIMITS, type Json, type Verdict } from '../../../../src/worlds/coding/judge/verdict.ts'
import { Judge } from '../../../../src/worlds/coding/judge/judge.ts'
import type { CodingTask } from '../../../../src/worlds/coding/problem.ts'
import { generateTask } from '../../../../src/worlds/coding/problems/generator.ts'
import { plainInput, probingInputs } from '../../../../src/worlds/coding/problems/inputs.ts'
import type { Spec } from '../../../../src/worlds/coding/problems/spec.ts'
import { seededRandom } from '../../../../src/worlds/random.ts'
import type { HiddenTest } from '../../../../src/worlds/coding/problem.ts'
import type { Split } from '../../../../src/method/ports.ts'

export function tasks(split: Split, count: number, from = 0): CodingTask[] {
  return Array.from({ length: count }, (_, i) => generateTask({ seed: from + i, split }))
}

/** Inputs in range that differ from the candidates for the ground truth. */
export function randomInputs(spec: Spec, count: number, seed: number): Json[][] {
  const random = seededRandom('test inputs', seed)
  const probing = probingInputs(spec)
  return Array.from({ length: count }, (_, i) => (i % 3 === 0 ? plainInput(spec, random) : probing(random))).filter(
    (inputs) => inputs !== null,
  )
}

const judge = new Judge()

export function verdicts(source: string, tests: readonly HiddenTest[]): Promise<Verdict[]> {
  return judge.judge({
    source,
    tests: tests.map(({ input, output }) => ({
      kind: 'call',
      functionName: 'f',
      arguments: JSON.parse(input) as Json[],
      expected: JSON.parse(output ?? 'null') as Json,
    })),
    limits: { ...DEFAULT_LIMITS, executedMs: 20 },
  })
}
