/** The loop in the coding world with its real problems, judge and formats; only the models are stand-ins. */
import { describe, expect, it } from 'vitest'
import { CodingEnvironment } from '../../../src/worlds/coding/environment.ts'
import { expectingTests, type CodingTask } from '../../../src/worlds/coding/problem.ts'
import { generatedProblems } from '../../../src/worlds/coding/problem-source.ts'
import { codingFormats } from '../../../src/worlds/coding/roles/plain-roles.ts'
import type { LoopPorts } from '../../../src/method/loop-contract.ts'
import { InThreadJudge } from '../../worlds/coding/in-thread-judge.ts'
import { testResponse } from '../../worlds/coding/test-response.ts'
import { FakeModel, logOf, ofType, request } from '../corridor.ts'
import { codingSettings } from './adding.ts'

class KnownProblems extends CodingEnvironment {
  readonly tasks: CodingTask[] = []
  override async sampleTasks(...asked: Parameters<CodingEnvironment['sampleTasks']>) {
    const tasks = await super.sampleTasks(...asked)
    this.tasks.push(...(tasks as CodingTask[]))
    return tasks
  }
}

function realWorld(): LoopPorts & { reward: FakeModel } {
  const environment = new KnownProblems({ judge: new InThreadJudge(), problems: generatedProblems() })
  const problem = (prompt: string) => environment.tasks.find(({ body }) => prompt.startsWith(body.statement))!.body
  let clock = 0
  return {
    policy: new FakeModel(0.5, (prompt, skill, uniform) => {
      const { reference, tests } = problem(prompt)
      if (uniform() < skill) return reference!
      return uniform() < 0.8 ? reference!.replace(/\n.*$/su, '') : `no program: ${tests.length}`
    }),
    reward: new FakeModel(0.6, (prompt, insight, uniform) => {
      const tests = expectingTests(problem(prompt))
      const test = tests[Math.floor(uniform() * tests.length)]!
      const draw = uniform()
      if (draw < insight) return testResponse(test, 'as it is')
      return draw < 0.9 ? testResponse({ ...test, output: '"never"' }) : 'nothing comes to mind'
    }),
    author: new FakeModel(0, () => 'something else'),
    environment,
    unitTests: environment,
    formats: codingFormats,
    now: () => ++clock,
  }
}

describe('the loop with the real judge', () => {
  it('distinguishes true tests from false ones by the reference solution, and by programs that pass the hidden tests', async () => {
    const world = realWorld()
    const settings = codingSettings({ evaluationTasks: 2, evaluationRollouts: 3 })
    const log = await logOf(world, request(settings, { iterations: 2 }))
    const tests = ofType(log, 'tests-written').flatMap((event) => event.tests)
    expect(new Set(tests.map(({ isTrue }) => isTrue))).toEqual(new Set([true, false, null]))
    for (const { test, isTrue } of tests) expect(isTrue).toBe(test && test.output !== '"never"')
    expect(tests.some(({ reasoning }) => reasoning === 'as it is')).toBe(true)

    const outcomes = new Map(ofType(log, 'episode').map((event) => [event.episodeId, event]))
    for (const { episodeIds, results, tests: written } of ofType(log, 'tests-written')) {
      episodeIds.forEach((id, program) => {
        if (outcomes.get(id)!.outcome !== 1) return
        expect(results[program]!.map((result) => result?.passed ?? null)).toEqual(written.map(({ isTrue }) => isTrue))
      })
    }
    const { metrics } = ofType(log, 'iteration-finished').at(-1)!
    expect(metrics['reward/ut']).toBeGreaterThan(0)
    expect(metrics['policy/acc']).toBeGreaterThan(0)
    expect(world.reward.updates).toHaveLength(2)
    const verdicts = new Set(
      ofType(log, 'tests-written')
        .flatMap((event) => event.results.flat())
        .map((r) => r?.verdict),
    )
    expect(verdicts.size).toBeGreaterThan(2)
    expect(JSON.stringify(log)).toBe(JSON.stringify(await logOf(realWorld(), request(settings, { iterations: 2 }))))
  })
})
