/** What the buttons and dialogs of Editor and Sheet do, and what typing over a selected line or cell does. */
import { EDITOR, SHEET, style, type Line, type Table } from './facts.ts'
import { COLUMNS, HEADERS, cellName } from './elements.ts'
import type { Button } from './layout.ts'
import { withAt, type DesktopState, type Dialog } from './state.ts'
import { sumOf } from './values.ts'

const STYLES: Readonly<Partial<Record<Button, { bit: number; word: string }>>> = {
  bold: { bit: style.bold, word: 'bold' },
  heading: { bit: style.heading, word: 'a heading' },
  centre: { bit: style.centred, word: 'centred' },
}

/** Null if refused, undefined if the button is of another kind. */
export function pressEditorButton(state: DesktopState, button: Button): string | null | undefined {
  const page = state.pages[EDITOR]!
  if (button === 'save') {
    state.facts = { ...state.facts, documents: withAt(state.facts.documents, page, state.documents[page]!) }
    return 'Saved.'
  }
  if (button === 'revert') {
    state.documents = withAt(state.documents, page, state.game.start.documents[page]!)
    return 'Back to the first version. Not saved.'
  }
  const chosen = STYLES[button]
  if (!chosen) return undefined
  const index = state.items[EDITOR]!
  const line = state.documents[page]![index]
  if (!line) return null
  const bits = line.style ^ chosen.bit
  setLine(state, page, index, { ...line, style: bits })
  return `line ${index + 1} is ${bits & chosen.bit ? '' : 'not '}${chosen.word}. Not saved.`
}

function setLine(state: DesktopState, page: number, index: number, line: Line): void {
  state.documents = withAt(state.documents, page, withAt(state.documents[page]!, index, line))
}

export function typeLine(state: DesktopState, text: string): string | null {
  const page = state.pages[EDITOR]!
  const index = state.items[EDITOR]!
  const line = state.documents[page]![index]
  if (!line || line.text === text) return null
  setLine(state, page, index, { ...line, text })
  return `line ${index + 1}: ${text}. Not saved.`
}

/** Replaces whole words. */
export function replaceWords(lines: readonly Line[], find: string, put: string): Line[] {
  return lines.map((line) => {
    const words = line.text.split(' ')
    if (!words.includes(find)) return line
    return { ...line, text: words.map((word) => (word === find ? put : word)).join(' ') }
  })
}

export function confirmReplace(state: DesktopState, { fields }: Dialog): string | null {
  const page = state.pages[EDITOR]!
  const [find, put] = fields as [string, string]
  if (find === '' || put === '' || find === put) return null
  const before = state.documents[page]!
  const after = replaceWords(before, find, put)
  const changed = after.filter((line, index) => line !== before[index]).length
  if (changed === 0) return null
  state.documents = withAt(state.documents, page, after)
  return `${changed} ${changed === 1 ? 'line' : 'lines'} with ${put}. Not saved.`
}

/** Null if refused, undefined if the button is of another kind. */
export function pressSheetButton(state: DesktopState, button: Button): string | null | undefined {
  const page = state.pages[SHEET]!
  if (button === 'save') {
    state.facts = { ...state.facts, tables: withAt(state.facts.tables, page, state.tables[page]!) }
    return 'Saved.'
  }
  if (button === 'revert') {
    state.tables = withAt(state.tables, page, state.game.start.tables[page]!)
    return 'Back to the first version. Not saved.'
  }
  const column = state.items[SHEET]! - HEADERS
  if (column < 0) return null
  const table = state.tables[page]!
  const header = state.game.desktop.tables[page]!.headers[column]!
  if (button === 'sum') {
    const totals = table.totals ^ (1 << column)
    setTable(state, page, { ...table, totals })
    const isShown = (totals >> column) & 1
    return isShown ? `${header} sum ${sumOf(table.rows, column)}. Not saved.` : `${header} without sum. Not saved.`
  }
  const rows = sorted(table.rows, column, button === 'sort-up')
  if (areSameRows(rows, table.rows)) return null
  setTable(state, page, { ...table, rows })
  return `${rowsText(rows)}. Not saved.`
}

function setTable(state: DesktopState, page: number, table: Table): void {
  state.tables = withAt(state.tables, page, table)
}

/** Numbers before words, numbers by size, words by their letters. */
function compareCells(a: string, b: string): number {
  const isNumberA = /^\d+$/.test(a)
  const isNumberB = /^\d+$/.test(b)
  if (isNumberA !== isNumberB) return isNumberA ? -1 : 1
  if (isNumberA && Number(a) !== Number(b)) return Number(a) - Number(b)
  return a < b ? -1 : a > b ? 1 : 0
}

/** Rows that are equal in the column are ordered by the others, so the result does not depend on the order before. */
export function sorted(
  rows: readonly (readonly string[])[],
  column: number,
  isUp: boolean,
): readonly (readonly string[])[] {
  const columns = [column, ...rows[0]!.keys()]
  const compare = (a: readonly string[], b: readonly string[]) => {
    for (const c of columns) {
      const difference = compareCells(a[c]!, b[c]!)
      if (difference !== 0) return isUp ? difference : -difference
    }
    return 0
  }
  return [...rows].sort(compare)
}

export const areSameRows = (a: readonly (readonly string[])[], b: readonly (readonly string[])[]): boolean =>
  a === b || a.every((row, r) => row === b[r] || row.every((text, c) => text === b[r]![c]))

export const rowsText = (rows: readonly (readonly string[])[]): string =>
  rows.map((row, r) => `${r + 1} ${row.join(' ')}`).join(', ')

/** Cells hold one word. */
export function typeCell(state: DesktopState, text: string): string | null {
  const page = state.pages[SHEET]!
  const item = state.items[SHEET]!
  if (item < 0 || item >= HEADERS || text.includes(' ')) return null
  const table = state.tables[page]!
  const [row, column] = [Math.floor(item / COLUMNS), item % COLUMNS]
  if (table.rows[row]![column] === text) return null
  setTable(state, page, { ...table, rows: withAt(table.rows, row, withAt(table.rows[row]!, column, text)) })
  return `${cellName(item)}: ${text}. Not saved.`
}
