import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { LibraryGame, OfficialSplit } from '../../../../src/worlds/household/library/game-library.ts'
import { libraryGames, NoGamesError } from '../../../../src/worlds/household/library/imported-games.ts'
import { MemoryGameLibrary } from '../../../../src/worlds/household/library/memory-library.ts'
import { room } from '../rooms.ts'

const goal = { taskType: 'pick_and_place_simple', object: 'mug', target: 'desk' } as const

function game(id: string, split: OfficialSplit | null): LibraryGame {
  return { id, split, game: room('desk 1: nothing\nshelf 1: mug 1', goal, { id }), walkthrough: [] }
}

const many = (split: OfficialSplit, count: number) =>
  Array.from({ length: count }, (_, i) => game(`${split}-${i}`, split))
const all = [
  ...many('train', 20),
  ...many('valid_seen', 4),
  ...many('valid_unseen', 3),
  ...many('valid_train', 9),
  game('mine', null),
]

async function libraryOf(games: readonly LibraryGame[]): Promise<MemoryGameLibrary> {
  const library = new MemoryGameLibrary()
  await library.put(games)
  return library
}

const ids = (games: readonly { id: string }[]) => games.map(({ id }) => id)

describe('a run’s games from a library', () => {
  it('come from the split’s own folder, each at most once, and all of them if there are no more', async () => {
    const source = libraryGames(await libraryOf(all))
    for (const [split, official, there] of [
      ['train', 'train', 20],
      ['id', 'valid_seen', 4],
      ['ood', 'valid_unseen', 3],
    ] as const) {
      // prettier-ignore
      for (const count of [0, 1, 3, 20, 500]) {
        const drawn = ids(await source.sample(split, count, 5))
        expect(drawn).toHaveLength(Math.min(count, there))
        expect(new Set(drawn).size).toBe(drawn.length)
        for (const id of drawn) expect(id).toMatch(new RegExp(`^${official}-`))
      }
    }
  })

  it('depend on the seed, and not on the order of imports', async () => {
    const order = fc.shuffledSubarray(all, { minLength: all.length, maxLength: all.length })
    const expected = ids(await libraryGames(await libraryOf(all)).sample('train', 8, 3))
    await fc.assert(
      fc.asyncProperty(order, async (games) => {
        const library = await libraryOf(games)
        // A library may list its games in any order.
        library.list = async () => games.map(({ id, split, game }) => ({ id, split, taskType: game.goal.taskType }))
        expect(ids(await libraryGames(library).sample('train', 8, 3))).toEqual(expected)
      }),
      { numRuns: 20 },
    )
    expect(ids(await libraryGames(await libraryOf(all)).sample('train', 8, 4))).not.toEqual(expected)
  })

  it('begin with the same games if more are requested', async () => {
    const source = libraryGames(await libraryOf(all))
    expect(ids(await source.sample('train', 12, 9)).slice(0, 5)).toEqual(ids(await source.sample('train', 5, 9)))
  })

  it('are all drawn in the long run', async () => {
    const source = libraryGames(await libraryOf(all))
    const seen = new Set<string>()
    for (let seed = 0; seed < 40; seed++) for (const id of ids(await source.sample('train', 3, seed))) seen.add(id)
    expect(seen.size).toBe(20)
  })

  it('are reported as missing, with a remedy, if the split has none', async () => {
    const source = libraryGames(await libraryOf(many('train', 2)))
    await expect(source.sample('train', 5, 0)).resolves.toHaveLength(2)
    await expect(source.sample('ood', 5, 0)).rejects.toThrow(NoGamesError)
    await expect(source.sample('ood', 5, 0)).rejects.toThrow(/"valid_unseen".* Import .*evaluationTasks to 0/)
    await expect(libraryGames(new MemoryGameLibrary()).sample('train', 5, 0)).rejects.toThrow(/"train".* Import/)
  })
})

describe('a library in memory', () => {
  it('stores each game once, lists its games, returns them in the requested order, and clears them', async () => {
    const library = await libraryOf([game('b', 'train'), game('a', null), game('b', 'valid_seen')])
    expect(await library.list()).toEqual([
      { id: 'a', split: null, taskType: 'pick_and_place_simple' },
      { id: 'b', split: 'valid_seen', taskType: 'pick_and_place_simple' },
    ])
    expect(ids(await library.get(['b', 'none', 'a']))).toEqual(['b', 'a'])
    await library.clear()
    expect([await library.list(), await library.get(['a'])]).toEqual([[], []])
  })
})
