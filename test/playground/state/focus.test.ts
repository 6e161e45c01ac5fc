import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isLogged, type LoggedEvent } from '../../../src/method/events.ts'
import { cite } from '../../../src/playground/state/citation.ts'
import { Focus } from '../../../src/playground/state/focus.svelte.ts'
import { parseRunLog } from '../../../src/runs/run-log.ts'
import { fakeCodingRunLines } from '../fake-coding-run.ts'
import { fakeRun } from '../fake-run.ts'
import { FakeRun } from './page-stand-ins.ts'

const events = [...fakeRun({ iterations: 4 })].filter(isLogged)
/** The log up to the last event of a type in an iteration. */
function until(iteration: number, type: LoggedEvent['type']): LoggedEvent[] {
  return events.slice(0, events.findLastIndex((event) => event.iteration === iteration && event.type === type) + 1)
}

function focusOn(run: FakeRun): Focus {
  return new Focus({ runFor: () => run })
}

describe('the focus', () => {
  it('has nothing on show before the first iteration', () => {
    const focus = focusOn(new FakeRun())
    expect([focus.iteration, focus.shown, focus.spot, focus.batch, focus.judged, focus.replayed]).toEqual(
      Array.from({ length: 6 }, () => null),
    )
    expect(focus.isJudged).toBe(false)
    expect(cite(focus, { has: () => true })).toBe('nothing')
  })

  it('follows the run until an iteration is chosen', () => {
    const run = new FakeRun(until(2, 'iteration-finished'))
    const focus = focusOn(run)
    expect(focus.iteration).toBe(2)
    run.apply(events.slice(until(2, 'iteration-finished').length))
    expect([focus.iteration, focus.shown?.iteration.iteration, focus.isFollowing]).toEqual([4, 4, true])
    focus.chooseIteration(3)
    expect([focus.iteration, focus.shown?.iteration.iteration, focus.isFollowing]).toEqual([3, 3, false])
    focus.chooseIteration(99)
    expect(focus.iteration, 'the run has no such iteration').toBe(4)
    for (const [wished, chosen] of [
      [99, 4],
      [2.5, 3],
      [-1, 1],
      [0, 1],
      [NaN, null],
    ] as const) {
      focus.chooseIteration(wished)
      expect(focus.chosen.iteration).toBe(chosen)
    }
  })

  it('keeps whatever was chosen on show while the run continues, until it is told to follow', () => {
    const before = until(2, 'iteration-finished')
    const choices: ((focus: Focus) => void)[] = [
      (focus) => focus.chooseStep(1, 1),
      (focus) => focus.chooseTask(focus.shown!.choices.at(-1)!.taskId),
      (focus) => focus.chooseProgram(1, null),
      (focus) => focus.chooseTest(0),
      (focus) => focus.stay(focus.shown!),
    ]
    for (const choose of choices) {
      const run = new FakeRun(before)
      const focus = focusOn(run)
      choose(focus)
      const { spot } = focus
      expect([focus.newer, focus.viewFor('loop')]).toEqual([0, run.view])
      run.apply(events.slice(before.length))
      expect([focus.spot, focus.replayed?.iteration.iteration, focus.batch?.iteration]).toEqual([spot, 2, 2])
      expect([focus.newer, focus.viewFor('loop').current?.iteration]).toEqual([2, 2])
      expect(focus.viewFor('tasks'), 'the past is made once').toBe(focus.viewFor('loop'))
      focus.follow()
      expect([focus.iteration, focus.newer, focus.viewFor('loop')]).toEqual([4, 0, run.view])
    }
  })

  it('keeps the task of a step that was chosen before its iteration was judged', () => {
    const before = until(3, 'episode')
    const run = new FakeRun(before)
    const focus = focusOn(run)
    focus.chooseStep(0, 1)
    const { taskId } = focus.spot!
    run.apply(events.slice(before.length))
    expect([focus.spot?.taskId, focus.judged?.group.taskId]).toEqual([taskId, taskId])
  })

  it('keeps the iteration of the part in which a step was chosen', () => {
    const focus = focusOn(new FakeRun(until(3, 'episode')))
    focus.chooseStep(0, 1, focus.replayed)
    expect([focus.iteration, focus.newer]).toEqual([2, 1])
  })

  it('follows another run from its start', () => {
    const run = new FakeRun(events)
    const focus = focusOn(run)
    focus.chooseIteration(2)
    run.key = 'another'
    run.view = new FakeRun(until(3, 'iteration-finished')).view
    expect([focus.iteration, focus.isFollowing]).toEqual([3, true])
  })

  it('keeps the newest judged iteration for the equation and the theatre while the next is rolled out', () => {
    const run = new FakeRun(until(3, 'episode'))
    const focus = focusOn(run)
    expect(focus.shown?.iteration.iteration).toBe(3)
    expect(focus.isJudged).toBe(false)
    expect(focus.shown?.group.taskId, 'the first task drawn').toBe(run.view.iteration(3)!.taskIds[0])
    expect([focus.batch?.iteration, focus.judged?.iteration.iteration, focus.replayed?.iteration.iteration]).toEqual([
      2, 2, 2,
    ])
    run.apply(events.slice(until(3, 'episode').length, until(3, 'advantages').length))
    expect(focus.isJudged).toBe(true)
    expect([focus.batch?.iteration, focus.judged?.iteration.iteration, focus.replayed?.iteration.iteration]).toEqual([
      3, 3, 3,
    ])
  })

  it('replays the episodes of a chosen iteration although it is not judged', () => {
    const focus = focusOn(new FakeRun(until(3, 'episode')))
    focus.chooseIteration(3)
    expect(focus.replayed?.iteration.iteration).toBe(3)
    expect(focus.batch?.iteration).toBe(2)
  })

  it('shows one task everywhere, and cites it, once an iteration is judged', () => {
    const focus = focusOn(new FakeRun(until(3, 'advantages')))
    const { taskId } = focus.shown!.group
    expect(focus.shown!.iteration.isFinished).toBe(false)
    expect([focus.judged?.group.taskId, focus.replayed?.group.taskId, focus.spot?.taskId]).toEqual([
      taskId,
      taskId,
      taskId,
    ])
    expect(cite(focus, { has: () => true })).toMatchObject({ at: `3/${taskId}/1/1`, run: 'fake', isFollowing: true })
    const doubts = focus.shown!.choices.map(({ accuracy }) => Math.abs(accuracy! - 0.5))
    expect(Math.abs(focus.shown!.choices.find((one) => one.taskId === taskId)!.accuracy! - 0.5)).toBe(
      Math.min(...doubts),
    )
  })

  it('does not call a released iteration judged, since its votes are gone', () => {
    const run = new FakeRun(until(2, 'iteration-finished'))
    const focus = focusOn(run)
    focus.chooseIteration(1)
    expect(focus.isJudged).toBe(true)
    run.view.release(1)
    expect(focus.isJudged).toBe(false)
  })

  it('shows an existing rollout and step, whatever was chosen', () => {
    const run = new FakeRun(events)
    fc.assert(
      fc.property(fc.nat(6), fc.nat(20), fc.nat(20), (iteration, rollout, step) => {
        const focus = focusOn(run)
        if (iteration > 0) focus.chooseIteration(iteration)
        focus.chooseStep(rollout, step)
        const { spot, shown } = focus
        const trajectory = shown!.group.trajectories[spot!.rollout]!
        expect(trajectory.steps[spot!.step]).toBeDefined()
        if (rollout < shown!.group.trajectories.length) expect(spot!.rollout).toBe(rollout)
        if (step < trajectory.steps.length) expect(spot!.step).toBe(step)
      }),
      { numRuns: 100 },
    )
  })

  it('remembers a step beyond the end of a short rollout for the longer ones', () => {
    const focus = focusOn(new FakeRun(events))
    const lengths = focus.shown!.group.trajectories.map(({ steps }) => steps.length)
    const [short, long] = [lengths.indexOf(Math.min(...lengths)), lengths.indexOf(Math.max(...lengths))]
    expect(lengths[short]).toBeLessThan(lengths[long]!)
    focus.chooseStep(long, lengths[long]! - 1)
    focus.chooseStep(short, focus.chosen.step)
    expect(focus.spot!.step).toBe(lengths[short]! - 1)
    focus.chooseStep(long, focus.chosen.step)
    expect(focus.spot!.step).toBe(lengths[long]! - 1)
  })

  it('stays at the iteration on show while the run continues, with the chosen step', () => {
    const run = new FakeRun(until(2, 'iteration-finished'))
    const focus = focusOn(run)
    focus.chooseStep(1, 1)
    const { taskId } = focus.shown!.group
    focus.stay(focus.shown!)
    run.apply(events.slice(until(2, 'iteration-finished').length))
    expect(focus.spot).toMatchObject({ iteration: 2, taskId, rollout: 1, step: 1 })
    focus.chooseIteration(null)
    expect(focus.spot).toMatchObject({ iteration: 4, rollout: 0, step: 0 })
  })

  it('starts at the first step of another task, in the chosen iteration', () => {
    const focus = focusOn(new FakeRun(events))
    focus.chooseIteration(2)
    focus.chooseStep(1, 1)
    const other = focus.shown!.choices.find(({ taskId }) => taskId !== focus.shown!.group.taskId)!
    focus.chooseTask(other.taskId)
    expect(focus.spot).toMatchObject({ iteration: 2, taskId: other.taskId, rollout: 0, step: 0 })
  })

  it('counts the hidden tests of a program before the written ones', () => {
    const focus = focusOn(new FakeRun(parseRunLog(fakeCodingRunLines())))
    const { hidden, written } = focus.shown!.tests
    expect(Math.min(hidden, written)).toBeGreaterThan(0)
    focus.chooseTest(hidden)
    expect(focus.spot).toMatchObject({ test: hidden, isOnHeads: true, step: 0 })
    focus.chooseProgram(2, 999)
    expect(focus.spot).toMatchObject({ rollout: 2, test: hidden + written - 1, isOnHeads: false })
  })

  it('cites a run by its id, the shipped run by its world, and a file not at all', () => {
    const run = new FakeRun(events)
    const focus = focusOn(run)
    const kept = { has: (runId: string) => runId === 'fake' }
    expect(cite(focus, kept)).toMatchObject({ run: 'fake', of: 'fake' })
    expect(cite(focus, { has: () => false })).toBe('unkept')
    const shipped = new Focus({ runFor: () => Object.assign(new FakeRun(events), { origin: 'shipped', runId: null }) })
    expect(cite(shipped, kept)).toMatchObject({ of: 'recorded household' })
    expect(cite(shipped, kept)).not.toHaveProperty('run')
    expect(cite(new Focus({ runFor: () => Object.assign(new FakeRun(events), { origin: 'file' }) }), kept)).toBe('file')
  })
})
