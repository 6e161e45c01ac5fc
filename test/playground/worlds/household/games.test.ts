import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { taskTypes } from '../../../../src/worlds/household/engine/game.ts'
import { generateGame } from '../../../../src/worlds/household/generator/generate-game.ts'
import { OFFICIAL_SPLITS, type LibraryEntry } from '../../../../src/worlds/household/library/game-library.ts'
import { instructionText, taskOf } from '../../../../src/worlds/household/task.ts'
import type { PickedFile } from '../../../../src/storage/dropped-files.ts'
import type { OpenImporter } from '../../../../src/playground/worlds/household/games-worker.ts'
import { countTable, gameTitle, problemGroups } from '../../../../src/playground/worlds/household/games.ts'
import { commandGroups } from '../../../../src/playground/worlds/household/hand-game.ts'
import { GameShelf } from '../../../../src/playground/worlds/household/game-shelf.svelte.ts'
import { Games } from '../../../../src/playground/worlds/household/games.svelte.ts'
import { HandGame } from '../../../../src/playground/worlds/household/hand-game.svelte.ts'

const entry: fc.Arbitrary<LibraryEntry> = fc.record({
  id: fc.string(),
  split: fc.constantFrom(...OFFICIAL_SPLITS, null),
  taskType: fc.constantFrom(...taskTypes),
})

describe('counts of imported games', () => {
  it('add up in both directions, with a column for each existing split', () => {
    fc.assert(
      fc.property(fc.array(entry), (entries) => {
        const { columns, rows, totals, total } = countTable(entries)
        const sum = (numbers: readonly number[]) => numbers.reduce((a, b) => a + b, 0)
        expect(total).toBe(entries.length)
        expect(columns).toHaveLength(new Set(entries.map(({ split }) => split)).size)
        expect(sum(totals)).toBe(total)
        for (const [i, expected] of totals.entries()) expect(sum(rows.map(({ counts }) => counts[i]!))).toBe(expected)
        for (const { taskType, counts, total: all } of rows) {
          expect(sum(counts)).toBe(all)
          expect(all).toBe(entries.filter((game) => game.taskType === taskType).length)
        }
        expect(totals).not.toContain(0)
      }),
    )
  })
})

describe('problems of an import', () => {
  it('are all grouped by reason, the most frequent first', () => {
    const groups = problemGroups([
      { path: 'a', reason: 'It is no game.' },
      { path: 'b', reason: 'It is cut off.' },
      { path: 'c', reason: 'It is cut off.' },
    ])
    expect(groups).toEqual([
      { reason: 'It is cut off.', paths: ['b', 'c'] },
      { reason: 'It is no game.', paths: ['a'] },
    ])
  })
})

describe('an official game’s id', () => {
  it.each([
    ['pick_two_obj_and_place-Glassbottle-None-Shelf-1/trial_T1', 'put two glassbottle in shelf, floor plan 1'],
    ['look_at_obj_in_light-CD-None-DeskLamp-308/trial_T2', 'look at cd under the desklamp, floor plan 308'],
    ['pick_heat_then_place_in_recep-Egg-None-Fridge-13/trial_T3', 'put a hot egg in fridge, floor plan 13'],
    ['my games/game.tw-pddl', 'my games/game.tw-pddl'],
    ['stack_cups-Cup-None-Shelf-1/trial', 'stack_cups-Cup-None-Shelf-1/trial'],
  ])('%s is displayed as "%s"', (id, title) => expect(gameTitle(id)).toBe(title))
})

