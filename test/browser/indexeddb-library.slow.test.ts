/** The library of imported games in a real IndexedDB. Its sources are served without a build. */
import { describe, expect, it } from 'vitest'
import type { LibraryGame } from '../../src/worlds/household/library/game-library.ts'
import { generateGame } from '../../src/worlds/household/generator/generate-game.ts'
import { useBlankPage } from './blank-page.ts'

/** The module's exports are globals of the page. */
type LibraryModule = typeof import('../../src/worlds/household/library/indexeddb-library.ts')

const games = [1, 2, 3].map((seed): LibraryGame => {
  const game = generateGame({ seed, split: 'train', sceneSize: 'compact' })
  return { id: game.id, split: seed === 3 ? null : 'train', game, walkthrough: ['look'] }
})
const ids = games.map(({ id }) => id)

describe('games stored in the browser', () => {
  const { open, address } = useBlankPage('src/worlds/household/library/indexeddb-library.ts')

  it('survive a reload, are returned in the requested order, and are listed by id', async () => {
    const { page } = await open()
    await page.evaluate(async (given) => {
      const { IndexedDbGameLibrary } = globalThis as unknown as LibraryModule
      const library = new IndexedDbGameLibrary('test')
      await library.put(given.slice(0, 2))
      await library.put(given.slice(2))
      await library.put([])
    }, games)
    await page.reload()
    const found = await page.evaluate(async (wanted) => {
      const { IndexedDbGameLibrary } = globalThis as unknown as LibraryModule
      const library = new IndexedDbGameLibrary('test')
      return {
        entries: await library.list(),
        games: await library.get([wanted[2]!, 'unknown', wanted[0]!]),
        none: await library.get([]),
      }
    }, ids)
    expect(found.entries).toEqual(
      games
        .map(({ id, split, game }) => ({ id, split, taskType: game.goal.taskType }))
        .sort((a, b) => (a.id < b.id ? -1 : 1)),
    )
    expect(found.games).toEqual([games[2], games[0]])
    expect(found.none).toEqual([])
  })

  it('are stored once, however often they are added, until they are cleared', async () => {
    const { page } = await open()
    const found = await page.evaluate(async (given) => {
      const { IndexedDbGameLibrary } = globalThis as unknown as LibraryModule
      const library = new IndexedDbGameLibrary('test')
      await library.put(given)
      await library.put(given.map((game) => ({ ...game, split: 'valid_seen' as const })))
      const twice = await library.list()
      await library.clear()
      return { twice, none: await library.list(), games: await library.get(given.map(({ id }) => id)) }
    }, games)
    expect(found.twice.map(({ split }) => split)).toEqual(['valid_seen', 'valid_seen', 'valid_seen'])
    expect([found.none, found.games]).toEqual([[], []])
  })

  it('include no game of a batch if one of them cannot be stored', async () => {
    const { page } = await open()
    const found = await page.evaluate(async (given) => {
      const { IndexedDbGameLibrary } = globalThis as unknown as LibraryModule
      const library = new IndexedDbGameLibrary('test')
      const bad = { ...given[1]!, walkthrough: (() => {}) as unknown as string[] }
      const error = await library.put([given[0]!, bad]).catch((reason: unknown) => reason as Error)
      return { error: error && { name: error.name, message: error.message }, entries: await library.list() }
    }, games)
    expect(found.error).toMatchObject({ name: 'LibraryError' })
    expect(found.entries).toEqual([])
  })

  it('are released to a newer version of the page in another tab, with an error here', async () => {
    const { page } = await open()
    await page.evaluate(async (given) => {
      const { IndexedDbGameLibrary } = globalThis as unknown as LibraryModule
      const library = new IndexedDbGameLibrary('test')
      await library.put(given)
      Object.assign(globalThis, { library })
    }, games)
    const other = await page.context().newPage()
    await other.goto(address())
    await other.evaluate(
      () =>
        new Promise<void>((resolve, reject) => {
          const opening = indexedDB.open('test', 2)
          opening.onerror = () => reject(new Error('The newer version could not be opened.'))
          opening.onsuccess = () => resolve()
        }),
    )
    const messages = await page.evaluate(async () => {
      const { IndexedDbGameLibrary, library } = globalThis as unknown as LibraryModule & {
        library: InstanceType<LibraryModule['IndexedDbGameLibrary']>
      }
      const messageOf = (listing: Promise<unknown>) =>
        listing.then(
          () => 'listed',
          (error: unknown) => (error as Error).message,
        )
      return [await messageOf(library.list()), await messageOf(new IndexedDbGameLibrary('test').list())]
    })
    for (const message of messages) expect(message).toMatch(/newer version of this page.*Reload this tab/)
  })

  it('report when the storage is full', async () => {
    const { page } = await open()
    const session = await page.context().newCDPSession(page)
    const origin = new URL(address()).origin
    await session.send('Storage.overrideQuotaForOrigin', { origin, quotaSize: 20_000 })
    const message = await page.evaluate(async ([first]) => {
      const { IndexedDbGameLibrary } = globalThis as unknown as LibraryModule
      const library = new IndexedDbGameLibrary('test')
      for (let batch = 0; batch < 100; batch++) {
        const many = Array.from({ length: 50 }, (_, i) => ({ ...first!, id: `${batch}/${i}` }))
        const error = await library.put(many).catch((reason: unknown) => reason as Error)
        if (error) return error.message
      }
      return 'Everything was kept.'
    }, games)
    expect(message).toContain('space for this page is full')
  })
})
