import { beforeEach, describe, expect, it } from 'vitest'
import type { OfficialSplit } from '../../../src/worlds/household/library/game-library.ts'
import { RunEnvironment } from '../../../src/worlds/household/run-environment.ts'
import { importGames } from '../../../src/worlds/household/library/import-games.ts'
import { NoGamesError } from '../../../src/worlds/household/library/imported-games.ts'
import { drawOwnGame } from '../../../src/worlds/household/generator/own-game.ts'
import { MemoryGameLibrary } from '../../../src/worlds/household/library/memory-library.ts'
import { presetSettings } from '../../../src/method/presets.ts'
import type { Settings } from '../../../src/method/settings.ts'
import { writtenGame } from './library/game-file.ts'

let library: MemoryGameLibrary
const settings = (change: Partial<Settings>): Settings => ({ ...presetSettings('household'), ...change })

async function fill(...splits: OfficialSplit[]): Promise<void> {
  const files = splits.flatMap((split, i) => [1, 2, 3].map((seed) => writtenGame(10 * i + seed, split)))
  async function* sources() {
    for (const { path, text } of files) yield { path, bytes: async () => new TextEncoder().encode(text) }
  }
  for await (const item of importGames(sources())) {
    if (item.kind === 'problem') throw new Error(item.problem.reason)
    await library.put([item.game])
  }
}

beforeEach(() => {
  library = new MemoryGameLibrary()
})

describe('the household of a run', () => {
  it('plays the games that the settings select', async () => {
    const service = new RunEnvironment(library, new MemoryGameLibrary())
    await service.open({ settings: settings({ games: 'full', dialect: 'v1' }), isResumed: false })
    const [task] = await service.sampleTasks('train', 1, 1)
    expect(task!.id).toContain('full')
    const start = { episodeId: 'e', task: task!, maxSteps: 5 }
    await service.reset([start])
    expect(await service.step([{ episodeId: 'e', command: 'help' }])).toMatchObject([
      { observation: 'Nothing happens.' },
    ])

    await service.open({ settings: settings({ explainRefusals: true }), isResumed: false })
    const [small] = await service.sampleTasks('train', 1, 1)
    expect(small!.id).toContain('compact')
    await service.reset([{ ...start, task: small! }])
    const [refused] = await service.step([{ episodeId: 'e', command: 'dance' }])
    expect(refused!.observation).toMatch(/^Nothing happens\. ./)
  })

  it('plays imported games, and reports missing ones before anything else is loaded', async () => {
    const official = settings({ games: 'official' })
    const service = new RunEnvironment(library, new MemoryGameLibrary())
    const opening = service.open({ settings: official, isResumed: false })
    await expect(opening).rejects.toThrow(NoGamesError)
    await expect(opening).rejects.toThrow('folders train, valid_seen, valid_unseen')
    await fill('train')
    await expect(service.open({ settings: official, isResumed: false })).rejects.toThrow(
      'folders valid_seen, valid_unseen',
    )
    await service.open({ settings: { ...official, evaluationTasks: 0 }, isResumed: false })
    const tasks = await service.sampleTasks('train', 9, 1)
    expect(tasks.map(({ id }) => id).sort()).toEqual((await library.list()).map(({ id }) => id))
  })

  it('continues with the tasks of a log without the library, unless the run is evaluated', async () => {
    await fill('train', 'valid_seen', 'valid_unseen')
    const unevaluated = settings({ games: 'official', evaluateEvery: 0 })
    const service = new RunEnvironment(library, new MemoryGameLibrary())
    await service.open({ settings: unevaluated, isResumed: false })
    const [task] = await service.sampleTasks('train', 1, 1)
    await library.clear()
    const resumed = new RunEnvironment(library, new MemoryGameLibrary())
    await resumed.open({ settings: unevaluated, isResumed: true })
    const kept = JSON.parse(JSON.stringify(task)) as NonNullable<typeof task>
    const [start] = await resumed.reset([{ episodeId: 'e', task: kept, maxSteps: 5 }])
    expect(start!.opening).toContain(kept.instruction)
    await expect(resumed.open({ settings: settings({ games: 'official' }), isResumed: true })).rejects.toThrow(
      'folders valid_seen, valid_unseen',
    )
  })

  it('cannot be played before it is opened', async () => {
    await expect(new RunEnvironment(library, new MemoryGameLibrary()).sampleTasks('train', 1, 1)).rejects.toThrow(
      'has not been opened',
    )
  })

  it('trains on games of one’s own, evaluates in small rooms, and says where there are none', async () => {
    const own = new MemoryGameLibrary()
    const request = { settings: settings({ games: 'own' }), isResumed: false }
    await expect(new RunEnvironment(library, own).open(request)).rejects.toThrow('this browser has none')
    const goal = { taskType: 'pick_and_place_simple', object: 'apple', target: 'countertop' } as const
    const game = drawOwnGame({ floorPlan: 1, goal, seed: 1 })
    await own.put([{ id: game.id, split: 'train', game, walkthrough: [] }])
    const service = new RunEnvironment(library, own)
    await service.open(request)
    expect((await service.sampleTasks('train', 4, 1)).map(({ instruction }) => instruction)).toEqual([
      'put a apple in countertop.',
    ])
    const small = new RunEnvironment(library, own)
    await small.open({ settings: settings({ games: 'compact' }), isResumed: false })
    expect(await service.sampleTasks('ood', 3, 5)).toEqual(await small.sampleTasks('ood', 3, 5))
  })
})