describe('commands as buttons', () => {
  it('are grouped by verb, with actions that change the world first and numbers in order', () => {
    const groups = commandGroups([
      'examine shelf 1',
      'go to cabinet 10',
      'go to cabinet 2',
      'look',
      'take mug 1 from shelf 1',
    ])
    expect(groups.map(({ verb, commands }) => [verb, commands.map(({ rest }) => rest)])).toEqual([
      ['take', ['mug 1 from shelf 1']],
      ['examine', ['shelf 1']],
      ['go to', ['cabinet 2', 'cabinet 10']],
      ['see', ['look']],
    ])
  })

  it('are the engine’s admissible commands, each once', () => {
    for (const dialect of ['v1', 'v2'] as const) {
      const hand = new HandGame(taskOf(generateGame({ seed: 3, split: 'train', sceneSize: 'full' })), {
        dialect,
        explainRefusals: false,
      })
      while (!hand.isOver) {
        const commands = hand.groups.flatMap((group) => group.commands.map(({ text }) => text))
        expect(new Set(commands).size).toBe(commands.length)
        expect(commands).toContain(hand.hint())
        for (const { verb, commands: members } of hand.groups) {
          for (const { text, rest } of members) expect(text).toBe(verb === 'see' ? rest : `${verb} ${rest}`)
        }
        hand.play(hand.hint())
      }
      expect(hand.isWon).toBe(true)
    }
  })
})

describe('a game played by hand', () => {
  const game = generateGame({ seed: 1, split: 'train', sceneSize: 'compact' })

  it('is lost when its commands are used up, and can be restarted', () => {
    const hand = new HandGame(taskOf(game), { dialect: 'v2', explainRefusals: false })
    for (let i = 0; i < hand.stepLimit + 5; i++) hand.play('look')
    expect([hand.turns.length, hand.isOver, hand.isWon, hand.groups]).toEqual([hand.stepLimit, true, false, []])
    hand.restart()
    expect([hand.turns.length, hand.isOver]).toEqual([0, false])
    expect(hand.groups.length).toBeGreaterThan(0)
  })

  it('tells a person what the policy was told, and ends with its last step', () => {
    const hints = [{ object: 'apple 1', receptacle: 'garbagecan 1' }]
    const task = { ...taskOf(game), hints, instruction: instructionText(game, hints) }
    const hand = new HandGame(task, { dialect: 'v2', explainRefusals: false, stepLimit: 20 })
    const hint = 'Hint: the apple 1 is in garbagecan 1.'
    for (const text of [hand.instruction, hand.opening, hand.scene]) expect(text).toContain(hint)
    for (let i = 0; i < 25; i++) hand.play('look')
    hand.restart()
    for (let i = 0; i < 25; i++) hand.play('look')
    expect(hand.turns.length).toBe(20)
  })

  it('explains refused commands while this is switched on', () => {
    const hand = new HandGame(taskOf(game), { dialect: 'v2', explainRefusals: false })
    hand.play('dance')
    hand.explain(true)
    hand.play('dance')
    hand.restart()
    hand.play('dance')
    hand.explain(false)
    hand.play('dance')
    expect(hand.turns.map(({ observation }) => observation === 'Nothing happens.')).toEqual([false, true])
    expect(hand.turns.every(({ accepted }) => !accepted)).toBe(true)
  })

  it('ends at the distance from the goal that the shortest plan gives', () => {
    const hand = new HandGame(taskOf(game), { dialect: 'v2', explainRefusals: false })
    for (let left = hand.distance; left > 0; left--) {
      expect([hand.distance, hand.isOver]).toEqual([left, false])
      hand.play(hand.hint())
    }
    expect([hand.distance, hand.isWon]).toEqual([0, true])
  })
})

describe('an import of games', () => {
  const FAILURES: Record<string, string | undefined> = {
    'has failed': 'The worker was lost.',
    'cannot read the library': 'IndexedDB is blocked.',
    'has no worker': 'Workers are blocked.',
  }
  it.each(['is cancelled', ...Object.keys(FAILURES)])(
    'that %s lets others have the files that it has not reached',
    async (end) => {
      let isReturned = false
      async function* many(): AsyncGenerator<PickedFile> {
        try {
          for (let i = 0; ; i++) yield { path: `${i}.json`, file: new File(['x'], `${i}.json`) }
        } finally {
          isReturned = true
        }
      }
      const worker = {
        async importFiles(next: () => Promise<PickedFile[]>, _take: unknown, signal: AbortSignal) {
          if (end !== 'cannot read the library') await next()
          if (end in FAILURES) throw new Error(FAILURES[end])
          games.cancel()
          return { games: 0, added: 0, isCancelled: signal.aborted }
        },
      }
      const games = new Games(() => {
        if (end === 'has no worker') throw new Error(FAILURES[end])
        return { remote: worker, terminate: () => {} } as unknown as ReturnType<OpenImporter>
      })
      const files = many()
      // The page has looked at the first file (sorted in shell/dropped-kind.ts).
      await files.next()
      await games.importFiles(files)
      if (end in FAILURES) expect(games.failures).toMatchObject([{ why: FAILURES[end] }])
      else expect(games.import).toMatchObject({ summary: { isCancelled: true } })
      expect(isReturned).toBe(true)
    },
  )
})

