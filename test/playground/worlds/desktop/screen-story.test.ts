import { describe, expect, it } from 'vitest'
import { desktopTask, playedTask } from '../../../../src/playground/worlds/desktop/played-task.ts'
import { placeOf, replay } from '../../../../src/playground/worlds/desktop/screen-story.ts'
import { differences } from '../../../../src/playground/worlds/desktop/task-details.ts'
import { generateTask } from '../../../../src/worlds/desktop/generator/generate-task.ts'
import { DesktopEnvironment } from '../../../../src/worlds/desktop/environment.ts'
import { applyRewrite } from '../../../../src/worlds/desktop/rewrites/apply.ts'
import { parseRewrite } from '../../../../src/worlds/desktop/rewrites/language.ts'
import { demonstrate } from '../../../../src/worlds/desktop/roles/demonstrations.ts'
import { portTask } from '../../../../src/worlds/desktop/task-source.ts'
import { taskOf } from '../../../../src/worlds/desktop/task.ts'
import { seededRandom } from '../../../../src/worlds/random.ts'
import type { RunView } from '../../../../src/runs/fold.ts'

const task = desktopTask(portTask(taskOf(generateTask({ seed: 4, split: 'train', templates: ['rename-file'] }))))!
const steps = demonstrate(task.game, { slip: 0, maxSteps: 20 }, seededRandom('story')).steps.map((step) => ({
  ...step,
  response: '',
  tokens: [],
}))
const story = (played: readonly { command: string; observation: string }[]) =>
  replay(task, { steps: played as never }, { screen: 'text' })

describe('an episode on its screen', () => {
  it('is replayed move by move, with the pointer on what was clicked', () => {
    const { moments, differences: changed } = story(steps)
    expect(moments).toHaveLength(steps.length + 1)
    expect(changed).toEqual([])
    for (const [index, { command }] of steps.entries()) {
      const moment = moments[index + 1]!
      if (command.startsWith('click ')) {
        const clicked = moments[index]!.view.elements.find(({ name }) => name === command.slice('click '.length))!
        expect([moment.isClick, moment.pointer]).toEqual([true, clicked.place])
      } else if (command.startsWith('type ')) expect(moment.typed).toBe(command.slice('type '.length))
    }
    expect(placeOf(moments[0]!)).toBe('empty screen')
    expect(placeOf(moments[1]!)).toMatch(/^Files: /)
  })

  it('is replayed as well where clicks name marks', async () => {
    const environment = new DesktopEnvironment({ screen: 'marks' })
    const [start] = await environment.reset([{ episodeId: 'e', task: portTask(task), maxSteps: 20 }])
    const mark = /^(\d+) .*\bFiles$/m.exec(start!.opening)![1]!
    const [step] = await environment.step([{ episodeId: 'e', command: `click ${mark}` }])
    const { moments, differences: changed } = replay(
      task,
      { steps: [{ command: `click ${mark}`, observation: step!.observation }] as never },
      { screen: 'marks' },
    )
    expect(changed).toEqual([])
    expect([moments[1]!.isClick, placeOf(moments[1]!)]).toEqual([true, expect.stringMatching(/^Files: /)])
  })

  it('is replayed to its end however many steps it has', () => {
    const waits = Array.from({ length: 100 }, () => ({ command: 'key escape', observation: 'Nothing happens.' }))
    const { moments } = story([...waits, ...steps])
    expect(moments.at(-1)!.view).toEqual(story(steps).moments.at(-1)!.view)
  })

  it('lists the steps whose observation differs from the log', () => {
    const wrong = steps.map((step, index) => (index === 2 ? { ...step, observation: 'Something else.' } : step))
    expect(story(wrong).differences).toEqual([2])
  })

  it('is of a task that a published log draws again from its name alone', () => {
    const game = generateTask({ seed: 77, split: 'ood' })
    const nothing = { tasks: new Map() } as unknown as RunView
    expect(playedTask(nothing, game.id, { maxSteps: 20 })!.game).toEqual(game)
    expect(playedTask(nothing, 'another-kind/ood-77', { maxSteps: 20 })).toBeNull()
  })

  it('is of the unchanged task after a null rewrite', () => {
    const { id } = generateTask({ seed: 77, split: 'train' })
    const renamed = {
      task: { id: 'new', body: null },
      origin: { proposal: { taskId: id, attempts: [{ text: '', ok: true }] } },
    }
    const view = { tasks: new Map([['new', renamed]]) } as unknown as RunView
    expect(playedTask(view, 'new', { maxSteps: 20 })!.game.id).toBe(id)
  })

  it('is of a task that an older log rewrote into one that a run would now keep for `id`', () => {
    const before = taskOf(generateTask({ seed: 660984704, split: 'train', templates: ['set-level'] }))
    const text = 'set level 100'
    expect(applyRewrite(before, parseRewrite(text)!, 'new')).toMatchObject({ ok: false, reason: 'held-out' })
    const proposal = { taskId: before.id, attempts: [{ text, ok: true }] }
    const tasks = new Map([
      [before.id, { task: portTask(before) }],
      ['new', { task: { ...portTask(before), id: 'new', body: null }, origin: { proposal } }],
    ])
    const after = playedTask({ tasks } as unknown as RunView, 'new', { maxSteps: 20 })
    expect(after!.instruction).toBe('set brightness to 100.')
  })
})

it('the lines of a rewritten desktop say what is different', () => {
  const outcome = applyRewrite(task, { kind: 'front', app: 'Mail' }, 'new')
  if (!outcome.ok) throw new Error(outcome.message)
  expect(differences(task, outcome.task)).toEqual(['front: Mail.'])
})
