import { describe, expect, it } from 'vitest'
import { HouseholdEnvironment } from '../../../src/worlds/household/environment.ts'
import { generatedGames } from '../../../src/worlds/household/game-source.ts'
import { nextCommandKnowingAll } from '../../../src/worlds/household/planning/expert.ts'
import { step } from '../../../src/worlds/household/engine/step.ts'
import { startGame } from '../../../src/worlds/household/engine/state.ts'
import { gameOf, type HouseholdTask } from '../../../src/worlds/household/task.ts'

const environment = new HouseholdEnvironment({ games: generatedGames({ sceneSize: 'compact' }) })

/** A shortest plan. */
function solution(task: HouseholdTask): string[] {
  const state = startGame(gameOf(task))
  const commands: string[] = []
  while (!state.done) {
    const { command } = nextCommandKnowingAll(state)
    commands.push(command)
    step(state, command)
  }
  return commands
}

describe('the household environment', () => {
  it('samples the same tasks for the same seed, as plain data', async () => {
    const tasks = await environment.sampleTasks('train', 5, 3)
    expect(await environment.sampleTasks('train', 5, 3)).toEqual(tasks)
    expect(structuredClone(tasks)).toEqual(tasks)
    expect(new Set(tasks.map(({ id }) => id)).size).toBe(5)
  })

  it('steps episodes in batches, with the true label of each step, and drops them when they end', async () => {
    const [first, second] = await environment.sampleTasks('id', 2, 1)
    const starts = await environment.reset([
      { episodeId: 'a', task: first!, maxSteps: 50 },
      { episodeId: 'b', task: second!, maxSteps: 2 },
    ])
    expect(starts[0]!.opening).toContain(`Your task is to: ${first!.instruction}`)
    const commands = solution(first!.body as HouseholdTask)
    for (const [i, command] of commands.entries()) {
      const [result] = await environment.step([{ episodeId: 'a', command }])
      const left = commands.length - 1 - i
      expect(result).toMatchObject({ trueLabel: 1, distance: left, won: left === 0, done: left === 0 })
    }
    await expect(environment.step([{ episodeId: 'a', command: 'look' }])).rejects.toThrow('no running episode "a"')
    await environment.step([{ episodeId: 'b', command: 'look' }])
    const [last] = await environment.step([{ episodeId: 'b', command: '' }])
    expect(last).toMatchObject({ observation: 'Nothing happens.', won: false, done: true, trueLabel: -1 })
  })

  it('rewrites tasks from text, or says why it does not', async () => {
    const [task] = await environment.sampleTasks('train', 1, 4)
    const body = task!.body as HouseholdTask
    const target = gameOf(body).objects.find(({ type, in: where }) => type === body.goal.object && where.length > 0)!
    const hinted = await environment.rewrite(task!, `hint ${target.noun} ${target.number}`, 'new', 50)
    expect(hinted).toMatchObject({ ok: true, task: { id: 'new', rootId: task!.id, kind: task!.kind } })
    expect(hinted.task!.instruction).toContain('Hint: ')
    expect(await environment.describe(hinted.task!)).toContain('Hint: ')
    expect(await environment.rewrite(task!, 'make it harder', 'new', 50)).toEqual({
      ok: false,
      message: '"make it harder" is not a rewrite.',
    })
    expect((await environment.rewrite(task!, 'remove unicorn 1', 'new', 50)).ok).toBe(false)
  })
})
