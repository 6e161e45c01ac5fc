import { describe, expect, it } from 'vitest'
import { isLogged, type EpisodeStep } from '../../../../src/method/events.ts'
import { playedTask } from '../../../../src/playground/worlds/household/played-task.ts'
import { momentSentence, replay } from '../../../../src/playground/worlds/household/theatre-scene.ts'
import { columnsFor } from '../../../../src/playground/worlds/theatre/replay.ts'
import {
  episodeSteps,
  mismatchSentence,
  shownTokens,
  tokenTraining,
} from '../../../../src/playground/worlds/theatre/token-overlay.ts'
import { group as groupOf, settingsOf } from '../../../../src/playground/run/trajectories.ts'
import { foldRun, type RunView } from '../../../../src/runs/fold.ts'
import { serialiseRunLog } from '../../../../src/runs/run-log.ts'
import { splitOf } from '../../../../src/worlds/household/generator/splits.ts'
import { logOf, request, smallSettings, world } from '../../../method/corridor.ts'
import { fakeRun } from '../../fake-run.ts'
import { recordedHousehold } from '../../recorded-household.ts'

const view = recordedHousehold()

describe('the theatre', () => {
  it('replays every episode of the recorded run, including rewritten tasks, with the logged observations', () => {
    let episodes = 0
    let rewritten = 0
    for (const iteration of [1, 5, 12, 21, 30, view.iterations.length].map((number) => view.iteration(number)!)) {
      const settings = settingsOf(view, iteration.iteration)!
      for (const taskId of [...iteration.taskIds, ...iteration.pendingTaskIds]) {
        const task = playedTask(view, taskId, settings)
        expect(task, taskId).not.toBeNull()
        expect(task!.instruction).toBe(view.tasks.get(taskId)!.task.instruction)
        if (task!.rewrites.length > 0) rewritten++
        for (const { episode } of iteration.episodes.filter((each) => each.episode.taskId === taskId)) {
          const { moments, differences } = replay(task!, episode, settings)
          expect([episode.episodeId, differences]).toEqual([episode.episodeId, []])
          expect(moments).toHaveLength(episode.steps.length + 1)
          episodes++
        }
      }
    }
    expect(episodes).toBeGreaterThan(100)
    expect(rewritten).toBeGreaterThan(3)
  })

  it('knows the tasks of older rewrites, whose goals a run would now keep for `id`', () => {
    const rewritten = [...view.tasks].filter(([, { origin }]) => origin)
    const tasks = rewritten.map(([taskId]) => playedTask(view, taskId, view.settings!)!)
    expect(tasks).not.toContain(null)
    expect(tasks.some(({ game, goal }) => splitOf(game.floorPlan, goal) === 'id')).toBe(true)
  })

  it('knows the unchanged tasks of null rewrites', () => {
    const [id] = [...view.tasks].find(([, { origin }]) => !origin)!
    const renamed = {
      task: { id: 'new', body: null },
      origin: { proposal: { taskId: id, attempts: [{ text: '', ok: true }] } },
    }
    const tasks = new Map<string, unknown>([...view.tasks, ['new', renamed]])
    expect(playedTask({ tasks } as unknown as RunView, 'new', view.settings!)!.game.id).toBe(id)
  })

  it('has every object in one place or in the hand, and hides unvisited places', () => {
    const iteration = view.iteration(12)!
    const settings = view.settings!
    const { episode } = iteration.episodes[0]!
    const { moments } = replay(playedTask(view, episode.taskId, settings)!, episode, settings)
    const names = ({ receptacles, held }: (typeof moments)[number]) =>
      [...receptacles.flatMap(({ contents }) => contents.map(({ name }) => name)), ...(held ? [held.name] : [])].sort()
    for (const moment of moments) expect(new Set(names(moment))).toEqual(new Set(names(moments[0]!)))
    expect(moments[0]!.receptacles.every(({ isSeen }) => !isSeen)).toBe(true)
    expect(moments.at(-1)!.receptacles.some(({ isSeen }) => isSeen)).toBe(true)
    expect(momentSentence(moments[0]!)).toContain('in the middle of the room')
  })

  it('reports where an observation differs from the log', () => {
    const settings = view.settings!
    const { episode } = view.iteration(12)!.episodes[0]!
    const steps = episode.steps.map((step, i) => (i === 1 ? { ...step, observation: 'A bird flies by.' } : step))
    expect(replay(playedTask(view, episode.taskId, settings)!, { ...episode, steps }, settings).differences).toEqual([
      1,
    ])
  })

  it('has no game if it cannot be regenerated', () => {
    const tasks = new Map(view.tasks)
    const [id, task] = [...tasks][0]!
    tasks.set('elsewhere-1', { ...task, task: { ...task.task, id: 'elsewhere-1' } })
    tasks.set(`x${id}`, { ...task, task: { ...task.task, id: `x${id}` } })
    const other = Object.create(view, { tasks: { value: tasks } }) as typeof view
    expect(playedTask(other, 'elsewhere-1', view.settings!)).toBeNull()
    expect(playedTask(other, `x${id}`, view.settings!)).toBeNull()
    expect(playedTask(view, 'nobody', view.settings!)).toBeNull()
  })
})

