import { describe, expect, it } from 'vitest'
import { isLogged, type LoggedEvent } from '../../../src/method/events.ts'
import { foldRun } from '../../../src/runs/fold.ts'
import { documentTitle } from '../../../src/playground/shell/document-title.ts'
import { activeFlows, loopFlows } from '../../../src/playground/views/loop/loop-flows.ts'
import { FLOWS } from '../../../src/playground/views/loop/loop-symbols.ts'
import { loopGeometry, WIDE_FROM } from '../../../src/playground/views/loop/loop-geometry.ts'
import { FAMILY_ORDERS, families, rewriteState } from '../../../src/playground/run/tasks.ts'
import { group, groupChoices, mostTelling, settingsOf } from '../../../src/playground/run/trajectories.ts'
import { fakeRun, fakeSettings } from '../fake-run.ts'

const events: LoggedEvent[] = [...fakeRun({ iterations: 6 })].filter(isLogged)
const view = foldRun(events)
const iteration = view.iteration(6)!

/** The log up to the first event that matches. */
function until(stop: (event: LoggedEvent) => boolean) {
  return foldRun(events.slice(0, events.findIndex(stop) + 1))
}

describe('the loop', () => {
  it('has a number on every arrow once an iteration has ended', () => {
    const { flows } = loopFlows(view)
    for (const id of FLOWS) expect(flows[id].value, id).not.toBe('–')
    expect(flows.actions.value).toContain(`${iteration.episodes.length} rollouts`)
  })

  it('shows the iteration before, marked, until the new one has its own numbers', () => {
    const early = until((event) => event.type === 'episode' && event.iteration === 2)
    const { flows } = loopFlows(early)
    expect(flows.actions).toMatchObject({ value: expect.stringMatching(/^1 rollout,/) as string, isEarlier: false })
    expect(flows.score.isEarlier).toBe(true)
    expect(flows.score.value).toBe(loopFlows(until((e) => e.type === 'iteration-finished')).flows.score.value)
  })

  it('computes the iteration before with the settings that it ran with', () => {
    const first = events.findIndex(({ type }) => type === 'iteration-finished')
    const started = events.findIndex(({ type, iteration: of }) => type === 'iteration-started' && of === 2)
    const before = loopFlows(foldRun(events.slice(0, first + 1))).flows
    const patch = { evaluationsPerStep: 5, profile: 'reference', alphaLow: 0.45, alphaHigh: 0.55 } as const
    const changed = { ...events[started]!, type: 'settings-changed', patch } as LoggedEvent
    const { flows } = loopFlows(foldRun([...events.slice(0, first + 1), changed, events[started]!]))
    for (const id of ['steps', 'score', 'critic'] as const) {
      expect(flows[id]).toMatchObject({ value: before[id].value, isEarlier: true })
    }
  })

  it('shows unknown values before a run', () => {
    const { flows } = loopFlows(foldRun([]))
    for (const id of FLOWS) expect(flows[id].value).toBe('–')
  })

  it('shows the formula of the training signal at the junction', () => {
    const of = (signal: 'integrated' | 'outcome' | 'step') =>
      loopFlows(foldRun([...fakeRun({ iterations: 1, settings: { signal } })].filter(isLogged))).junction.formula
    expect([of('integrated'), of('outcome'), of('step')]).toEqual(['R = O + λ S̄', 'R = O', 'R = S̄'])
  })

  it('highlights the arrows of the phase, and none while it is idle', () => {
    expect(activeFlows('judge')).toEqual(['steps', 'score'])
    expect(activeFlows(null)).toEqual([])
  })

  it.each([300, 328, WIDE_FROM - 1, WIDE_FROM, 1072, 2400])(
    'keeps its boxes apart and inside at %i pixels',
    (width) => {
      const { policy, environment, reward, junction, height } = loopGeometry(width)
      expect(environment.x - (policy.x + policy.width)).toBeGreaterThan(40)
      for (const box of [policy, environment, reward, junction]) {
        expect(box.x).toBeGreaterThanOrEqual(0)
        expect(box.x + box.width).toBeLessThanOrEqual(width)
        expect(box.y + box.height).toBeLessThanOrEqual(height)
      }
      expect(junction.y).toBeGreaterThan(policy.y + policy.height)
      expect(reward.y).toBeGreaterThan(junction.y + junction.height)
      expect(loopGeometry(width, 16, false).height, 'without switches').toBeLessThan(height)
    },
  )
})

