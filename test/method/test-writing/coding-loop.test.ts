import { describe, expect, it } from 'vitest'
import { isLogged, type LoggedEvent, type TestsWritten } from '../../../src/method/events.ts'
import { runLoop } from '../../../src/method/loop.ts'
import { METRICS } from '../../../src/method/metrics.ts'
import { deriveSeed } from '../../../src/method/random.ts'
import { TESTS_PER_CALL } from '../../../src/method/test-writing/test-questions.ts'
import { collect, decodeTokens, logOf, ofType, request } from '../corridor.ts'
import { codingSettings, codingWorld, isReadable, run } from './adding.ts'

/** The types of events, without repetitions. */
function phases(events: readonly LoggedEvent[]): string[] {
  return events.map((event) => event.type).filter((type, index, types) => type !== types[index - 1])
}
const inTraining = (log: readonly LoggedEvent[]) =>
  ofType(log, 'tests-written').filter((event) => event.split === 'train')
const standardised = (values: readonly number[]) => {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  const std = Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length)
  return values.map((value) => (std > 1e-8 ? (value - mean) / std : 0))
}
const close = (actual: readonly (number | null)[], expected: readonly number[]) => {
  expect(actual).toHaveLength(expected.length)
  actual.forEach((value, index) => {
    expect(value ?? 0).toBeCloseTo(expected[index]!, 9)
  })
}
const scores = ({ results }: TestsWritten) =>
  results.map((row) => row.map((result) => (result === null ? 0 : result.passed ? 1 : -1)))

