import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openGames } from '../../../../src/worlds/household/library/node-files.ts'
import { imported, isGamePath, smallRelease, zipOf } from './release.ts'

const release = smallRelease()
const games = release.map(({ path }) => path).filter(isGamePath)
const idOf = (path: string) => path.split('/').slice(-3, -1).join('/')
const splitOf = (path: string) => path.split('/')[1]

let folder: string
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'games-'))
  for (const { path, text } of release) write(path, text)
  writeFileSync(join(folder, 'release.zip'), new Uint8Array(await (await zipOf(release)).arrayBuffer()))
  write('empty/nothing.txt', '')
  write('damaged.ZIP', 'no zip')
})
afterAll(() => rmSync(folder, { recursive: true }))

function write(path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true })
  writeFileSync(join(folder, path), text)
}

const opened = (path: string) => imported(openGames(join(folder, path)))

describe('games on a disk', () => {
  it.each(['json_2.1.1', '.', 'json_2.1.1/', 'release.zip'])('are found in %s, with their splits', async (path) => {
    const { games: found, problems } = await opened(path)
    expect(problems).toEqual([])
    const expected = games.map((each) => [idOf(each), splitOf(each)])
    expect(found.map(({ id, split }) => [id, split]).sort()).toEqual(expected.sort())
  })

  it('are in the order of their paths, which include the parent folders', async () => {
    const paths: string[] = []
    for await (const { path } of openGames(join(folder, 'json_2.1.1'))) paths.push(path)
    expect(paths).toEqual([...paths].sort())
    expect(paths[0]).toContain(join(folder.split('/').at(-1)!, 'json_2.1.1/train'))
  })

  it('keep split and task if only a part is given, down to a single file', async () => {
    const one = games.find((path) => splitOf(path) === 'valid_seen')!
    for (const path of [dirname(dirname(one)), dirname(one), one]) {
      const { games: found } = await opened(path)
      expect(found.map(({ id, split }) => [id, split])).toEqual([[idOf(one), 'valid_seen']])
    }
    expect((await opened('json_2.1.1/valid_unseen')).games).toHaveLength(2)
  })

  it('are found through links, each folder once', async () => {
    symlinkSync(join(folder, 'json_2.1.1/valid_seen'), join(folder, 'empty/valid_seen'))
    symlinkSync(join(folder, 'empty'), join(folder, 'empty/again'))
    const paths: string[] = []
    for await (const { path } of openGames(join(folder, 'empty'))) if (isGamePath(path)) paths.push(path)
    expect(paths).toHaveLength(3)
    const { games: found } = await opened('empty')
    expect(found.map(({ split }) => split)).toEqual(Array(3).fill('valid_seen'))
  })

  it('are reported as missing in plain words: no file, no zip, a foreign file', async () => {
    expect(await opened('nowhere')).toEqual({
      games: [],
      problems: [{ path: join(folder, 'nowhere'), reason: 'No such file or folder.' }],
    })
    const { problems } = await opened('damaged.ZIP')
    expect(problems).toEqual([{ path: join(folder, 'damaged.ZIP'), reason: expect.stringContaining('not a zip archive') as string }]) // prettier-ignore
    expect((await opened('empty/nothing.txt')).problems[0]!.reason).toContain('It is not an ALFWorld game')
    expect((await opened('empty/nothing.txt/train')).problems[0]!.reason).toMatch(/^It cannot be read: ENOTDIR.*'\.$/)
  })
})