describe('trajectories', () => {
  it('are chosen where the accuracy is nearest to one half', () => {
    const choice = (taskId: string, accuracy: number | null) => ({
      taskId,
      accuracy,
      instruction: '',
      played: 8,
      isCandidate: false,
    })
    expect(mostTelling([choice('a', 1), choice('b', 0.625), choice('c', 0), choice('d', null)])).toBe('b')
    expect(mostTelling([])).toBeNull()
  })

  it('align all rollouts of a task, with their votes and advantages', () => {
    const choices = groupChoices(view, iteration)
    expect(choices.map((choice) => choice.taskId)).toEqual([...iteration.taskIds, ...iteration.pendingTaskIds])
    const { trajectories, width } = group(iteration, choices[0]!.taskId, 'paper')
    expect(trajectories).toHaveLength(fakeSettings.groupSize)
    expect(width).toBe(Math.max(...trajectories.map((trajectory) => trajectory.steps.length)))
    expect(trajectories[0]!.steps[0]!.evaluations).toHaveLength(fakeSettings.evaluationsPerStep)
  })

  it('show unfinished episodes after the finished ones', () => {
    const taskId = iteration.taskIds[0]!
    const step = {
      type: 'step',
      iteration: 6,
      episodeId: 'new',
      taskId,
      index: 0,
      response: 'look',
      observation: 'A room.',
      done: false,
    } as const
    const { trajectories } = group(iteration, taskId, 'paper', new Map([['new', [step]]]))
    expect(trajectories.at(-1)).toMatchObject({
      episodeId: 'new',
      outcome: null,
      steps: [{ response: 'look', trueLabel: null }],
    })
  })
})

describe('settings of an iteration', () => {
  it('are those that it ran with, not the current ones', () => {
    const changed = foldRun([...fakeRun({ iterations: 1 })].filter(isLogged))
    changed.apply({ type: 'settings-changed', patch: { lambda: 3 }, seq: 1e6, iteration: 4 })
    expect([3, 4, 9].map((at) => settingsOf(changed, at)!.lambda)).toEqual([1, 3, 3])
    expect(settingsOf(foldRun([]), 1)).toBeNull()
  })
})

describe('tasks', () => {
  it('are one family each, including all rewrites', () => {
    const all = families(view)
    expect(all).toHaveLength(fakeSettings.taskPoolSize)
    expect(new Set(all.map((family) => family.rootId)).size).toBe(all.length)
  })

  it('distinguish accepted, rejected, invalid and waiting rewrites', () => {
    const states = new Set(families(view).flatMap((family) => family.rewrites.map(rewriteState)))
    for (const rewrite of view.rewrites.values()) {
      const state = rewriteState(rewrite)
      if (!rewrite.proposal.candidate) expect(state).toBe('invalid')
      else if (!rewrite.resolution) expect(state).toBe('waiting')
      else expect(state).toBe(rewrite.resolution.accepted ? 'accepted' : 'rejected')
    }
    expect(states.size).toBeGreaterThan(1)
  })

  it('count a candidate once it is measured', () => {
    const resolved = events.find((event) => event.type === 'rewrite-resolved')!
    const count = events.indexOf(resolved)
    const familyAfter = (count: number) =>
      families(foldRun(events.slice(0, count))).find(({ members }) =>
        members.some(({ task }) => task.id === resolved.candidateId),
      )!
    const [before, after] = [familyAfter(count), familyAfter(count + 1)]
    expect(after.points.length).toBe(before.points.length + 1)
    expect(before.lastIteration).toBe(after.lastIteration)
  })

  it('are sorted by the number of rewrites', () => {
    const counts = families(view).map((family) => family.rewrites.length)
    expect(counts).toEqual([...counts].sort((a, b) => b - a))
  })

  it('can be sorted by rejected rewrites', () => {
    const rejected = families(view)
      .sort(FAMILY_ORDERS.rejected.compare)
      .map((family) => family.rewrites.filter((rewrite) => rewrite.resolution?.accepted === false).length)
    expect(rejected[0]).toBeGreaterThan(0)
    expect(rejected).toEqual([...rejected].sort((a, b) => b - a))
  })
})

describe('the title of the tab', () => {
  it('contains the iteration and the held-out accuracy of an open run', () => {
    const accuracy = Math.round(100 * view.series('eval/id/acc').values.at(-1)!)
    expect(documentTitle(view)).toBe(`Iteration 6, ${accuracy} % held out · RLAnything Playground`)
    expect(documentTitle(foldRun([]))).toBe('Before iteration 1 · RLAnything Playground')
    expect(documentTitle(null)).toBe('RLAnything Playground')
  })
})