describe('a run in which the reward model writes tests', () => {
  it('logs tests instead of judgements, and their advantages after those of the programs', async () => {
    const log = await logOf(codingWorld(), request(codingSettings({ tasksPerIteration: 8 }), { iterations: 1 }))
    const advantages = ['advantages', 'test-advantages']
    expect(phases(log)).toEqual([
      'run-started',
      'task-added',
      ...['id', 'ood'].flatMap(() => ['episode', 'tests-written', 'evaluation']),
      'iteration-started',
      'episode',
      'tests-written',
      ...Array.from({ length: 8 }, () => advantages).flat(),
      'model-updated',
      'rewrite-proposed',
      'theory',
      'iteration-finished',
      'run-finished',
    ])
    expect(ofType(log, 'model-updated').map(({ role }) => role)).toEqual(['policy', 'reward'])
    expect(ofType(log, 'advantages').every(({ reward }) => JSON.stringify(reward) === '[[]]')).toBe(true)
  })

  it('runs every program of a task on every test, and logs the results', async () => {
    const log = await logOf(codingWorld(), request(codingSettings(), { iterations: 3 }))
    const episodes = new Map(ofType(log, 'episode').map((event) => [event.episodeId, event]))
    const written = ofType(log, 'tests-written')
    const unreadable = written.flatMap(({ tests }) => tests).filter(({ test }) => !isReadable(test))
    expect(new Set(unreadable.map(({ test }) => test === null)).size).toBe(2)
    for (const { taskId, tests, episodeIds, results } of written) {
      expect([tests.length, episodeIds.length]).toEqual([5, 6])
      const addend = Number(/add (\d+)/u.exec(episodes.get(episodeIds[0]!)!.instruction)![1])
      episodeIds.forEach((id, program) => {
        const episode = episodes.get(id)!
        expect([episode.taskId, episode.rollout]).toEqual([taskId, program])
        tests.forEach(({ test }, index) => {
          const expected = isReadable(test)
            ? run(episode.steps[0]!.command, Number(test.input)) === Number(test.output)
            : null
          expect(results[program]![index]?.passed ?? null).toBe(expected)
        })
      })
      for (const { test, isTrue } of tests) {
        expect(isTrue).toBe(isReadable(test) ? Number(test.input) + addend === Number(test.output) : null)
      }
    }
    const wrong = [...episodes.values()].find(({ outcome }) => outcome === -1)!
    expect(wrong.steps[0]!.tests!.some(({ passed }) => !passed)).toBe(true)
  })

  it('trains by the published formulas: R over the programs, mean R S over the tests', async () => {
    const settings = codingSettings({ lambda: 2, rewardAccuracyLow: 0, rewardAccuracyHigh: 1, policyAccuracyLow: 0, policyAccuracyHigh: 1 }) // prettier-ignore
    const log = await logOf(codingWorld(), request(settings, { iterations: 1 }))
    const episodes = new Map(ofType(log, 'episode').map((event) => [event.episodeId, event]))
    const advantages = new Map(ofType(log, 'advantages').map((event) => [event.episodeId, event]))
    const ofTests = new Map(ofType(log, 'test-advantages').map((event) => [event.taskId, event]))
    expect(ofTests.size).toBe(inTraining(log).length)
    for (const event of inTraining(log)) {
      const votes = scores(event)
      const integrated = votes.map((row, program) => {
        const readable = row.filter((score) => score !== 0)
        const mean = readable.reduce<number>((sum, score) => sum + score, 0) / Math.max(1, readable.length)
        return episodes.get(event.episodeIds[program]!)!.outcome + 2 * mean
      })
      const programs = event.episodeIds.map((id) => advantages.get(id)!)
      close(programs.flatMap(({ feedback }) => feedback), integrated) // prettier-ignore
      close(programs.flatMap(({ policy }) => policy), standardised(integrated)) // prettier-ignore
      const worth = event.tests.map(({ test }, index) =>
        !isReadable(test)
          ? -3
          : integrated.reduce((sum, value, program) => sum + value * votes[program]![index]!, 0) / integrated.length,
      )
      close(ofTests.get(event.taskId)!.feedback, worth)
      close(ofTests.get(event.taskId)!.reward, standardised(worth))
    }
  })

  it('trains as released: pass ratios of hidden tests, and tests by the programs that they distinguish', async () => {
    const settings = codingSettings({}, 'coding+coding-reference')
    const log = await logOf(codingWorld(), request(settings, { iterations: 4 }))
    const episodes = new Map(ofType(log, 'episode').map((event) => [event.episodeId, event]))
    const advantages = new Map(ofType(log, 'advantages').map((event) => [event.episodeId, event]))
    let trained = 0
    const rejected = ofType(log, 'rewrite-resolved').flatMap((event) => (event.accepted ? [] : [event.candidateId]))
    for (const event of inTraining(log)) {
      const group = event.episodeIds.map((id) => episodes.get(id)!)
      const ratios = group.map(({ steps }) => steps[0]!.tests!.filter(({ passed }) => passed).length / steps[0]!.tests!.length) // prettier-ignore
      const policy = event.episodeIds.flatMap((id) => advantages.get(id)!.policy)
      const accuracy = group.filter(({ outcome }) => outcome === 1).length / group.length
      const ofTests = ofType(log, 'test-advantages').find(
        (other) => other.iteration === event.iteration && other.taskId === event.taskId,
      )
      expect(ofTests === undefined).toBe(accuracy === 0)
      if (accuracy < 0.2 || accuracy > 0.8 || rejected.includes(event.taskId)) {
        expect([...policy, ...(ofTests?.reward ?? [])].every((value) => value === null)).toBe(true)
        continue
      }
      trained++
      expect(policy.every((value) => value !== null)).toBe(true)
      close(policy, standardised(ratios))
      const worth = event.tests.map((_, index) => {
        const passes = (side: 1 | -1) => group.flatMap(({ outcome }, program) => (outcome === side ? [event.results[program]![index]?.passed ?? false] : [])) // prettier-ignore
        const wrongPassing = passes(-1).filter(Boolean).length
        return passes(1).every(Boolean) ? passes(-1).length - wrongPassing : -wrongPassing
      })
      close(ofTests!.feedback, worth)
      close(ofTests!.reward, standardised(worth))
    }
    expect(trained).toBeGreaterThan(3)
  })

  it('trains on the samples with the logged advantages', async () => {
    const world = codingWorld()
    const log = await logOf(world, request(codingSettings(), { iterations: 1 }))
    const written = new Map(inTraining(log).map((event) => [event.taskId, event]))
    const openings = new Map(ofType(log, 'episode').map((event) => [event.taskId, event.opening]))
    const expected = ofType(log, 'test-advantages').flatMap(({ taskId, reward }) =>
      written.get(taskId)!.tests.flatMap(({ reasoning, test }, index) => {
        const text = test ? `${test.input}:${test.output} ${reasoning}` : reasoning
        return reward[index] === null ? [] : [JSON.stringify([`${openings.get(taskId)}?`, text, reward[index]])]
      }),
    )
    const trained = world.reward.updates[0]!.examples.map(({ prompt, response, advantage }) =>
      JSON.stringify([decodeTokens(prompt), decodeTokens(response), advantage]),
    )
    expect(trained.length).toBeGreaterThan(4)
    expect(trained.toSorted()).toEqual(expected.toSorted())
    // Each optimiser step sees a mix of tasks.
    const order = trained.map((row) => (JSON.parse(row) as string[])[0])
    expect(order.filter((prompt, index) => prompt !== order[index - 1]).length).toBeGreaterThan(new Set(order).size)
    expect(ofType(log, 'model-updated').find(({ role }) => role === 'reward')!.examples).toBe(trained.length)
  })

  it('writes metrics of tests, all described, and none of a judge', async () => {
    const log = await logOf(codingWorld(), request(codingSettings(), { iterations: 1 }))
    const { metrics } = ofType(log, 'iteration-finished')[0]!
    const ofSteps = ['reward/process_acc', 'reward/vote_agreement', 'reward/push']
    const ofOthers = [
      ...['policy/mismatch_kl', 'reward/mismatch_kl'],
      ...['env/accept_rate', 'env/null_accept_rate', 'env/critic_tokens'],
    ]
    expect(Object.keys(metrics).sort()).toEqual(
      Object.keys(METRICS)
        .filter((name) => ![...ofSteps, ...ofOthers].includes(name))
        .sort(),
    )
    const tests = inTraining(log).flatMap((event) => event.tests)
    const readable = tests.filter(({ test }) => isReadable(test))
    expect(metrics['reward/parse_fail_rate']).toBeCloseTo(1 - readable.length / tests.length, 12)
    const isTrue = readable.filter((test) => test.isTrue)
    expect(metrics['reward/test_truth']).toBeCloseTo(isTrue.length / readable.length, 12)
    expect(metrics['reward/ut_tests']).toBeGreaterThanOrEqual(metrics['reward/detect_tests']!)
    // In this world a test is true exactly if every correct program passes it.
    const known = new Set(
      ofType(log, 'episode').flatMap((event) => (event.split === 'train' && event.outcome === 1 ? [event.taskId] : [])),
    )
    const counted = inTraining(log).filter(({ taskId }) => known.has(taskId))
    const ofKnown = counted.flatMap((event) => event.tests)
    expect(metrics['reward/ut_tests']).toBe(ofKnown.length)
    expect(metrics['reward/ut']).toBeCloseTo(ofKnown.filter((test) => test.isTrue === true).length / ofKnown.length, 12)
    const sampled = ofType(log, 'episode')
      .filter(({ split }) => split === 'train')
      .flatMap(({ steps }) => steps)
      .reduce((total, { tokens }) => total + tokens.length, 0)
    expect(metrics['training/num_tokens']).toBeGreaterThan(sampled)
    expect(ofType(log, 'theory')[0]!.mu).toBeGreaterThan(1)
  })

  it('draws tests from a different seed for each task and iteration, and from the same one for each evaluation', async () => {
    const world = codingWorld()
    const log = await logOf(world, request(codingSettings(), { iterations: 2 }))
    const ofSplits = ofType(log, 'tests-written').map(({ split }) => split)
    expect(world.reward.seeds).toHaveLength(ofSplits.length)
    const seeds = (isTraining: boolean) =>
      world.reward.seeds.filter((_, index) => (ofSplits[index] === 'train') === isTraining)
    expect(new Set(seeds(true)).size).toBe(seeds(true).length)
    expect(new Set(seeds(false)).size).toBe(8)
    expect(seeds(false)).toHaveLength(16)
  })

  it('does not train on the tests of a rejected candidate', async () => {
    const settings = codingSettings({ policyLearningRate: 0, rewardAccuracyLow: 0, rewardAccuracyHigh: 1 })
    const world = codingWorld()
    const log = await logOf(world, request(settings, { iterations: 6 }))
    const resolved = ofType(log, 'rewrite-resolved')
    const rewards = (isAccepted: boolean) =>
      resolved
        .filter(({ accepted }) => accepted === isAccepted)
        .flatMap(({ candidateId, iteration }) =>
          ofType(log, 'test-advantages').filter(
            (event) => event.taskId === candidateId && event.iteration === iteration,
          ),
        )
        .flatMap(({ reward }) => reward)
    expect(rewards(false).length).toBeGreaterThan(0)
    expect(rewards(false).every((advantage) => advantage === null)).toBe(true)
    expect(rewards(true).some((advantage) => advantage !== null)).toBe(true)
    const trained = ofType(log, 'test-advantages').flatMap(({ reward }) => reward.filter((value) => value !== null))
    const examples = world.reward.updates.flatMap((update) => update.examples.map(({ advantage }) => advantage))
    expect(examples.toSorted()).toEqual(trained.toSorted())
  })

  it('omits what is unknown without a reference solution', async () => {
    const log = await logOf(codingWorld({ hasReference: false }), request(codingSettings(), { iterations: 1 }))
    expect(ofType(log, 'tests-written').every(({ tests }) => tests.every(({ isTrue }) => isTrue === null))).toBe(true)
    const { metrics } = ofType(log, 'iteration-finished')[0]!
    expect(metrics).not.toHaveProperty('reward/test_truth')
    expect(metrics).toHaveProperty('reward/ut')
  })

  it('reports failed and false tests to the author', async () => {
    const world = codingWorld({ sizes: [6, 1] })
    const log = await logOf(world, request(codingSettings(), { iterations: 3 }))
    const proposals = ofType(log, 'rewrite-proposed')
    const easier = proposals.filter(({ direction }) => direction === 'easier')
    const harder = proposals.filter(({ direction }) => direction === 'harder')
    expect(
      easier.some(({ criticSummary }) =>
        criticSummary.startsWith('wrong answer on test 5 x6; wrong answer on test 6 x6; '),
      ),
    ).toBe(true)
    expect(harder.some(({ criticSummary }) => criticSummary.startsWith('passed all tests x'))).toBe(true)
    expect(proposals.some(({ criticSummary }) => /written \d -> \d+ lies x1/u.test(criticSummary))).toBe(true)
    expect(world.author.prompts.some((prompt) => prompt.endsWith(easier[0]!.criticSummary))).toBe(true)
    expect(ofType(log, 'rewrite-resolved').length).toBeGreaterThan(0)
  })
})

