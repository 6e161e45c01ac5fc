/** Places in a run: how an address writes them, and which one a run shows. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { foldRun, type RunView } from '../../../src/runs/fold.ts'
import { findSpot, groupOnShow, NOTHING_CHOSEN, spotIn, type Chosen } from '../../../src/playground/run/run-spot.ts'
import { readSpot, writeSpot, type Spot } from '../../../src/playground/run/spot.ts'
import { parseRunLog } from '../../../src/runs/run-log.ts'
import { fakeCodingRunLines } from '../fake-coding-run.ts'
import { fakeRunLines } from '../fake-run.ts'

const spot = (change: Partial<Spot> = {}): Spot => ({
  iteration: 2,
  taskId: null,
  rollout: 0,
  step: 0,
  test: null,
  isOnHeads: false,
  ...change,
})

describe('a place in a run', () => {
  const ids = fc.oneof(
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 30 }),
    // Ids that look like the parts beside them.
    fc
      .array(fc.constantFrom('1', '12', 'test-3', 'a', '', 'train~4'), { minLength: 1, maxLength: 4 })
      .map((parts) => parts.join('/')),
  )

  it('comes back from an address whatever its ids are', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 1_000_000 }),
        ids.filter((id) => id !== ''),
        fc.nat(63),
        fc.nat(49),
        fc.option(fc.nat(99)),
        fc.boolean(),
        (iteration, taskId, rollout, step, test, isOnHeads) => {
          // A program of the coding world is one step.
          const place = {
            iteration,
            taskId,
            rollout,
            step: test === null ? step : 0,
            test,
            isOnHeads: isOnHeads && test !== null,
          }
          const written = writeSpot(place)
          expect(readSpot(written)).toEqual(place)
          expect(written).not.toMatch(/[&#\s]/)
        },
      ),
      { numRuns: 500 },
    )
  })

  it('is written from 1 on, tests by name', () => {
    expect(writeSpot(spot({ taskId: 'look-307/train-5', rollout: 1, step: 4 }))).toBe('2/look-307/train-5/2/5')
    expect(writeSpot(spot({ taskId: 'sum-1/train-7', rollout: 1, test: 2 }))).toBe('2/sum-1/train-7/2/test-3')
    expect(writeSpot(spot({ taskId: 'sum-1/train-7', rollout: 1, test: 2, isOnHeads: true }))).toBe(
      '2/sum-1/train-7/test-3/2',
    )
  })

  it('may leave out its last parts', () => {
    expect(readSpot('2')).toEqual(spot())
    expect(readSpot('2/look-307/train-5')).toEqual(spot({ taskId: 'look-307/train-5' }))
    expect(readSpot('2/7')).toEqual(spot({ taskId: '7' }))
    expect(readSpot('2/look/3')).toEqual(spot({ taskId: 'look', rollout: 2 }))
    expect(readSpot('2/sum/test-3')).toEqual(spot({ taskId: 'sum', test: 2, isOnHeads: true }))
  })

  it.each(['', '0', '-1/a/1/1', '1.5', 'a/1/1', '2/%E0%A4%A', `2/${'a'.repeat(2000)}`, '12345678901'])(
    'is not “%s”',
    (text) => {
      expect(readSpot(text)).toBeNull()
    },
  )

  it('never throws for any text', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 80 }), (text) => readSpot(text) === null || readSpot(text)!.iteration > 0),
    )
  })
})

describe('a link to a place', () => {
  const view = foldRun(parseRunLog(fakeRunLines({ iterations: 4 })))
  const shownSpot = (run: RunView, chosen: Chosen) => {
    const shown = groupOnShow(run, chosen)
    return shown && spotIn(shown, chosen)
  }
  const task = view.iteration(2)!.taskIds.at(-1)!
  const rollouts = view.iteration(2)!.episodes.filter(({ episode }) => episode.taskId === task).length

  it('shows an existing place without a message', () => {
    const wanted = spot({ taskId: task, rollout: 1, step: 1 })
    expect(findSpot(view, wanted)).toEqual({ spot: wanted, problem: null })
    expect(shownSpot(view, wanted)).toEqual(wanted)
  })

  it('reports what does not exist and shows the nearest place', () => {
    const late = findSpot(view, spot({ iteration: 99 }))
    expect(late.spot?.iteration).toBe(4)
    expect(late.problem).toContain('iteration 99, but this run has 4. The nearest is shown: iteration 4.')
    const elsewhere = findSpot(view, spot({ taskId: 'nowhere' }))
    expect(elsewhere.spot?.iteration).toBe(2)
    expect(view.iteration(2)!.taskIds).toContain(elsewhere.spot?.taskId)
    expect(elsewhere.problem).toContain('“nowhere”, which was not played in iteration 2')
    const third = findSpot(view, spot({ taskId: task, rollout: 60 }))
    expect(third.spot).toMatchObject({ taskId: task, rollout: rollouts - 1 })
    expect(third.problem).toContain(`rollout 61, but this task has ${rollouts} rollouts in iteration 2`)
    const deep = findSpot(view, spot({ taskId: task, step: 70 }))
    expect(deep.problem).toMatch(/step 71, but this rollout has \d+ steps?\. The nearest is shown: step \d+\.$/)
    expect(deep.problem).toContain(`step ${deep.spot!.step + 1}.`)
    expect(findSpot(foldRun([]), spot())).toMatchObject({
      spot: null,
      problem: expect.stringContaining('no iteration') as string,
    })
  })

  it('follows the run and takes the most telling group without a choice', () => {
    const shown = shownSpot(view, NOTHING_CHOSEN)
    expect(shown?.iteration).toBe(4)
    expect(view.iteration(4)!.taskIds).toContain(shown?.taskId)
    expect(shownSpot(foldRun([]), NOTHING_CHOSEN)).toBeNull()
  })

  it('counts the tests of a program, hidden and written, and household tasks have none', () => {
    const coding = foldRun(parseRunLog(fakeCodingRunLines()))
    const iteration = coding.iterations.findLast(({ writtenTests }) => writtenTests.length > 0)!
    const { taskId, tests } = iteration.writtenTests[0]!.written
    const wanted = spot({ iteration: iteration.iteration, taskId, test: 1 })
    expect(findSpot(coding, wanted)).toEqual({ spot: wanted, problem: null })
    const beyond = findSpot(coding, { ...wanted, test: 999 })
    expect(beyond.spot!.test).toBeGreaterThanOrEqual(tests.length)
    expect(beyond.problem).toMatch(/test 1000, but this task has \d+ tests/)
    expect(findSpot(view, spot({ taskId: task, test: 1 })).problem).toContain('this task has none')
  })
})
