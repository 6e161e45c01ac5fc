import { describe, expect, it } from 'vitest'
import type { HouseholdTask } from '../../../src/worlds/household/task.ts'
import type { LibraryGame, OfficialSplit } from '../../../src/worlds/household/library/game-library.ts'
import { NoGamesError } from '../../../src/worlds/household/library/imported-games.ts'
import { MemoryGameLibrary } from '../../../src/worlds/household/library/memory-library.ts'
import { createEnvironment } from '../../../src/worlds/household/create-environment.ts'
import type { Task } from '../../../src/method/ports.ts'
import { DEFAULTS } from '../../../src/method/settings.ts'
import { room } from './rooms.ts'
import { FakeModel, logOf, ofType, request, smallSettings, world } from '../../method/corridor.ts'

const goal = { taskType: 'pick_and_place_simple', object: 'mug', target: 'desk' } as const

function libraryGame(id: string, split: OfficialSplit): LibraryGame {
  return { id, split, game: room('desk 1: nothing\nshelf 1: mug 1', goal, { id }), walkthrough: [] }
}

async function smallLibrary(): Promise<MemoryGameLibrary> {
  const library = new MemoryGameLibrary()
  await library.put([
    ...['a', 'b', 'c'].map((id) => libraryGame(id, 'train')),
    ...['d', 'e'].map((id) => libraryGame(id, 'valid_seen')),
    libraryGame('f', 'valid_unseen'),
  ])
  return library
}

const sizeOf = (task: Task) => (task.body as HouseholdTask).game.receptacles.length

describe('the household of a run', () => {
  it('has small or original-size rooms, depending on the settings', async () => {
    const [compact] = await createEnvironment({ ...DEFAULTS, games: 'compact' }, null).sampleTasks('train', 1, 1)
    const [full] = await createEnvironment({ ...DEFAULTS, games: 'full' }, null).sampleTasks('train', 1, 1)
    expect((compact!.body as HouseholdTask).game.origin!.sceneSize).toBe('compact')
    expect((full!.body as HouseholdTask).game.origin!.sceneSize).toBe('full')
    expect(sizeOf(compact!)).toBeLessThanOrEqual(10)
  })

  it('plays imported games, and says what to do if there are none', async () => {
    const tasks = await createEnvironment({ ...DEFAULTS, games: 'official' }, await smallLibrary()).sampleTasks(
      'id',
      9,
      1,
    )
    expect(tasks.map(({ id }) => id).sort()).toEqual(['d', 'e'])
    expect(() => createEnvironment({ ...DEFAULTS, games: 'official' }, null)).toThrow(NoGamesError)
    expect(() => createEnvironment({ ...DEFAULTS, games: 'official' }, null)).toThrow(
      /Import them, or set games to full/,
    )
  })

  it('uses defaults for settings that an older log lacks', async () => {
    const before = createEnvironment({}, null)
    const now = createEnvironment(DEFAULTS, null)
    expect(await before.sampleTasks('train', 3, 1)).toEqual(await now.sampleTasks('train', 3, 1))
  })

  it('uses the dialect of the settings, and explains refusals on request', async () => {
    const library = await smallLibrary()
    const answers = async (settings: Parameters<typeof createEnvironment>[0]) => {
      const environment = createEnvironment({ ...settings, games: 'official' }, library)
      const [task] = await environment.sampleTasks('train', 1, 1)
      await environment.reset([{ episodeId: 'x', task: task!, maxSteps: 9 }])
      const play = async (command: string) => (await environment.step([{ episodeId: 'x', command }]))[0]!.observation
      await play('go to shelf 1')
      await play('take mug 1 from shelf 1')
      return [await play('go to desk 1'), await play('put mug 1 in/on shelf 1'), await play('put mug 1 in/on desk 1')]
    }
    const [arrival, refusal, put] = await answers({ dialect: 'v1' })
    expect(arrival).toMatch(/^You arrive at loc \d+\. On the desk 1, you see nothing\.$/)
    expect([refusal, put]).toEqual(['Nothing happens.', 'You put the mug 1 in/on the desk 1.'])
    expect(await answers({ dialect: 'v2' })).toEqual([
      'You arrive at desk 1. On the desk 1, you see nothing.',
      'Nothing happens.',
      'Nothing happens.',
    ])
    const [, explained] = await answers({ dialect: 'v1', explainRefusals: true })
    expect(explained).toMatch(/^Nothing happens\. .+/)
  })
})

describe('a run with fewer games than it asks for', () => {
  const settings = smallSettings({ games: 'official', taskPoolSize: 500, tasksPerIteration: 8, evaluationTasks: 48 })

  it('plays all of them in every iteration, and evaluates on all held-out games', async () => {
    const ports = {
      ...world(),
      policy: new FakeModel(0.5, (_, level, uniform) => (uniform() < level ? 'go to shelf 1' : 'look')),
      environment: createEnvironment(settings, await smallLibrary()),
    }
    const log = await logOf(ports, request(settings))
    expect(log.at(-1)).toMatchObject({ type: 'run-finished', reason: 'completed' })
    expect(ofType(log, 'task-added').map(({ task }) => task.id).sort()).toEqual(['a', 'b', 'c']) // prettier-ignore
    for (const { taskIds } of ofType(log, 'iteration-started')) expect([...taskIds].sort()).toEqual(['a', 'b', 'c'])
    expect(ofType(log, 'evaluation').map(({ split, episodes }) => [split, episodes])).toEqual([['id', 2], ['ood', 1], ['id', 2], ['ood', 1]]) // prettier-ignore
    const last = ofType(log, 'iteration-finished').at(-1)!
    expect(Object.values(last.metrics).every(Number.isFinite)).toBe(true)

    // A resumed run requests only its previous games.
    const resumed = await logOf({ ...ports, environment: createEnvironment(settings, await smallLibrary()) }, request(settings, { history: log, iterations: 1 })) // prettier-ignore
    expect(ofType(resumed, 'task-added')).toEqual([])
  })

  it('stops at once with a remedy if there are none for evaluation', async () => {
    const library = new MemoryGameLibrary()
    await library.put([libraryGame('a', 'train')])
    const run = logOf({ ...world(), environment: createEnvironment(settings, library) }, request(settings))
    await expect(run).rejects.toThrow(/"valid_seen".*set evaluationTasks to 0/)
  })
})