describe('its evaluation', () => {
  it('runs several programs and tests of every held-out task, and counts Code, UT and Detect', async () => {
    const log = await logOf(codingWorld(), request(codingSettings(), { iterations: 2 }))
    for (const evaluation of ofType(log, 'evaluation')) {
      const belongs = (event: LoggedEvent) => event.iteration === evaluation.iteration
      const episodes = ofType(log, 'episode').filter((event) => belongs(event) && event.split === evaluation.split)
      const written = ofType(log, 'tests-written').filter((event) => belongs(event) && event.split === evaluation.split)
      expect([episodes.length, evaluation.episodes, written.length]).toEqual([24, 24, 4])
      expect(new Set(episodes.map(({ episodeId }) => episodeId)).size).toBe(24)
      expect(evaluation.acc).toBe(episodes.filter(({ outcome }) => outcome === 1).length / 24)
      const outcomeOf = new Map(episodes.map(({ episodeId, outcome }) => [episodeId, outcome]))
      let [utTests, ut, detectTests, detect] = [0, 0, 0, 0]
      for (const { episodeIds, results, tests } of written) {
        const outcomes = episodeIds.map((id) => outcomeOf.get(id))
        tests.forEach((_, index) => {
          if (!outcomes.includes(1)) return
          const passes = (side: number) => results.filter((_row, program) => outcomes[program] === side).map((row) => row[index]?.passed ?? false) // prettier-ignore
          const isTrue = passes(1).every(Boolean)
          utTests++
          if (isTrue) ut++
          if (!outcomes.includes(-1)) return
          detectTests++
          if (isTrue && !passes(-1).includes(true)) detect++
        })
      }
      expect(evaluation.tests).toEqual({ ut: ut / utTests, utTests, detect: detect / detectTests, detectTests })
    }
  })

  it('draws the same numbers every time, not greedily, so that unchanged models measure the same', async () => {
    const world = codingWorld()
    const settings = codingSettings({
      trainPolicy: false,
      trainReward: false,
      evaluateEvery: 1,
      rewardTemperature: 0.9,
    })
    const log = await logOf(world, request(settings, { iterations: 2 }))
    const measured = ofType(log, 'evaluation').map(({ split, acc, tests }) => JSON.stringify({ split, acc, tests }))
    expect(measured).toHaveLength(6)
    expect(new Set(measured).size).toBe(2)
    expect(new Set(world.policy.samplings.map(({ temperature }) => temperature))).toEqual(new Set([1]))
    expect(new Set(world.reward.samplings.map(({ temperature }) => temperature))).toEqual(new Set([0.9]))
    const programs = ofType(log, 'episode').filter(({ episodeId }) => episodeId.startsWith('e0/id/2/'))
    expect(new Set(programs.map(({ steps }) => steps[0]!.command)).size).toBeGreaterThan(1)
  })

  it('judges a greedy program and a greedy test, the test by programs of the training temperature', async () => {
    const world = codingWorld()
    const settings = codingSettings({ trainPolicy: false, trainReward: false, evaluationTemperature: 0 })
    const log = await logOf(world, request(settings, { iterations: 1 }))
    const evaluations = ofType(log, 'evaluation')
    expect(
      evaluations.map(({ split, serves, temperature, episodes }) => [split, serves, temperature, episodes]),
    ).toEqual(
      ['id', 'ood'].flatMap((split) => [
        [split, 'training', 1, 24],
        [split, 'evaluation', 0, 4],
      ]),
    )
    const sampled = ofType(log, 'episode').filter(({ episodeId }) => episodeId.startsWith('e0/id/'))
    const tried = ofType(log, 'tests-written').filter(({ split }) => split === 'id')
    // Five tests of each problem, then the greedy one of each; all of them on the six sampled programs.
    expect(tried.map(({ tests }) => tests.length)).toEqual([5, 5, 5, 5, 1, 1, 1, 1])
    for (const { episodeIds, taskId } of tried) {
      expect(episodeIds).toEqual(sampled.filter((one) => one.taskId === taskId).map(({ episodeId }) => episodeId))
    }
    expect(evaluations.map(({ tests }) => tests!.utTests <= 4)).toEqual([false, true, false, true])
    expect(world.reward.samplings.filter(({ temperature }) => temperature === 0)).toHaveLength(2)
  })

  it('begins with the rollout of a single evaluation, from the seed that it has always had', async () => {
    const first = async (evaluationRollouts: number) => {
      const world = codingWorld()
      const log = await logOf(world, request(codingSettings({ evaluationRollouts }), { iterations: 1 }))
      const commands = ofType(log, 'episode')
        .filter(({ split, rollout }) => split !== 'train' && rollout === 0)
        .map(({ taskId, steps }) => [taskId, steps[0]!.command])
      return { commands, seeds: world.policy.seeds.slice(0, 4) }
    }
    const [alone, together] = [await first(1), await first(6)]
    expect(together).toEqual(alone)
    const split = deriveSeed(7, 'evaluate', 'id')
    expect(alone.seeds).toEqual([0, 1, 2, 3].map((index) => deriveSeed(split, `id-${index}`, 0)))
  })
})

