import { describe, expect, it } from 'vitest'
import { isLogged, type LoggedEvent } from '../../src/method/events.ts'
import { foldRun, RunView } from '../../src/runs/fold.ts'
import { runLoop } from '../../src/method/loop.ts'
import { parseRunLog, serialiseRunLog } from '../../src/runs/run-log.ts'
import { logOf, ofType, request } from '../method/corridor.ts'
import { codingSettings, codingWorld } from '../method/test-writing/adding.ts'

describe('a folded run of programs', () => {
  it('joins tests with their feedback, by iteration and task', async () => {
    const log = await logOf(codingWorld(), request(codingSettings(), { iterations: 4 }))
    const view = foldRun(log)
    const written = ofType(log, 'tests-written')
    for (const event of written) {
      const tests = view.testsFor(event.iteration, event.taskId)!
      expect(tests.written).toBe(event)
      expect(tests.iteration).toBe(event.iteration)
      const worth = ofType(log, 'test-advantages').find(
        (other) => other.iteration === event.iteration && other.taskId === event.taskId,
      )
      expect([tests.feedback, tests.advantages]).toEqual([worth?.feedback ?? null, worth?.reward ?? null])
      if (event.split === 'train') expect(tests.feedback).toHaveLength(event.tests.length)
    }
    const inSecond = written.filter(({ iteration, split }) => iteration === 2 && split === 'train')
    expect(view.iteration(2)!.writtenTests.map((tests) => tests.written)).toEqual(inSecond)
    expect(view.testsFor(2, 'no such task')).toBeNull()
    expect(view.testsFor(0, 'id-0')).not.toBeNull()
    expect([...view.episodes.values()].every(({ votes }) => votes === null)).toBe(true)
  })

  it('keeps equal results once, although every event came with its own', async () => {
    const log = await logOf(codingWorld(), request(codingSettings(), { iterations: 4 }))
    // As a message or a file copies them.
    const view = foldRun(parseRunLog(serialiseRunLog(log)))
    const ofPrograms = [...view.episodes.values()].flatMap(({ episode }) =>
      episode.steps.flatMap(({ tests }) => tests!),
    )
    const written = ofType(log, 'tests-written').map(
      ({ iteration, taskId }) => view.testsFor(iteration, taskId)!.written,
    )
    expect(written.map(({ results }) => results)).toEqual(ofType(log, 'tests-written').map(({ results }) => results))
    const results = [...ofPrograms, ...written.flatMap((event) => event.results.flat())].filter((each) => each !== null)
    const differing = new Set(results.map((result) => JSON.stringify(result)))
    expect(results.length).toBeGreaterThan(10 * differing.size)
    expect(new Set(results).size).toBe(differing.size)
  })

  it('frees the tests of an iteration and restores them', async () => {
    const log = await logOf(codingWorld(), request(codingSettings(), { iterations: 4 }))
    const view = foldRun(log)
    const own = log.filter(({ iteration }) => iteration === 2)
    const { taskId } = ofType(own, 'tests-written').find(({ split }) => split === 'train')!
    view.release(2)
    expect(view.testsFor(2, taskId)).toBeNull()
    expect(view.iteration(2)!.writtenTests).toEqual([])
    view.restore(2, own)
    expect(view.testsFor(2, taskId)).toEqual(foldRun(log).testsFor(2, taskId))
    expect(view.iterations).toEqual(foldRun(log).iterations)
  })

  it('contains UT and Detect of every evaluation as series', async () => {
    const log = await logOf(codingWorld(), request(codingSettings(), { iterations: 4 }))
    const view = foldRun(log)
    for (const split of ['id', 'ood'] as const) {
      const evaluations = ofType(log, 'evaluation').filter((event) => event.split === split)
      expect(view.series(`eval/${split}/ut`)).toEqual({
        iterations: [0, 2, 4],
        values: evaluations.map(({ tests }) => tests!.ut),
      })
      expect(view.series(`eval/${split}/detect`).values).toEqual(evaluations.map(({ tests }) => tests!.detect))
    }
    expect(view.series('reward/detect').iterations).toEqual([1, 2, 3, 4])
  })

  it.each([
    ['tests-written', 2],
    ['test-advantages', 2],
    ['evaluation', 2],
    ['model-updated', 3],
  ] as const)(
    'removes an interrupted iteration when it starts again (interrupted at %s of %i)',
    async (type, iteration) => {
      const controller = new AbortController()
      const world = codingWorld()
      const cut: LoggedEvent[] = []
      let levels: [number, number] = [world.policy.level, world.reward.level]
      for await (const event of runLoop(
        world,
        request(codingSettings(), { iterations: 4, signal: controller.signal }),
      )) {
        if (!isLogged(event)) continue
        cut.push(event)
        if (event.type === 'iteration-finished') levels = [world.policy.level, world.reward.level]
        if (event.type === type && event.iteration === iteration) controller.abort()
      }
      const finished = ofType(cut, 'iteration-finished').length
      expect(finished).toBeLessThan(4)
      ;[world.policy.level, world.reward.level] = levels
      const rest = await logOf(world, request(codingSettings(), { iterations: 4 - finished, history: cut }))
      const whole = await logOf(codingWorld(), request(codingSettings(), { iterations: 4 }))

      const comparable = (view: RunView) =>
        JSON.stringify(
          {
            iterations: view.iterations,
            tests: ofType(whole, 'tests-written').map((event) => view.testsFor(event.iteration, event.taskId)),
            episodes: [...view.episodes],
            evaluations: view.evaluations,
            series: view.seriesNames.map((name) => view.series(name)),
          },
          (key, value: unknown) => (key === 'seq' ? undefined : value),
        )
      expect(comparable(foldRun([...cut, ...rest]))).toBe(comparable(foldRun(whole)))

      // Between the restart of the iteration and its tests, the tests of the interrupted one are gone.
      const view = foldRun([...cut, ...rest.slice(0, 1)])
      expect(rest[0]!.type).toBe('iteration-started')
      const left = ofType(cut, 'tests-written').filter((event) => event.iteration === finished + 1)
      expect(left.map((event) => view.testsFor(event.iteration, event.taskId))).toEqual(left.map(() => null))
    },
  )

  it('is the same after the log has been written and read', async () => {
    const log = await logOf(codingWorld(), request(codingSettings(), { iterations: 2 }))
    expect(parseRunLog(serialiseRunLog(log))).toEqual(log)
  })
})
