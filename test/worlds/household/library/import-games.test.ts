import { describe, expect, it } from 'vitest'
import { importGames, SourceError } from '../../../../src/worlds/household/library/import-games.ts'
import { startGame } from '../../../../src/worlds/household/engine/state.ts'
import { step } from '../../../../src/worlds/household/engine/step.ts'
import { writtenGame } from './game-file.ts'
import { imported, smallRelease, source, sources } from './release.ts'

const [first, second] = [writtenGame(1, 'train'), writtenGame(2, 'train')]

describe('importing games', () => {
  it('gives every game of a release with name, split and winning walkthrough, and skips other files', async () => {
    const { games, problems } = await imported(sources(smallRelease()))
    expect(problems).toEqual([])
    const splits = games.map(({ split }) => split)
    expect(splits).toEqual([...Array<string>(6).fill('train'), ...Array<string>(3).fill('valid_seen'), 'valid_unseen', 'valid_unseen']) // prettier-ignore
    for (const { id, game, walkthrough } of games) {
      expect(game.id).toBe(id)
      expect(id).toMatch(/^pick_\w+-\w+-None-\w+-\d+\/trial_T\d+$|^look_\w+-\w+-None-\w+-\d+\/trial_T\d+$/)
      const state = startGame(game)
      for (const command of walkthrough) step(state, command)
      expect(state.won).toBe(true)
    }
  })

  it('recognises the split wherever the release begins, or that there is none', async () => {
    const splitAt = async (path: string) => (await imported(sources([{ path, text: first.text }]))).games[0]!.split
    const task = 'pick_and_place_simple-Mug-None-Desk-308/trial_T1/game.tw-pddl'
    expect(await splitAt(`a/b/json_2.1.1/valid_unseen/${task}`)).toBe('valid_unseen')
    expect(await splitAt(`valid_train/${task}`)).toBe('valid_train')
    expect(await splitAt('valid_seen/mine.tw-pddl')).toBe('valid_seen')
    expect(await splitAt(task)).toBeNull()
    expect(await splitAt(`json_2.1.1/temp_train/${task}`)).toBeNull()
    expect(await splitAt(`train/json_2.1.1/syn_train/${task}`)).toBeNull()
    expect(await splitAt('mine.tw-pddl')).toBeNull()
  })

  it('gives a repeated game once, and reports a different game with the same name', async () => {
    const again = { ...first, path: `copy/${first.path}` }
    const impostor = { path: first.path.replace('json_2.1.1', 'other'), text: second.text }
    const { games, problems } = await imported(sources([first, again, second, impostor]))
    expect(games.map(({ id }) => id)).toEqual([first, second].map(({ path }) => path.split('/').slice(2, 4).join('/')))
    expect(problems).toHaveLength(1)
    expect(problems[0]!.path).toBe(impostor.path)
    expect(problems[0]!.reason).toContain(`same name as "${first.path}"`)
  })

  it('reports a damaged file with a reason and imports the rest', async () => {
    const files = [first, { path: 'train/cut/game.tw-pddl', text: second.text.slice(0, 2000) }, second]
    const { games, problems } = await imported(sources(files))
    expect(games).toHaveLength(2)
    expect(problems).toEqual([
      { path: 'train/cut/game.tw-pddl', reason: expect.stringContaining('not JSON') as string },
    ])
  })

  it('reports a file that cannot be read or is not text', async () => {
    const gone = { path: 'a/game.tw-pddl', bytes: () => Promise.reject(new Error('the disk is gone')) }
    const binary = source('b/game.tw-pddl', Uint8Array.of(0xff, 0xfe, 0x00, 0xd8))
    const { games, problems } = await imported(sources([gone, binary, first]))
    expect(games).toHaveLength(1)
    expect(problems).toEqual([
      { path: 'a/game.tw-pddl', reason: 'It cannot be read: the disk is gone.' },
      { path: 'b/game.tw-pddl', reason: 'It is not text: it is damaged or another kind of file.' },
    ])
  })

  it('reads text that begins with a byte order mark', async () => {
    expect((await imported(sources([{ path: first.path, text: `\ufeff${first.text}` }]))).problems).toEqual([])
  })

  it('reports a foreign file if it is given alone, and skips it in a folder', async () => {
    const given = [source('holiday.jpg', 'x'), source('a/b/notes.txt', 'x', false)]
    const found = [source('folder/holiday.jpg', 'x'), source('README.md', 'x', true)]
    const { problems } = await imported(sources([...given, ...found]))
    expect(problems.map(({ path }) => path)).toEqual(['holiday.jpg', 'a/b/notes.txt'])
    expect(problems[0]!.reason).toContain('game.tw-pddl')
  })

  it('skips files that ALFWorld and macOS put beside a game, even alone', async () => {
    const beside = [
      'traj_data.json',
      'initial_state.pddl',
      '.DS_Store',
      '__MACOSX/train/._game.tw-pddl',
      'train/._game.tw-pddl',
    ]
    expect(await imported(sources(beside.map((path) => source(path, 'x'))))).toEqual({ games: [], problems: [] })
  })

  it('counts all files that it has read', async () => {
    const counts: number[] = []
    const files = sources([first, source('x/y', 'x'), source('bad.tw-pddl', ''), second])
    for await (const _ of importGames(files, (done) => counts.push(done)));
    expect(counts).toEqual([1, 2, 3, 4])
  })

  it('reports a failing archive after its earlier files, and hides no other error', async () => {
    async function* failing(error: Error) {
      yield* sources([first])
      throw error
    }
    const { games, problems } = await imported(failing(new SourceError('release.zip', 'It is cut off.')))
    expect([games.length, problems]).toEqual([1, [{ path: 'release.zip', reason: 'It is cut off.' }]])
    await expect(imported(failing(new TypeError('a bug')))).rejects.toThrow('a bug')
  })
})