describe('its determinism', () => {
  it.each(['coding', 'coding+coding-reference'])('is the same log for the same seed (%s)', async (preset) => {
    const write = async (seed: number) =>
      JSON.stringify(await logOf(codingWorld(), request(codingSettings({ seed }, preset))))
    expect(await write(7)).toBe(await write(7))
    expect(await write(8)).not.toBe(await write(7))
  })

  it('resumes from its history exactly as if it had not stopped', async () => {
    const whole = await logOf(codingWorld(), request(codingSettings(), { iterations: 5 }))
    const world = codingWorld()
    const first = (await logOf(world, request(codingSettings(), { iterations: 2 }))).slice(0, -1)
    const rest = await logOf(world, request(codingSettings(), { iterations: 3, history: first }))
    expect(JSON.stringify([...first, ...rest])).toBe(JSON.stringify(whole))
  })
})

describe('freezing', () => {
  it.each(['policy', 'reward', 'environment'] as const)('trains or adapts the %s alone', async (only) => {
    const world = codingWorld({ sizes: [1, 3, 6, 2] })
    const log = await logOf(world, request(codingSettings(), { iterations: 2, only }))
    expect([
      world.policy.updates.length > 0,
      world.reward.updates.length > 0,
      ofType(log, 'rewrite-proposed').length > 0,
    ]).toEqual([only === 'policy', only === 'reward', only === 'environment'])
  })

  it.each([
    ['coding+frozen-judge', true],
    ['coding+grpo', false],
    ['coding+step-frozen', true],
    ['coding+coding-reference+frozen-judge', false],
    ['coding+coding-reference+policy-reward', true],
  ])('asks for tests only if something uses them (%s: %s)', async (preset, isRead) => {
    const world = codingWorld()
    const log = await logOf(world, request(codingSettings({}, preset), { iterations: 1 }))
    expect(inTraining(log).length > 0).toBe(isRead)
    expect(ofType(log, 'test-advantages').length > 0).toBe(isRead)
    expect(world.policy.updates).toHaveLength(1)
    // A frozen reward model is measured on held-out tasks too, but not one that nothing reads.
    expect(ofType(log, 'evaluation').length).toBeGreaterThan(0)
    for (const { tests } of ofType(log, 'evaluation')) expect(tests !== undefined).toBe(isRead)
    expect(world.reward.generateCalls > 0).toBe(isRead)
    if (!isRead) expect(ofType(log, 'iteration-finished')[0]!.metrics).not.toHaveProperty('reward/ut')
  })
})

