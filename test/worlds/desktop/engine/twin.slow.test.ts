import { describe, expect, it } from 'vitest'
import { APPS, style, type Line } from '../../../../src/worlds/desktop/engine/facts.ts'
import { cellName, elementsOf, HEADERS, pageTitle } from '../../../../src/worlds/desktop/engine/elements.ts'
import { buttonWord, type Button } from '../../../../src/worlds/desktop/engine/layout.ts'
import { startGame, type DesktopState } from '../../../../src/worlds/desktop/engine/state.ts'
import { step } from '../../../../src/worlds/desktop/engine/step.ts'
import { valueText } from '../../../../src/worlds/desktop/engine/values.ts'
import { generateTask } from '../../../../src/worlds/desktop/generator/generate-task.ts'
import { nextCommand } from '../../../../src/worlds/desktop/planning/expert.ts'
import { chance, pick, seededRandom } from '../../../../src/worlds/random.ts'
import { allCommands } from '../random-play.ts'
import { clickable, playTwin, startTwin, type Twin } from './twin.ts'

const GAMES = Number(process.env['DESKTOP_GAMES'] ?? 400)
const STEPS = 50

/** Both engines' states in the same words. */
function digestOf(state: DesktopState): object {
  const { game, facts, front } = state
  const { desktop } = game
  const marks = ({ text, style: bits }: Line) => ({
    text,
    marks: [bits & style.bold && 'bold', bits & style.heading && 'heading', bits & style.centred && 'centred'].filter(
      Boolean,
    ),
  })
  const texts = (documents: typeof state.documents) => documents.map((lines) => lines.map(marks))
  const grids = (tables: typeof state.tables) =>
    tables.map(({ rows, totals }, i) => ({
      rows,
      sums: desktop.tables[i]!.headers.filter((_, column) => (totals >> column) & 1),
    }))
  const item = (app: number): string => {
    const index = state.items[app]!
    if (index < 0) return ''
    if (app === 0) return facts.files[index]!.name
    if (app === 1) return `line ${index + 1}`
    if (app === 3) return desktop.mails[index]!.subject
    return index >= HEADERS ? desktop.tables[state.pages[2]!]!.headers[index - HEADERS]! : cellName(index)
  }
  return {
    app: front < 0 ? '' : APPS[front],
    pages: APPS.map((_, app) => pageTitle(state, app)),
    items: [0, 1, 2, 3].map(item),
    dialog: state.dialog && [...state.dialog.fields],
    folders: facts.folders.filter((folder) => folder !== null),
    files: facts.files
      .map(({ content, name, folder, isTrashed, isMade }) =>
        [content, name, facts.folders[folder], isTrashed, isMade].join(' '),
      )
      .sort(),
    open: [texts(state.documents), grids(state.tables)],
    saved: [texts(facts.documents), grids(facts.tables)],
    mails: facts.mails.map(({ box, isStarred, attached }) => [
      desktop.boxes[box],
      isStarred,
      attached < 0 ? '' : desktop.recentFiles[attached],
    ]),
    sent: facts.sent.map(({ kind, about, to, text }) => `${kind} ${desktop.mails[about]?.subject ?? ''} ${to} ${text}`),
    values: desktop.controls.map((control, i) => valueText({ ...control, disabled: '' }, facts.values[i]!)),
    bookmarks: facts.bookmarks.map((folder) => desktop.bookmarkFolders[folder] ?? ''),
    names: elementsOf(state)
      .filter(({ effect }) => effect.kind !== 'none')
      .map(({ name }) => name)
      .sort(),
  }
}

function twinDigest(t: Twin): object {
  const { desktop } = t.game
  const inOrder = (marks: readonly string[]) => ['bold', 'heading', 'centred'].filter((mark) => marks.includes(mark))
  const texts = (all: Twin['open']['texts']) =>
    desktop.documents.map((name) => all[name]!.map(({ text, marks }) => ({ text, marks: inOrder(marks) })))
  const grids = (all: Twin['open']['grids']) =>
    desktop.tables.map(({ name, headers }) => ({
      rows: all[name]!.rows,
      sums: headers.filter((header) => all[name]!.sums.includes(header)),
    }))
  const nameOf = (chosen: Twin['chosen'][string]) => (typeof chosen === 'string' ? chosen : chosen.name)
  return {
    app: t.app,
    pages: APPS.map((app) => t.page[app]),
    items: ['Files', 'Editor', 'Sheet', 'Mail'].map((app) => nameOf(t.chosen[app]!)),
    dialog: t.dialog && t.dialog.fields.map(([, text]) => text),
    folders: t.folders,
    files: t.files
      .map(({ content, name, folder, trashed, made }) => [content, name, folder, trashed, made].join(' '))
      .sort(),
    open: [texts(t.open.texts), grids(t.open.grids)],
    saved: [texts(t.saved.texts), grids(t.saved.grids)],
    mails: desktop.mails.map(({ subject }) => [t.box[subject], t.stars.includes(subject), t.attached[subject] ?? '']),
    sent: t.sent,
    values: desktop.controls.map(({ name }) => t.values[name]),
    bookmarks: desktop.site.map(({ name }) => t.marks[name] ?? ''),
    // A level's label can be named and does nothing.
    names: [...clickable(t).keys()]
      .filter((name) => !desktop.controls.some((c) => c.kind === 'level' && c.name === name))
      .sort(),
  }
}

describe('the desktop engine', () => {
  it('agrees with a second engine, written as rules over names, on random play', { timeout: 600_000 }, () => {
    let accepted = 0
    for (let seed = 0; seed < GAMES; seed++) {
      const game = generateTask({ seed, split: seed % 2 === 0 ? 'train' : 'ood' })
      const random = seededRandom('twins', seed, process.env['TEST_SEED'] ?? '')
      const state = startGame(game, { stepLimit: STEPS + 1 })
      const twin = startTwin(game, (button) => buttonWord(game.layout, button as Button))
      const played: string[] = []
      for (let i = 0; i < STEPS; i++) {
        const advice = chance(random, 0.3) ? nextCommand(state) : null
        const command =
          advice === null || advice === 'done' || advice === 'fail' ? pick(random, allCommands(state)) : advice
        played.push(command)
        const ours = step(state, command).accepted
        expect(playTwin(twin, command), `${game.id}: ${played.join(' / ')}`).toBe(ours)
        expect(twinDigest(twin), `${game.id}: ${played.join(' / ')}`).toEqual(digestOf(state))
        if (ours) accepted++
      }
    }
    expect(accepted).toBeGreaterThan(GAMES * STEPS * 0.4)
  })
})
