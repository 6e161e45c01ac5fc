import { describe, expect, it } from 'vitest'
import { isLogged, type LoggedEvent } from '../../src/method/events.ts'
import { foldRun, RunView } from '../../src/runs/fold.ts'
import { settledHistory } from '../../src/method/history.ts'
import { runLoop } from '../../src/method/loop.ts'
import { logOf, ofType, request, smallSettings, world } from '../method/corridor.ts'

const lengths = [3, 7]

describe('a folded run', () => {
  it('joins episodes with their votes and advantages, and tasks with their accuracy', async () => {
    const log = await logOf(world({ lengths }), request(smallSettings(), { iterations: 4 }))
    const view = foldRun(log)
    for (const { episode, votes, feedback, policyAdvantages } of view.episodes.values()) {
      if (episode.split !== 'train') continue
      expect([votes!.length, feedback!.length, policyAdvantages!.length]).toEqual(Array(3).fill(episode.steps.length))
    }
    const iteration = view.iteration(2)!
    expect(iteration.episodes.every((episode) => episode.iteration === 2)).toBe(true)
    for (const taskId of [...iteration.taskIds, ...iteration.pendingTaskIds]) {
      const entry = view.tasks.get(taskId)!.history.find((candidate) => candidate.iteration === 2)!
      const outcomes = iteration.episodes
        .filter(({ episode }) => episode.taskId === taskId)
        .map(({ episode }) => episode.outcome)
      expect([entry.won, entry.played]).toEqual([outcomes.filter((outcome) => outcome === 1).length, outcomes.length])
    }
    expect(view.series('policy/acc').iterations).toEqual([1, 2, 3, 4])
    expect(view.series('eval/ood/acc').iterations).toEqual([0, 2, 4])
    expect(view.series('no/such').values).toEqual([])
    expect(view.policyVersion).toBe(ofType(log, 'model-updated').filter(({ role }) => role === 'policy').length)
    expect(view.finished).toBe('completed')
  })

  it('keeps the lineage of a task, including rejected rewrites', async () => {
    const log = await logOf(world({ lengths }), request(smallSettings({ policyLearningRate: 0 }), { iterations: 10 }))
    const view = foldRun(log)
    const accepted = ofType(log, 'rewrite-resolved').filter((event) => event.accepted)
    for (const { taskId, candidateId } of accepted) {
      const chain = view.lineage(candidateId).map(({ task }) => task.id)
      expect(chain.slice(-2)).toEqual([taskId, candidateId])
      expect(chain[0]).toBe(view.tasks.get(candidateId)!.task.rootId)
      expect(view.tasks.get(taskId)!.status).toBe('replaced')
    }
    const rejected = ofType(log, 'rewrite-resolved').find((event) => !event.accepted)!
    expect(view.tasks.get(rejected.candidateId)!.status).toBe('rejected')
    expect(view.tasks.get(rejected.taskId)!.rewrites.some(({ resolution }) => resolution?.accepted === false)).toBe(
      true,
    )
    expect([...view.tasks.values()].filter(({ status }) => status === 'active')).toHaveLength(6)
  })

  it('applies all changes of settings', async () => {
    const log = await logOf(world(), request(smallSettings(), { iterations: 1, takePatch: () => ({ lambda: 3 }) }))
    expect(foldRun(log).settings).toEqual(smallSettings({ lambda: 3 }))
    expect(foldRun(log).settingsChanges).toEqual([{ iteration: 1, patch: { lambda: 3 } }])
  })

  it.each([34, 38, 42])(
    'removes an interrupted iteration when it starts again (interrupted at call %i)',
    async (calls) => {
      const settings = smallSettings({ tasksPerIteration: 6 })
      const controller = new AbortController()
      let count = 0
      const ports = world({
        lengths,
        onGenerate: () => {
          if (++count === calls) controller.abort()
        },
      })
      const cut: LoggedEvent[] = []
      const levels: [number, number][] = [[ports.policy.level, ports.reward.level]]
      let phase = ''
      for await (const event of runLoop(ports, request(settings, { iterations: 9, signal: controller.signal }))) {
        if (!isLogged(event)) continue
        cut.push(event)
        phase = event.type === 'run-finished' ? phase : event.type
        if (event.type === 'iteration-finished') levels.push([ports.policy.level, ports.reward.level])
      }
      const finished = levels.length - 1
      ;[ports.policy.level, ports.reward.level] = levels.at(-1)!
      const rest = await logOf(ports, request(settings, { iterations: 4 - finished, history: cut }))
      const whole = await logOf(world({ lengths }), request(settings, { iterations: 4 }))

      const resumed = foldRun([...cut, ...rest])
      const straight = foldRun(whole)
      const comparable = (view: RunView) =>
        JSON.stringify(
          {
            iterations: view.iterations,
            tasks: [...view.tasks],
            episodes: [...view.episodes],
            evaluations: view.evaluations,
            rewrites: [...view.rewrites],
            series: view.seriesNames.map((name) => view.series(name)),
            versions: [view.policyVersion, view.rewardVersion],
          },
          (key, value: unknown) => (key === 'seq' ? undefined : value),
        )
      expect(comparable(resumed), phase).toBe(comparable(straight))
    },
  )

  it('is the same for events applied one by one and for a settled log', async () => {
    const log = await logOf(world({ lengths }), request(smallSettings(), { iterations: 2 }))
    expect(settledHistory(log)).toEqual(log)
    const cutShort = log.slice(
      0,
      log.findLastIndex((event) => event.type === 'judged'),
    )
    const settled = settledHistory(cutShort)
    expect(settled.at(-1)).toMatchObject({ type: 'iteration-finished', iteration: 1 })
  })
})
