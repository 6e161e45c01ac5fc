import { describe, expect, it } from 'vitest'
import {
  CODING_PHRASES,
  demonstrateProgram,
  demonstrateRewrite,
  demonstrateTest,
} from '../../../../src/worlds/coding/roles/demonstrations.ts'
import type { Json } from '../../../../src/worlds/coding/judge/verdict.ts'
import type { CodingTask } from '../../../../src/worlds/coding/problem.ts'
import { describeSpec } from '../../../../src/worlds/coding/problems/statement.ts'
import { mistakesOf } from '../../../../src/worlds/coding/problems/mistakes.ts'
import { applyRewrite } from '../../../../src/worlds/coding/problems/rewrites.ts'
import { evaluate, isSameValue, outputOf, type Value } from '../../../../src/worlds/coding/problems/semantics.ts'
import { effortOf, type Spec } from '../../../../src/worlds/coding/problems/spec.ts'
import { codingFormats } from '../../../../src/worlds/coding/roles/plain-roles.ts'
import { seededRandom } from '../../../../src/worlds/random.ts'
import { tasks, verdicts } from '../problems/samples.ts'

const pool = [...tasks('train', 120, 700), ...tasks('ood', 40, 700)]
const random = (...parts: (string | number)[]) => seededRandom('demonstrations test', ...parts)

function readTest(spec: Spec, response: string) {
  const { test } = codingFormats.reward.parse(response)
  if (!test) throw new Error(`No test was read in:\n${response}`)
  const evaluation = evaluate(spec, JSON.parse(test.input) as Json[])
  if (!evaluation.isInRange) throw new Error(`${evaluation.reason}\n${response}`)
  return { test, isRight: isSameValue(JSON.parse(test.output) as Value, evaluation.output) }
}

describe('a demonstrated program', () => {
  it('without slips is always right', async () => {
    for (const [i, { body }] of pool.entries()) {
      const program = demonstrateProgram(body.spec!, { slip: 0 }, random('right', i))
      const judged = await verdicts(program, body.tests)
      expect(judged.every(({ kind }) => kind === 'passed')).toBe(true)
    }
  })

  it('is always wrong with a slip, and sometimes does not run', async () => {
    const seen = new Map<string, number>()
    for (let round = 0; round < 3; round++) {
      for (const [i, { body }] of pool.entries()) {
        const program = demonstrateProgram(body.spec!, { slip: 1 }, random('wrong', round, i))
        const failed = (await verdicts(program, body.tests)).find(({ kind }) => kind !== 'passed')
        expect(failed, program).toBeDefined()
        seen.set(failed!.kind, (seen.get(failed!.kind) ?? 0) + 1)
      }
    }
    const shareOf = (kind: string) => (seen.get(kind) ?? 0) / (3 * pool.length)
    expect(shareOf('wrong answer')).toBeGreaterThan(0.85)
    expect(shareOf('runtime error')).toBeGreaterThan(0)
    expect(shareOf('syntax error')).toBeGreaterThan(0)
  })

  it('has slips as often as requested', async () => {
    let wrong = 0
    for (const [i, { body }] of pool.entries()) {
      if (demonstrateProgram(body.spec!, { slip: 0.3 }, random('share', i)) !== body.reference) wrong++
    }
    expect(wrong / pool.length).toBeGreaterThan(0.18)
    expect(wrong / pool.length).toBeLessThan(0.42)
  })
})