describe('imports of games that wait for one another', () => {
  async function* named(name: string): AsyncGenerator<PickedFile> {
    yield { path: name, file: new File(['x'], name) }
  }
  const worker = {
    async importFiles(next: () => Promise<PickedFile[]>, take: (progress: object) => void) {
      const [{ path }] = (await next()) as [PickedFile]
      if (path === 'lost.zip') throw new Error('The worker was lost.')
      if (path === 'bad.zip') take({ files: 1, found: 1, games: 0, problems: [{ path, reason: 'It is no game.' }] })
      return { games: 1, added: 1, isCancelled: false }
    },
  }

  it('leave what the earlier ones reported, which the next import after them clears', async () => {
    const games = new Games(() => ({ remote: worker, terminate: () => {} }) as unknown as ReturnType<OpenImporter>)
    const drop = (name: string) => games.importFiles(named(name))
    await Promise.all([drop('bad.zip'), drop('lost.zip'), drop('good.zip')])
    expect(games.problems).toEqual([{ path: 'bad.zip', reason: 'It is no game.' }])
    expect(games.failures).toEqual([{ why: 'The worker was lost.', games: 0 }])
    expect(games.import.state).toBe('read')
    await drop('good.zip')
    expect([games.problems, games.failures]).toEqual([[], []])
  })
})

describe('browsing games', () => {
  it('finds official games by words, split and type', async () => {
    const shelf = new GameShelf()
    const entries: LibraryEntry[] = [
      { id: 'pick_and_place_simple-Mug-None-Shelf-308/trial_A', split: 'train', taskType: 'pick_and_place_simple' },
      { id: 'pick_and_place_simple-Mug-None-Desk-308/trial_B', split: 'valid_seen', taskType: 'pick_and_place_simple' },
      { id: 'look_at_obj_in_light-Mug-None-DeskLamp-301/trial_C', split: 'train', taskType: 'look_at_obj_in_light' },
    ]
    const trials = () => shelf.items.map(({ id }) => id.at(-1)).join('')
    await shelf.offer(entries)
    await shelf.choose({ source: 'official' })
    expect([trials(), shelf.found, shelf.hasMore]).toEqual(['ABC', 3, false])
    await shelf.choose({ words: ' mug  308 ' })
    expect(trials()).toBe('AB')
    await shelf.choose({ split: 'train' })
    expect(trials()).toBe('A')
    await shelf.choose({ words: '', taskType: 'look_at_obj_in_light' })
    expect(trials()).toBe('C')
    await shelf.choose({ words: 'fridge' })
    expect([trials(), shelf.found]).toEqual(['', 0])
  })

  it('returns the requested number of generated games, the same every time', async () => {
    const shelf = new GameShelf()
    await shelf.choose({ source: 'full', split: 'ood', taskType: 'pick_cool_then_place_in_recep' })
    const ids = shelf.items.map(({ id }) => id)
    expect(new Set(ids).size).toBe(12)
    await shelf.showMore()
    expect(shelf.items.map(({ id }) => id).slice(0, 12)).toEqual(ids)
    expect(shelf.items).toHaveLength(24)
    const game = await shelf.game(ids[0]!)
    expect(game).toMatchObject({ origin: { split: 'ood', sceneSize: 'full' } })
    expect(game!.goal.taskType).toBe('pick_cool_then_place_in_recep')
  })
})
