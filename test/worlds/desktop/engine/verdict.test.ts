import { describe, expect, it } from 'vitest'
import type { Facts } from '../../../../src/worlds/desktop/engine/facts.ts'
import { elementsOf } from '../../../../src/worlds/desktop/engine/elements.ts'
import { cloneState, startGame, type DesktopState } from '../../../../src/worlds/desktop/engine/state.ts'
import { step } from '../../../../src/worlds/desktop/engine/step.ts'
import { generateTask } from '../../../../src/worlds/desktop/generator/generate-task.ts'
import { TEMPLATES } from '../../../../src/worlds/desktop/generator/templates.ts'
import { nextCommand } from '../../../../src/worlds/desktop/planning/expert.ts'
import { pick, seededRandom } from '../../../../src/worlds/random.ts'
import { allCommands } from '../random-play.ts'

const games = TEMPLATES.map(({ name, isOodTemplate }) =>
  generateTask({ seed: 0, split: isOodTemplate ? 'ood' : 'train', templates: [name] }),
)

/** The state of a won play just before its last command, which is `done` or `fail`. */
function beforeTheEnd(game: (typeof games)[number]): { state: DesktopState; end: string } {
  const state = startGame(game, { stepLimit: 40 })
  for (;;) {
    const command = nextCommand(state)!
    if (command === 'done' || command === 'fail') return { state, end: command }
    step(state, command)
  }
}

function wins(state: DesktopState, end: string, facts: Facts = state.facts): boolean {
  const last = cloneState(state)
  last.facts = facts
  return step(last, end).won
}

/** One change of each kind of fact, none of which any task wants. */
function mutants(facts: Facts): [string, Facts][] {
  const change = <T>(list: readonly T[], index: number, value: Partial<T>) =>
    list.map((item, i) => (i === index ? { ...item, ...value } : item))
  const [firstTable, ...tables] = facts.tables
  const [firstText, ...texts] = facts.documents
  const list: [string, Facts][] = [
    ['a folder more', { ...facts, folders: [...facts.folders, 'Cellar'] }],
    ['a bookmark', { ...facts, bookmarks: facts.bookmarks.map((folder, i) => (i === 0 ? (folder + 2) % 3 : folder)) }],
    ['a mail sent', { ...facts, sent: [...facts.sent, { kind: 'new', about: -1, to: 'Zoe', text: 'hi' }] }],
    ['a line', { ...facts, documents: [change(firstText!, 0, { text: 'other words' }), ...texts] }],
    ['a style', { ...facts, documents: [change(firstText!, 0, { style: firstText![0]!.style ^ 5 }), ...texts] }],
    [
      'a cell',
      { ...facts, tables: [{ ...firstTable!, rows: [['x', 'y', 'z'], ...firstTable!.rows.slice(1)] }, ...tables] },
    ],
    ['a sum', { ...facts, tables: [{ ...firstTable!, totals: firstTable!.totals ^ 1 }, ...tables] }],
  ]
  facts.files.forEach((file, i) => {
    const files = (value: object) => ({ ...facts, files: change(facts.files, i, value) })
    if (!file.isTrashed) {
      list.push([`name of ${file.name}`, files({ name: 'other.png' })])
      list.push([`folder of ${file.name}`, files({ folder: (file.folder + 1) % 4 })])
    }
    list.push([
      `a copy of ${file.name}`,
      { ...facts, files: [...facts.files, { ...file, isTrashed: false, name: 'copy.png' }] },
    ])
  })
  facts.mails.forEach((mail, i) => {
    list.push([`box of mail ${i}`, { ...facts, mails: change(facts.mails, i, { box: (mail.box + 1) % 3 }) }])
    list.push([`star of mail ${i}`, { ...facts, mails: change(facts.mails, i, { isStarred: !mail.isStarred }) }])
    list.push([`attachment of mail ${i}`, { ...facts, mails: change(facts.mails, i, { attached: mail.attached + 1 }) }])
  })
  facts.values.forEach((value, i) => {
    list.push([`control ${i}`, { ...facts, values: facts.values.map((v, j) => (i === j ? value + 1 : v)) }])
  })
  return list
}