describe('its calls', () => {
  it('are bounded, and report progress', async () => {
    const world = codingWorld()
    const settings = codingSettings({ tasksPerIteration: 40, taskPoolSize: 40, evaluationsPerStep: 16, groupSize: 2, evaluateEvery: 0 }) // prettier-ignore
    const events = await collect(world, request(settings, { iterations: 1 }))
    expect(world.reward.callSizes).toEqual([TESTS_PER_CALL, TESTS_PER_CALL, 8 * 16])
    const progress = events.flatMap((event) => (event.type === 'progress' && event.phase === 'judge' ? [event] : []))
    expect(progress.map(({ done, total }) => [done, total])).toEqual([
      [0, 40],
      [16, 40],
      [32, 40],
      [40, 40],
    ])
  })

  it('stop at an abort while tests run, and the iteration then starts again as usual', async () => {
    const whole = await logOf(codingWorld(), request(codingSettings(), { iterations: 3 }))
    const world = codingWorld()
    const controller = new AbortController()
    const runTests = world.unitTests.runTests.bind(world.unitTests)
    let calls = 0
    world.unitTests.runTests = (jobs) => {
      // Two evaluations before the first iteration, then one call in each of the first two.
      if (++calls === 4) controller.abort()
      return runTests(jobs)
    }
    let levels: [number, number] = [0, 0]
    const cut: LoggedEvent[] = []
    for await (const event of runLoop(world, request(codingSettings(), { iterations: 3, signal: controller.signal }))) {
      if (!isLogged(event)) continue
      cut.push(event)
      if (event.type === 'iteration-finished') levels = [world.policy.level, world.reward.level]
    }
    expect(cut.at(-1)).toMatchObject({ type: 'run-finished', reason: 'stopped' })
    expect(ofType(cut, 'iteration-finished')).toHaveLength(1)
    expect(inTraining(cut).every(({ iteration }) => iteration === 1)).toBe(true)

    ;[world.policy.level, world.reward.level] = levels
    const rest = await logOf(world, request(codingSettings(), { iterations: 2, history: cut }))
    const strip = (events: readonly LoggedEvent[]) => events.map(({ seq: _, ...body }) => body)
    expect(strip(rest)).toEqual(strip(whole.filter((event) => event.iteration > 1)))
  })

  it('require a port that runs the tests', async () => {
    const { unitTests: _, ...ports } = codingWorld()
    await expect(logOf(ports, request(codingSettings()))).rejects.toThrow(/no port to run them.*`unitTests`/u)
  })

  it('name the task if a report does not match, or an episode is not a program', async () => {
    const short = codingWorld()
    const runTests = short.unitTests.runTests.bind(short.unitTests)
    short.unitTests.runTests = async (jobs) => (await runTests(jobs)).map((report) => ({ ...report, results: [] }))
    await expect(logOf(short, request(codingSettings()))).rejects.toThrow(/id-0 were not reported as 6 programs on 5/u)

    const untested = codingWorld()
    const step = untested.environment.step.bind(untested.environment)
    untested.environment.step = async (actions) => (await step(actions)).map(({ tests: _, ...rest }) => rest)
    await expect(logOf(untested, request(codingSettings()))).rejects.toThrow(/e0\/id\/0\/0 has 1 steps and 0 results/u)
  })
})
