import { describe, expect, it } from 'vitest'
import { isLogged, type EpisodeStep } from '../../src/method/events.ts'
import { momentSentence, playedTask, replay } from '../../src/playground/panels/theatre-scene.ts'
import { episodeSteps, shownTokens } from '../../src/playground/panels/token-overlay.ts'
import { settingsOf } from '../../src/playground/panels/trajectories.ts'
import { serialiseRunLog } from '../../src/runs/run-log.ts'
import { fakeRun } from './fake-run.ts'
import { recordedHousehold } from './recorded-household.ts'

const view = recordedHousehold()

describe('the theatre', () => {
  it('plays every episode of the recorded run again, rewritten tasks included, with every observation as logged', () => {
    let episodes = 0
    let rewritten = 0
    for (const iteration of [1, 5, 12, 21, 30].map((number) => view.iteration(number)!)) {
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
    expect(episodes).toBeGreaterThan(150)
    expect(rewritten).toBeGreaterThan(3)
  })

  it('an object is in one place or in the hand, and what was never visited has not been seen', () => {
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

  it('says where an observation is another than the log’s', () => {
    const settings = view.settings!
    const { episode } = view.iteration(12)!.episodes[0]!
    const steps = episode.steps.map((step, i) => (i === 1 ? { ...step, observation: 'A bird flies by.' } : step))
    expect(replay(playedTask(view, episode.taskId, settings)!, { ...episode, steps }, settings).differences).toEqual([
      1,
    ])
  })

  it('knows no game that it cannot draw again', () => {
    const tasks = new Map(view.tasks)
    const [id, task] = [...tasks][0]!
    tasks.set('elsewhere-1', { ...task, task: { ...task.task, id: 'elsewhere-1' } })
    tasks.set(`x${id}`, { ...task, task: { ...task.task, id: `x${id}` } })
    const other = Object.assign(Object.create(view) as typeof view, { tasks })
    expect(playedTask(other, 'elsewhere-1', view.settings!)).toBeNull()
    expect(playedTask(other, `x${id}`, view.settings!)).toBeNull()
    expect(playedTask(view, 'nobody', view.settings!)).toBeNull()
  })
})

describe('tokens of a step', () => {
  it('are found in a log, however it is cut into chunks', async () => {
    const events = [...fakeRun({ iterations: 2 })].filter(isLogged)
    const bytes = new TextEncoder().encode(serialiseRunLog(events))
    const episode = events.find((event) => event.type === 'episode' && event.iteration === 2)!
    const wanted = episode as typeof episode & { episodeId: string; steps: EpisodeStep[] }
    for (const size of [97, 4096, bytes.length]) {
      const stream = new ReadableStream<Uint8Array>({
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

  it('carry their own log-probability and entropy, and all the advantage of the step', () => {
    const step = { tokens: [5, 6], logProbs: [-0.3, -6], entropies: [0.5, 1], trueLabel: 1 as const }
    const tokens = shownTokens(step, -1, (token) => `<${token}>`)
    expect(tokens.map(({ text, logProb, advantage }) => [text, logProb, advantage])).toEqual([['<5>', -0.3, -1], ['<6>', -6, -1]]) // prettier-ignore
    expect(tokens.map(({ weights }) => weights)).toEqual([
      { logProb: expect.closeTo(0.1) as number, entropy: 0.25, advantage: 0.5 },
      { logProb: 1, entropy: 0.5, advantage: 0.5 },
    ])
  })
})
