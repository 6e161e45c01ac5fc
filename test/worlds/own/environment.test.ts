import { expect, it } from 'vitest'
import { OwnEnvironment } from '../../../src/worlds/own/environment.ts'
import { exampleModule, guestOf, worldOf } from './worlds.ts'

const example = async () => new OwnEnvironment(await guestOf(exampleModule()))

it('plays episodes side by side, labels each step by the distance, and ends them when they are won', async () => {
  const guest = await guestOf(exampleModule())
  const environment = new OwnEnvironment(guest)
  const [task] = await environment.sampleTasks('train', 1, 7)
  expect(task).toMatchObject({ kind: 'task', rootId: task!.id, instruction: guest.reset(task!.body).text })
  const starts = ['a', 'b'].map((episodeId) => ({ episodeId, task: task!, maxSteps: 20 }))
  const [start] = await environment.reset(starts)
  expect(start!.opening).toBe(guest.reset(task!.body).text)
  let { state } = guest.reset(task!.body)
  for (let left = guest.distance(state); left > 0; left--) {
    const { command } = guest.expert(state)
    state = guest.step(state, command).state
    const [played, idle] = await environment.step([
      { episodeId: 'a', command },
      ...(left > 1 ? [{ episodeId: 'b', command: 'dance' }] : []),
    ])
    expect(played).toMatchObject({ trueLabel: 1, distance: left - 1, won: left === 1, done: left === 1 })
    if (idle) expect(idle).toMatchObject({ observation: 'Nothing happens.', trueLabel: -1, won: false, done: false })
  }
  await expect(environment.step([{ episodeId: 'a', command: 'go north' }])).rejects.toThrow('no running episode "a"')
})

it('ends an episode at the step limit, as lost', async () => {
  const environment = await example()
  const [task] = await environment.sampleTasks('id', 1, 1)
  await environment.reset([{ episodeId: 'a', task: task!, maxSteps: 2 }])
  const dance = async () => (await environment.step([{ episodeId: 'a', command: 'dance' }]))[0]!
  expect(await dance()).toMatchObject({ done: false })
  expect(await dance()).toMatchObject({ done: true, won: false })
})

it('finds the distance with the expert where the world has none, and knows no labels without either', async () => {
  const withExpert = new OwnEnvironment(await guestOf(worldOf({ expert: `({ number }) => String(number)` })))
  const without = new OwnEnvironment(await guestOf(worldOf()))
  for (const [environment, expected] of [
    [withExpert, { distance: 1, trueLabel: -1 }],
    [without, { distance: null, trueLabel: null }],
  ] as const) {
    const [task] = await environment.sampleTasks('train', 1, 1)
    await environment.reset([{ episodeId: 'a', task: task!, maxSteps: 5 }])
    const [step] = await environment.step([{ episodeId: 'a', command: 'hello' }])
    expect(step).toMatchObject(expected)
  }
})

it('accepts exactly the rewrites that change a task and leave it solvable', async () => {
  const environment = await example()
  const task = {
    id: 'train/1',
    rootId: 'train/1',
    instruction: '',
    kind: 'task',
    body: { size: 4, agent: [1, 1], key: [1, 2], chest: [1, 4], walls: [[2, 1], [2, 2]] }, // prettier-ignore
  }
  expect(await environment.describe(task)).toBe(
    'Wall at 2 1. Wall at 2 2. You are at 1 1. The key is east.\n' +
      'Harder: wall at 3 2; wall at 4 2\nEasier: no wall at 2 1; no wall at 2 2',
  )
  const rewritten = (text: string, maxSteps = 20) => environment.rewrite(task, text, 'train/1/a', maxSteps)
  const changed = await rewritten(' wall at 3 3 ')
  expect(changed).toMatchObject({
    ok: true,
    task: { id: 'train/1/a', rootId: 'train/1' },
    message: 'Changed: wall at 3 3.',
  })
  expect(changed.task!.instruction).toContain('Wall at 3 3.')
  expect(await rewritten('make it hard')).toEqual({ ok: false, message: '"make it hard" is not a rewrite.' })
  for (const text of ['wall at 2 2', 'no wall at 3 3', 'wall at 0 1', 'wall at 1 5', 'wall at 1 2'])
    expect(await rewritten(text)).toEqual({ ok: false, message: `"${text}" is not a rewrite.` })
  expect(await rewritten('wall at 3 3', 4)).toEqual({
    ok: false,
    message: 'The task could not be solved within 4 steps.',
  })
  const idle = new OwnEnvironment(await guestOf(worldOf({ rewrites: `() => []`, rewrite: `(task) => task` })))
  expect(await idle.rewrite(task, 'x', 'y', 5)).toEqual({ ok: false, message: 'That changes nothing.' })
  const without = new OwnEnvironment(await guestOf(worldOf()))
  expect(await without.rewrite(task, 'x', 'y', 5)).toEqual({ ok: false, message: 'This world has no rewrites.' })
})