describe('the tokens of a step', () => {
  it('are found in a log split into any chunks', async () => {
    const events = [...fakeRun({ iterations: 2 })].filter(isLogged)
    const bytes = new TextEncoder().encode(serialiseRunLog(events))
    const episode = events.find((event) => event.type === 'episode' && event.iteration === 2)!
    const wanted = episode as typeof episode & { episodeId: string; steps: EpisodeStep[] }
    for (const size of [97, 4096, bytes.length]) {
      const stream = new ReadableStream<Uint8Array<ArrayBuffer>>({
        start(controller) {
          for (let at = 0; at < bytes.length; at += size) controller.enqueue(bytes.slice(at, at + size))
          controller.close()
        },
      })
      expect(await episodeSteps(stream, wanted.episodeId, async () => {})).toEqual(wanted.steps)
    }
    const stream = new Blob([bytes]).stream()
    expect(await episodeSteps(stream, 'nobody', async () => {})).toBeNull()
  })

  it('have their own log-probability and entropy, and the whole advantage of the step', () => {
    const step = { tokens: [5, 6], logProbs: [-0.3, -6], entropies: [0.5, 1], trueLabel: 1 as const }
    const tokens = shownTokens(step, -1, (token) => `<${token}>`)
    expect(tokens.map(({ text, logProb, advantage }) => [text, logProb, advantage])).toEqual([['<5>', -0.3, -1], ['<6>', -6, -1]]) // prettier-ignore
    expect(tokens.map(({ weights }) => weights)).toEqual([
      { logProb: expect.closeTo(0.1) as number, entropy: 0.25, advantage: 0.5 },
      { logProb: 1, entropy: 0.5, advantage: 0.5 },
    ])
  })

  it('are trained if the loop made examples of them, for as many steps as the update reports', async () => {
    const run = foldRun(await logOf(world(), request(smallSettings(), { iterations: 4 })))
    let masked = 0
    for (const iteration of run.iterations) {
      const state = { update: iteration.policyUpdate, isFinished: iteration.isFinished }
      let trained = 0
      for (const taskId of [...iteration.taskIds, ...iteration.pendingTaskIds]) {
        const group = groupOf(iteration, taskId, run.settings!.profile)
        group.trajectories.forEach(({ steps }, rollout) =>
          steps.forEach((_, step) => {
            if (tokenTraining(group, rollout, step, 5, state).trains === true) trained++
            else masked++
          }),
        )
      }
      expect(trained).toBe(iteration.policyUpdate?.examples ?? 0)
    }
    expect(masked).toBeGreaterThan(0)
  })

  it('show why they are masked', () => {
    const iteration = view.iteration(12)!
    const group = groupOf(iteration, iteration.episodes[0]!.episode.taskId, view.settings!.profile)
    const [first, ...others] = group.trajectories
    const of = (feedback: number[], advantage: number | null | undefined, tokens = 5, update = iteration.policyUpdate, isFinished = true) => {
      const step = { ...first!.steps[0]!, advantage }
      const made = { ...group, trajectories: feedback.map((value, i) => ({ ...(i === 0 ? first! : others[i - 1]!), steps: [{ ...step, feedback: value }] })) }
      return tokenTraining(made, 0, 0, tokens, { update, isFinished })
    } // prettier-ignore
    expect(of([1, 1, 1], null)).toMatchObject({ trains: false, sentence: expect.stringContaining('All 3 rollouts that reached it got the same R') as string }) // prettier-ignore
    expect(of([1], null).sentence).toContain('No other rollout reached it')
    expect(of([1, 0, -1], null).sentence).toContain('exactly average')
    expect(of([1, 0], 1, 0).sentence).toContain('the context was full')
    expect(of([1, 0], 1, 1, null).sentence).toBe('Masked: its one token carries no loss, for the policy was not updated in this iteration.') // prettier-ignore
    expect(of([1, 0], 1, 5, null, false).trains).toBeNull()
    expect(of([1, 0], undefined).trains).toBeNull()
    expect(of([1, 0], -5e-17)).toMatchObject({ trains: true, sentence: expect.stringContaining('0 but for rounding') as string }) // prettier-ignore
    expect(of([1, 0], 1).sentence).toMatch(/^Trained: all of its 5 tokens carried a loss/)
  })

  it('have the mismatch of the update if another program sampled them, if it is logged', () => {
    const update = view.iteration(12)!.policyUpdate!
    expect(mismatchSentence(null)).toBe('')
    expect(mismatchSentence(update)).toContain('there is no mismatch_kl')
    const elsewhere = { ...update, metrics: { ...update.metrics, mismatch_kl: 0.00042 } }
    expect(mismatchSentence(elsewhere)).toContain('mismatch_kl = 4.2e−4 nats a token')
  })
})

it('rollouts side by side fill their rows', () => {
  expect([1250, 880, 500, 300, 60].map((width) => columnsFor(8, width))).toEqual([8, 4, 4, 2, 1])
  expect(columnsFor(2, 1250)).toBe(2)
  for (let width = 50; width < 2000; width += 50) {
    const columns = columnsFor(8, width)
    expect(8 % columns === 0 || 8 % columns >= columns - 1, `${width} pixels: ${columns} columns`).toBe(true)
  }
})
