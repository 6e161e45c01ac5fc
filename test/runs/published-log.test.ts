import { describe, expect, it } from 'vitest'
import type { LoggedEvent } from '../../src/method/events.ts'
import { foldRun } from '../../src/runs/fold.ts'
import { publishedLog } from '../../src/runs/published-log.ts'
import { parseRunLog, serialiseRunLog } from '../../src/runs/run-log.ts'
import { groupChoices, leftOutSentence } from '../../src/playground/run/trajectories.ts'
import { iterationNumbers } from '../../src/playground/views/loop/loop-flows.ts'
import { logOf, request, smallSettings, world } from '../method/corridor.ts'
import { openCodingRun, smallCodingSettings } from './coding-run.ts'

const tasksOf = (events: readonly LoggedEvent[]) =>
  events.flatMap((event) => (event.type === 'task-added' ? [event.task] : []))

describe('a published run log', () => {
  it('folds to the same curves, tasks and votes, without the fields that only trainers need', async () => {
    const whole = await logOf(world(), request(smallSettings(), { iterations: 3 }))
    const published = parseRunLog(serialiseRunLog(publishedLog(whole)))
    expect(published.length).toBeLessThan(whole.length)
    expect(JSON.stringify(published).length).toBeLessThan(JSON.stringify(whole).length)

    const [before, after] = [foldRun(whole), foldRun(published)]
    expect(after.seriesNames).toEqual(before.seriesNames)
    for (const name of before.seriesNames) expect(after.series(name)).toEqual(before.series(name))
    expect(published.filter(({ type }) => type === 'judged')).toEqual(
      whole.filter(({ type }) => type === 'judged').map((event) => ({ ...event, seq: expect.any(Number) as number })),
    )
    expect(published.some((event) => event.type === 'episode' && event.split !== 'train')).toBe(false)
    expect(tasksOf(published).every(({ body }) => body === null)).toBe(true)
  })

  it('can keep the episodes of a few iterations alone', async () => {
    const whole = await logOf(world(), request(smallSettings({ tasksPerIteration: 2 }), { iterations: 3 }))
    const after = foldRun(parseRunLog(serialiseRunLog(publishedLog(whole, { every: 3, groups: 1 }))))
    expect(after.iterations.map(({ episodes }) => episodes.length > 0)).toEqual([true, false, true])
    expect(after.iterations.every(({ isFinished }) => isFinished)).toBe(true)
  })

  it('can keep the episodes of a few tasks alone: curves, accuracies and lineage stay', async () => {
    const settings = smallSettings({ tasksPerIteration: 3 })
    const whole = await logOf(world(), request(settings, { iterations: 3 }))
    const published = parseRunLog(serialiseRunLog(publishedLog(whole, { groups: 1, last: 2 })))
    expect(published.at(-1)!.iteration).toBe(2)
    const [before, after] = [foldRun(whole).at(2), foldRun(published)]
    for (const name of before.seriesNames) expect(after.series(name)).toEqual(before.series(name))
    for (const [id, { history }] of before.tasks) expect(after.tasks.get(id)?.history).toEqual(history)

    for (const iteration of after.iterations) {
      const { taskIds, pendingTaskIds, remeasuredTaskIds, episodes, leftOut } = iteration
      const kept = new Set(episodes.map(({ episode }) => episode.taskId))
      const doubt = new Map(
        groupChoices(before, before.iteration(iteration.iteration)!).map((choice) => [
          choice.taskId,
          Math.abs(choice.accuracy! - 0.5),
        ]),
      )
      for (const ids of [taskIds, pendingTaskIds, remeasuredTaskIds].filter((list) => list.length > 0)) {
        const [chosen, ...more] = ids.filter((id) => kept.has(id))
        expect(more).toEqual([])
        expect(doubt.get(chosen!)).toBe(Math.min(...ids.map((id) => doubt.get(id)!)))
      }
      expect(episodes.every(({ votes, policyAdvantages }) => votes && policyAdvantages)).toBe(true)
      expect(new Set(groupChoices(after, iteration).map(({ taskId }) => taskId))).toEqual(kept)
      const played = (view: typeof iteration) => iterationNumbers(view, settings)
      const { rollouts, steps, successShare, outOfBand } = played(before.iteration(iteration.iteration)!)
      expect(played(iteration)).toMatchObject({ rollouts, steps, successShare, outOfBand })
      expect(leftOutSentence(iteration)).toMatch(/^\d more tasks? without steps in this recording: \d+ of \d+ solved$/)
      expect(leftOut.length).toBe(taskIds.length + pendingTaskIds.length + remeasuredTaskIds.length - kept.size)
    }
  })

  it('keeps problems with programs, and the feedback of training tests', async () => {
    const settings = smallCodingSettings({ taskPoolSize: 6 })
    const { ports, close } = await openCodingRun(settings)
    const whole = await logOf(ports, request(settings, { iterations: 2 })).finally(close)
    const published = parseRunLog(serialiseRunLog(publishedLog(whole)))
    const [before, after] = [foldRun(whole), foldRun(published)]
    for (const name of before.seriesNames) expect(after.series(name)).toEqual(before.series(name))

    const played = new Set(published.flatMap((event) => (event.type === 'episode' ? [event.taskId] : [])))
    expect(played.size).toBe(4)
    const original = new Map(tasksOf(whole).map((task) => [task.id, task]))
    expect(tasksOf(published)).toHaveLength(6)
    for (const task of tasksOf(published))
      expect(task.body).toEqual(played.has(task.id) ? original.get(task.id)?.body : null)

    const ofTests = (events: typeof whole) => events.filter((event) => event.type === 'tests-written')
    expect(ofTests(whole).length).toBeGreaterThan(4)
    expect(ofTests(published).map(({ split }) => split)).toEqual(['train', 'train', 'train', 'train'])
    const advantages = published.flatMap((event) => (event.type === 'test-advantages' ? event.reward : []))
    expect(advantages.some((value) => value !== null && value !== 0)).toBe(true)
    for (const value of advantages) expect(value).toBe(value && Number(value.toFixed(4)))
  })
})
