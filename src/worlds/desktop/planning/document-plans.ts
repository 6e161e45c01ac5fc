/**
 * Fewest acts inside Editor and Sheet. Documents are independent: each that is saved otherwise than wanted is shown, edited and saved.
 * Edits are independent too, except that Replace and sorting change many lines or rows at once; Revert bounds the distance by that
 * from the first version, which leaves one Replace or one sort to consider.
 */
import { EDITOR, SHEET, style, type Line, type Table } from '../engine/facts.ts'
import { replaceWords, sorted, areSameRows } from '../engine/document-acts.ts'
import { COLUMNS, HEADERS } from '../engine/elements.ts'
import type { Button } from '../engine/layout.ts'
import { isMenuOpen, type DesktopState } from '../engine/state.ts'
import { areSameLines, areSameTables } from '../engine/verdict.ts'
import { permutations } from './permutations.ts'

/** The cheapest edits of one document, without and with an open More menu. */
interface EditCost {
  plain: number
  withMenu: number
}

const REPLACE_ACTS = 4
const SAVE = 1
const REVERT = 1

/** Whether the menu is opened is decided once for all documents: it stays open. */
function total(costs: readonly EditCost[], isOpen: boolean, needsMenu: boolean): number {
  let plain = needsMenu ? Infinity : 0
  let withMenu = isOpen ? 0 : 1
  for (const cost of costs) {
    plain += cost.plain
    withMenu += cost.withMenu
  }
  return isOpen ? withMenu : Math.min(plain, withMenu)
}

function least(...costs: readonly EditCost[]): EditCost {
  return {
    plain: Math.min(...costs.map(({ plain }) => plain)),
    withMenu: Math.min(...costs.map(({ withMenu }) => withMenu)),
  }
}

/** Acts that use buttons: without the menu there is no way if one of them is nested. */
function costOf(acts: number, buttons: readonly Button[], nested: readonly Button[]): EditCost {
  const needsMenu = buttons.some((button) => nested.includes(button))
  return { plain: needsMenu ? Infinity : acts, withMenu: acts }
}

const plus = ({ plain, withMenu }: EditCost, acts: number): EditCost => ({
  plain: plain + acts,
  withMenu: withMenu + acts,
})

/** `needsMenu`: its More menu has to be opened in any case. */
export function editorDistance(state: DesktopState, needsMenu: boolean): number {
  const { facts, game, documents } = state
  const wanted = game.goal.documents
  if (facts.documents === wanted && !needsMenu) return 0
  const costs: EditCost[] = []
  for (let page = 0; page < wanted.length; page++) {
    const goal = wanted[page]!
    if (facts.documents[page] === goal || areSameLines(facts.documents[page]!, goal)) continue
    const isHere = state.pages[EDITOR] === page
    const selected = isHere ? state.items[EDITOR]! : -1
    const { nested } = game.layout
    const edits = least(
      lineEdits(documents[page]!, goal, selected, nested),
      plus(lineEdits(game.start.documents[page]!, goal, selected, nested), REVERT),
    )
    costs.push(plus(edits, SAVE + (isHere ? 0 : 1)))
  }
  return total(costs, isMenuOpen(state, EDITOR), needsMenu)
}

function lineEdits(now: readonly Line[], goal: readonly Line[], selected: number, nested: readonly Button[]): EditCost {
  if (areSameLines(now, goal)) return { plain: 0, withMenu: 0 }
  let best = singleEdits(now, goal, selected, nested)
  for (const { find, put } of replacements(now, goal)) {
    const after = singleEdits(replaceWords(now, find, put), goal, selected, nested)
    const cost = plus(after, REPLACE_ACTS)
    if (nested.includes('replace')) cost.plain = Infinity
    best = least(best, cost)
  }
  return best
}

const STYLES = [
  [style.bold, 'bold'],
  [style.heading, 'heading'],
  [style.centred, 'centre'],
] as const

function singleEdits(
  now: readonly Line[],
  goal: readonly Line[],
  selected: number,
  nested: readonly Button[],
): EditCost {
  let acts = 0
  const buttons: Button[] = []
  for (let i = 0; i < goal.length; i++) {
    const [a, b] = [now[i]!, goal[i]!]
    if (a === b) continue
    let own = a.text === b.text ? 0 : 1
    for (const [bit, button] of STYLES) {
      if (((a.style ^ b.style) & bit) === 0) continue
      own++
      buttons.push(button)
    }
    if (own > 0) acts += own + (i === selected ? 0 : 1)
  }
  return costOf(acts, buttons, nested)
}