describe('the verdict', () => {
  it('is lost if any one fact is otherwise, wanted or not', () => {
    for (const game of games) {
      const { state, end } = beforeTheEnd(game)
      expect(wins(state, end), game.id).toBe(true)
      for (const [what, facts] of mutants(state.facts))
        expect(wins(state, end, facts), `${game.id}: ${what}`).toBe(false)
    }
  })

  it('is lost if a wanted fact is missing: at the start, and one command before the last change', () => {
    for (const game of games) {
      const state = startGame(game, { stepLimit: 40 })
      expect(wins(state, 'done')).toBe(false)
      const { state: last, end } = beforeTheEnd(game)
      if (end === 'done' && game.goalPage < 0) expect(wins(last, end, game.start)).toBe(false)
    }
  })

  it('does not mind a deleted file that the goal speaks of, but every other one', () => {
    const game = games.find(({ wish, freeContents }) => wish.template === 'move-file' && freeContents.length === 1)!
    const { state, end } = beforeTheEnd(game)
    const other = state.facts.files.find(({ content, isTrashed }) => !isTrashed && content !== game.freeContents[0])!
    const trashed = { ...state.facts.files.find(({ content }) => content === game.freeContents[0])!, isTrashed: true }
    expect(wins(state, end, { ...state.facts, files: [...state.facts.files, trashed] })).toBe(true)
    expect(wins(state, end, { ...state.facts, files: [...state.facts.files, { ...other, isTrashed: true }] })).toBe(
      false,
    )
  })

  it('asks for evidence before giving up', () => {
    const impossible = games.filter(({ evidence }) => evidence !== null)
    expect(impossible.length).toBeGreaterThan(4)
    for (const game of impossible) {
      expect(wins(startGame(game), 'fail')).toBe(false)
      const { state, end } = beforeTheEnd(game)
      expect(end).toBe('fail')
      expect(wins(state, 'done')).toBe(false)
    }
    for (const game of games) if (!game.evidence) expect(wins(beforeTheEnd(game).state, 'fail')).toBe(false)
  })

  it('is lost when the steps run out, in infeasible tasks too', () => {
    for (const game of games) {
      const state = startGame(game, { stepLimit: 3 })
      for (let i = 0; i < 3; i++) step(state, 'wait')
      expect([state.done, state.won]).toEqual([true, false])
      expect(step(state, 'done').won).toBe(false)
    }
  })
})

describe('players who do not read the task', () => {
  const tasks = Array.from({ length: 200 }, (_, seed) =>
    generateTask({ seed: 70_000 + seed, split: seed % 2 ? 'ood' : 'train' }),
  )

  /** The share of tasks that a player wins. */
  function accuracy(play: (state: DesktopState, index: number) => string): number {
    const won = tasks.filter((game, index) => {
      const state = startGame(game)
      while (!state.done) step(state, play(state, index))
      return state.won
    })
    return won.length / tasks.length
  }

  it('win nothing by stopping, giving up, waiting, typing the instruction or clicking through the dock', () => {
    expect(accuracy(() => 'done')).toBe(0)
    expect(accuracy(() => 'fail')).toBe(0)
    expect(accuracy(() => 'wait')).toBe(0)
    expect(accuracy(({ game, steps }) => (steps < 10 ? `type ${game.instruction}` : 'done'))).toBe(0)
    expect(accuracy(({ steps }) => ['click Files', 'click Mail', 'click Sheet', 'done'][steps % 4]!)).toBe(0)
  })

  it('win almost nothing by clicking at random and then stopping or giving up', () => {
    const clicks = (end: string) =>
      accuracy((state, index) => {
        const random = seededRandom('clicks', index, state.steps)
        return state.steps < 8 ? `click ${pick(random, elementsOf(state)).name}` : end
      })
    expect(clicks('done')).toBeLessThan(0.015)
    // A few random clicks show one section or one row of buttons now and then.
    expect(clicks('fail')).toBeLessThan(0.04)
  })

  it('win almost nothing by any random command', () => {
    expect(
      accuracy((state, index) =>
        pick(seededRandom('any', index, state.steps), [...allCommands(state), 'done', 'fail']),
      ),
    ).toBeLessThan(0.015)
  })
})
