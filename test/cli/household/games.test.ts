import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { NoGameError, OfficialShelf, type GameFilter } from '../../../src/cli/household/games.ts'
import type { TaskType } from '../../../src/worlds/household/engine/game.ts'
import { writtenGame } from '../../worlds/household/library/game-file.ts'
import { zipOf } from '../../worlds/household/library/release.ts'

const games = [1, 2, 3, 4, 5, 6].map((seed) => writtenGame(seed, 'train'))
const typeOf = ({ path }: { path: string }) => path.split('/')[2]!.split('-')[0] as TaskType

let folder: string
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'household-games-'))
  // Names that say nothing of the task.
  const files = games.map(({ text }, index) => ({ path: `game-${index}.tw-pddl`, text }))
  for (const { path, text } of files) {
    mkdirSync(join(folder, 'mine', dirname(path)), { recursive: true })
    writeFileSync(join(folder, 'mine', path), text)
  }
  writeFileSync(join(folder, 'mine.zip'), new Uint8Array(await (await zipOf(files)).arrayBuffer()))
})
afterAll(() => rmSync(folder, { recursive: true }))

async function listed(shelf: OfficialShelf, filter: GameFilter, first = 0) {
  const rows: { id: string; task: TaskType }[] = []
  for await (const { id, task } of shelf.list(first, Infinity, filter)) rows.push({ id, task })
  return rows
}

describe.each(['mine', 'mine.zip'])('games without the folders of a release, in %s', (name) => {
  const open = () => OfficialShelf.open(join(folder, name), (problem) => expect.unreachable(problem))

  it('are of the task type that is asked for, also behind others', async () => {
    const shelf = await open()
    const types = games.map(typeOf)
    const task = types.find((type) => types.indexOf(type) !== types.lastIndexOf(type))!
    const found = await listed(shelf, { task })
    expect(found.map((row) => row.task)).toEqual(types.filter((type) => type === task))
    expect(await listed(shelf, { task }, 1)).toEqual(found.slice(1))
    const [other] = (await listed(shelf, {})).filter((row) => row.task !== task)
    await expect(shelf.byId(other!.id, { task })).rejects.toThrow(NoGameError)
    await expect(shelf.byId(other!.id, { task })).rejects.toThrow(`is of the type ${other!.task}, not ${task}.`)
  })

  it('are found by the ids that are listed, and keep them', async () => {
    const shelf = await open()
    const rows = await listed(shelf, {})
    expect(rows).toHaveLength(games.length)
    for (const { id } of rows) expect((await shelf.byId(id, {})).id).toBe(id)
  })
})

it('a single file that is no game is named as it was given', async () => {
  const file = join(folder, 'bad.tw-pddl')
  writeFileSync(file, '{')
  const problems: string[] = []
  const shelf = await OfficialShelf.open(file, (problem) => problems.push(problem))
  expect(await listed(shelf, {})).toEqual([])
  expect(problems).toEqual([expect.stringContaining(`"${file}" cannot be played.`)])
})