/** Replacements that put some line right: others cannot save an act, because a line is typed in two. */
export function replacements(now: readonly Line[], goal: readonly Line[]): { find: string; put: string }[] {
  const found = new Map<string, { find: string; put: string }>()
  for (let i = 0; i < goal.length; i++) {
    if (now[i]!.text === goal[i]!.text) continue
    const a = now[i]!.text.split(' ')
    const b = goal[i]!.text.split(' ')
    const at = a.findIndex((word, k) => word !== b[k])
    // A word may stand for several, so the rest of the line is what has to fit.
    const find = a[at]
    if (find === undefined) continue
    const count = a.filter((word) => word === find).length
    const extra = b.length - a.length
    if (extra % count !== 0 || extra < 0) continue
    const put = b.slice(at, at + 1 + extra / count).join(' ')
    const [line] = replaceWords([now[i]!], find, put)
    if (line!.text === goal[i]!.text) found.set(`${find}|${put}`, { find, put })
  }
  return [...found.values()]
}

/** `needsMenu`: its More menu has to be opened in any case. */
export function sheetDistance(state: DesktopState, needsMenu: boolean): number {
  const { facts, game, tables } = state
  const wanted = game.goal.tables
  if (facts.tables === wanted && !needsMenu) return 0
  const costs: EditCost[] = []
  for (let page = 0; page < wanted.length; page++) {
    const goal = wanted[page]!
    if (facts.tables[page] === goal || areSameTables(facts.tables[page]!, goal)) continue
    const isHere = state.pages[SHEET] === page
    const selected = isHere ? state.items[SHEET]! : -1
    const { nested } = game.layout
    const edits = least(
      tableEdits(tables[page]!, goal, selected, nested),
      plus(tableEdits(game.start.tables[page]!, goal, selected, nested), REVERT),
    )
    costs.push(plus(edits, SAVE + (isHere ? 0 : 1)))
  }
  return total(costs, isMenuOpen(state, SHEET), needsMenu)
}

const SORTS: readonly Button[] = ['sort-up', 'sort-down']

function tableEdits(now: Table, goal: Table, selected: number, nested: readonly Button[]): EditCost {
  const columns = goal.rows[0]!.length
  const sums: number[] = []
  for (let column = 0; column < columns; column++) if (((now.totals ^ goal.totals) >> column) & 1) sums.push(column)
  // Sums need their header selected, cells the cell; a sort shares its header with the sum of its column.
  const sumActs = (free: number) => sums.reduce((acts, column) => acts + (column === free ? 1 : 2), 0)
  const sumButtons: Button[] = sums.length > 0 ? ['sum'] : []
  const direct = cellEdits(now.rows, goal.rows, selected) + sumActs(selected - HEADERS)
  let best = costOf(direct, sumButtons, nested)
  if (areSameRows(now.rows, goal.rows)) return best
  for (let column = 0; column < columns; column++) {
    for (const button of SORTS) {
      const buttons = [...sumButtons, button]
      const isUp = button === 'sort-up'
      const header = selected === HEADERS + column ? 0 : 1
      // If this header is not selected yet, a sum of the one that is comes first and keeps its saving.
      const sumsDone = sumActs(column) - (header === 1 && sums.includes(selected - HEADERS) ? 1 : 0)
      const sortFirst = header + 1 + sumsDone + cellEdits(sorted(now.rows, column, isUp), goal.rows, -1)
      best = least(best, costOf(sortFirst, buttons, nested))
      if (!areSameRows(sorted(goal.rows, column, isUp), goal.rows)) continue
      for (const order of permutations(goal.rows.length)) {
        const aim = order.map((row) => goal.rows[row]!)
        const cells = cellEdits(now.rows, aim, selected)
        // Which comes first, cells or sort, is free; a selected header is used before it is lost.
        const sortLast = cells + sumsDone + 1 + (cells > 0 ? 1 : header)
        best = least(best, costOf(sortLast, buttons, nested))
      }
    }
  }
  return best
}

function cellEdits(
  now: readonly (readonly string[])[],
  goal: readonly (readonly string[])[],
  selected: number,
): number {
  let acts = 0
  for (let r = 0; r < goal.length; r++) {
    if (now[r] === goal[r]) continue
    for (let c = 0; c < goal[r]!.length; c++) {
      if (now[r]![c] !== goal[r]![c]) acts += r * COLUMNS + c === selected ? 1 : 2
    }
  }
  return acts
}
