import { describe, expect, it } from 'vitest'
import { DesktopEnvironment } from '../../../src/worlds/desktop/environment.ts'
import { startGame } from '../../../src/worlds/desktop/engine/state.ts'
import { playExpert } from '../../../src/worlds/desktop/planning/expert.ts'
import { distanceToGoal } from '../../../src/worlds/desktop/planning/distance.ts'
import type { DesktopTask } from '../../../src/worlds/desktop/task.ts'
import { seededRandom } from '../../../src/worlds/random.ts'

const environment = new DesktopEnvironment()
const gameOf = (body: unknown) => (body as DesktopTask).game

describe('the desktop environment', () => {
  it('draws the same tasks for the same seed, as plain data', async () => {
    const tasks = await environment.sampleTasks('train', 8, 3)
    expect(await environment.sampleTasks('train', 8, 3)).toEqual(tasks)
    expect(structuredClone(tasks)).toEqual(tasks)
    expect(JSON.parse(JSON.stringify(tasks))).toEqual(tasks)
    expect(new Set(tasks.map(({ id }) => id)).size).toBe(8)
  })

  it('plays episodes side by side, with distances and labels, and forgets them when they are over', async () => {
    const tasks = await environment.sampleTasks('ood', 6, 1)
    const plays = tasks.map(({ body }, index) => playExpert(gameOf(body), seededRandom('play', index)))
    const starts = tasks.map((task, index) => ({ episodeId: String(index), task, maxSteps: 20 }))
    const openings = await environment.reset(starts)
    openings.forEach(({ opening }, index) => expect(opening).toContain(`Task: ${tasks[index]!.instruction}`))
    const distances = tasks.map(({ body }) => distanceToGoal(startGame(gameOf(body))))
    for (let step = 0; plays.some(({ commands }) => step < commands.length); step++) {
      const running = [...plays.keys()].filter((index) => step < plays[index]!.commands.length)
      const results = await environment.step(
        running.map((index) => ({ episodeId: String(index), command: plays[index]!.commands[step]! })),
      )
      results.forEach((result, at) => {
        const index = running[at]!
        const isLast = step === plays[index]!.commands.length - 1
        expect([result.done, result.won]).toEqual([isLast, isLast])
        if (result.distance! < distances[index]!) expect(result.trueLabel).toBe(1)
        distances[index] = result.distance!
      })
    }
    expect(distances).toEqual(tasks.map(() => 0))
    await expect(environment.step([{ episodeId: '0', command: 'done' }])).rejects.toThrow('no running episode "0"')
  })

  it('says −1 for a goal that is out of reach, and labels the step that lost it −1', async () => {
    const [task] = await environment.sampleTasks('train', 1, 5)
    await environment.reset([{ episodeId: 'lost', task: task!, maxSteps: 20 }])
    const [result] = await environment.step([{ episodeId: 'lost', command: 'done' }])
    expect(result).toMatchObject({ won: false, done: true, trueLabel: -1, distance: -1 })
  })

  it('plays the same task with numbered marks and with a table of places', async () => {
    for (const [screen, click] of [
      ['marks', /^(\d+) .*\bMail$/m],
      ['table', /^page-tab\tMail\t.*\t\((\d+, \d+)\)\t\(\d+, \d+\)$/m],
    ] as const) {
      const shown = new DesktopEnvironment({ screen })
      const [task] = await shown.sampleTasks('train', 1, 5)
      const [start] = await shown.reset([{ episodeId: 'e', task: task!, maxSteps: 20 }])
      const at = click.exec(start!.opening)![1]!
      const [result] = await shown.step([{ episodeId: 'e', command: `click ${at}` }])
      expect(result!.observation).toContain('Mail (Inbox')
      expect(result!.observation.split('\n').length).toBeGreaterThan(10)
    }
  })

  it('applies rewrites, and refuses those that are none', async () => {
    const [task] = await environment.sampleTasks('train', 1, 8)
    const front = await environment.rewrite(task!, 'front Browser', 'new', 20)
    expect(front).toMatchObject({ ok: true, message: 'Applied: front Browser.' })
    expect(front.task).toMatchObject({ id: 'new', rootId: task!.id, kind: task!.kind })
    const [start] = await environment.reset([{ episodeId: 'r', task: front.task!, maxSteps: 20 }])
    expect(start!.opening).toContain('\nBrowser home: to ')
    expect(await environment.rewrite(task!, 'win at once', 'new', 20)).toEqual({
      ok: false,
      message: '"win at once" is not a rewrite.',
    })
    expect(await environment.describe(task!)).toContain(`Goal: ${task!.instruction}`)
  })
})