describe('a demonstrated test', () => {
  it.each([0, 0.5, 1])('without slips is always right, at boundary %d', (boundary) => {
    for (const [i, { body }] of pool.entries()) {
      const response = demonstrateTest(body.spec!, { slip: 0, boundary }, random('right', i))
      expect(readTest(body.spec!, response).isRight, response).toBe(true)
    }
  })

  it('is always wrong with a slip, and every line of the scratchpad has a value', () => {
    for (let round = 0; round < 5; round++) {
      for (const [i, { body }] of pool.entries()) {
        const response = demonstrateTest(body.spec!, { slip: 1, boundary: 0.5 }, random('wrong', round, i))
        expect(readTest(body.spec!, response).isRight, response).toBe(false)
        expect(response).not.toMatch(/undefined|null|NaN|Infinity|(?<!^Explanation): ?$/m)
      }
    }
  })

  it('shows the value after each step', () => {
    const spec = (pool.find(({ body }) => body.spec!.steps.at(-1)!.op === 'sum') as CodingTask).body.spec!
    const response = demonstrateTest(spec, { slip: 0, boundary: 1 }, random('lines'))
    const lines = response.split('\n')
    expect(lines[0]).toMatch(/^Input: \[.*\]$/)
    expect(lines.slice(2, -1)).toHaveLength(spec.steps.length)
    expect(lines.at(-2)).toMatch(/^take the sum: 0( -?\d+)*$/)
    expect(lines.at(-1)).toBe(`Output: ${lines.at(-2)!.split(' ').at(-1)}`)
  })

  it('exposes more mistakes if it probes constants', () => {
    const caught = (boundary: number) => {
      let found = 0
      let all = 0
      for (const [i, { body }] of pool.entries()) {
        const spec = body.spec!
        const { test } = readTest(spec, demonstrateTest(spec, { slip: 0, boundary }, random('telling', i)))
        const inputs = JSON.parse(test.input) as Json[]
        for (const { spec: wrong } of mistakesOf(spec)) {
          if (!wrong) continue
          all++
          if (!isSameValue(outputOf(wrong, inputs), outputOf(spec, inputs))) found++
        }
      }
      return found / all
    }
    const [plain, probing] = [caught(0), caught(1)]
    expect(probing).toBeGreaterThan(plain + 0.05)
  })
})

describe('a demonstrated rewrite', () => {
  it('is valid and has the requested direction', () => {
    let found = 0
    for (const [i, task] of pool.slice(0, 60).entries()) {
      for (const direction of ['harder', 'easier'] as const) {
        const text = demonstrateRewrite(task, direction, random('rewrite', i, direction))
        if (text === null) continue
        found++
        const outcome = applyRewrite(task, text, 'new')
        expect(outcome.ok, `${text}: ${outcome.message}`).toBe(true)
        const change = outcome.ok ? effortOf(outcome.task.body.spec!) - effortOf(task.body.spec!) : 0
        expect(Math.sign(change)).toBe(direction === 'harder' ? 1 : -1)
      }
    }
    expect(found).toBeGreaterThan(100)
  })
})

it('the same random stream gives the same demonstrations', () => {
  const [{ body }] = pool as [CodingTask]
  const program = () => demonstrateProgram(body.spec!, { slip: 1 }, random('same'))
  const test = () => demonstrateTest(body.spec!, { slip: 0.5, boundary: 0.5 }, random('same'))
  expect([program(), test()]).toEqual([program(), test()])
})

it('demonstrations consist only of fixed phrases, numbers, letters and punctuation', () => {
  const longestFirst = [...CODING_PHRASES].sort((a, b) => b.length - a.length)
  for (const [i, task] of pool.entries()) {
    const texts = [
      task.body.statement,
      describeSpec(task),
      demonstrateProgram(task.body.spec!, { slip: 0 }, random(i)),
      demonstrateTest(task.body.spec!, { slip: 0.5, boundary: 0.5 }, random(i)),
      demonstrateRewrite(task, 'harder', random(i)) ?? '',
    ]
    for (const text of texts) {
      // Removes strings first, whose letters may spell a phrase.
      let left = text.replaceAll(/"[a-e]+"/g, '~')
      for (const phrase of longestFirst) left = left.replaceAll(phrase.trim() === '' ? phrase : phrase.trim(), '~')
      expect(left.match(/[a-z]+/gi)?.filter((word) => !/^(yes|no)$/.test(word)) ?? [], text).toEqual([])
    }
  }
})
