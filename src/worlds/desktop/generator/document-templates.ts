/** Tasks of Editor and Sheet. */
import { integer, pick, type Random } from '../../random.ts'
import { EDITOR, SHEET, style, type Facts, type Line, type Table } from '../engine/facts.ts'
import { cellName, COLUMNS } from '../engine/elements.ts'
import { areSameRows, replaceWords, sorted } from '../engine/document-acts.ts'
import { withAt } from '../engine/state.ts'
import { defineTemplate, indexIn, type Place, type Template } from './template.ts'
import { ADJECTIVES, THINGS } from './words.ts'

const withDocument = (facts: Facts, index: number, lines: readonly Line[]): Facts => ({
  ...facts,
  documents: withAt(facts.documents, index, lines),
})
const withTable = (facts: Facts, index: number, table: Table): Facts => ({
  ...facts,
  tables: withAt(facts.tables, index, table),
})
const anyOf = (random: Random, list: readonly unknown[]): number => integer(random, 0, list.length - 1)
const isWord = (text: string): boolean => ([...ADJECTIVES, ...THINGS] as string[]).includes(text)

const replaceWord = defineTemplate<{ document: number; find: string; put: string }>({
  name: 'replace-word',
  domain: 'editor',
  draw({ facts }, random) {
    const document = anyOf(random, facts.documents)
    const find = pick(
      random,
      facts.documents[document]!.flatMap(({ text }) => text.split(' ')),
    )
    const isAdjective = (ADJECTIVES as readonly string[]).includes(find)
    return { document, find, put: pick<string>(random, isAdjective ? ADJECTIVES : THINGS) }
  },
  request({ desktop, facts }, { document, find, put }) {
    const lines = facts.documents[document]!
    // A word that is there already would fit two sentences.
    if (lines.some(({ text }) => text.split(' ').includes(put))) return null
    return {
      sentence: `replace ${find} by ${put} in ${desktop.documents[document]!} and save.`,
      object: find,
      target: put,
      goal: withDocument(facts, document, replaceWords(lines, find, put)),
    }
  },
  settable: { word: (_, parameters, put) => (isWord(put) ? { ...parameters, put } : null) },
})

const STYLES = { bold: style.bold, heading: style.heading, centred: style.centred } as const
type StyleName = keyof typeof STYLES

const styleLine = defineTemplate<{ document: number; line: number; style: StyleName }>({
  name: 'style-line',
  domain: 'editor',
  draw({ facts }, random) {
    const document = anyOf(random, facts.documents)
    const chosen = pick(random, Object.keys(STYLES) as StyleName[])
    return { document, line: anyOf(random, facts.documents[document]!), style: chosen }
  },
  request({ desktop, facts }, { document, line: at, style: chosen }) {
    const lines = facts.documents[document]!
    const line = lines[at]!
    const bit = STYLES[chosen]
    if (line.style & bit) return null
    const said = chosen === 'heading' ? 'a heading' : chosen
    return {
      sentence: `make line ${at + 1} of ${desktop.documents[document]!} ${said} and save.`,
      object: `line ${at + 1}`,
      target: `${desktop.documents[document]!} ${chosen}`,
      goal: withDocument(facts, document, withAt(lines, at, { ...line, style: line.style | bit })),
    }
  },
  settable: {
    style: (_, parameters, value) => (value in STYLES ? { ...parameters, style: value as StyleName } : null),
  },
})

const changeLine = defineTemplate<{ document: number; line: number; text: string }>({
  name: 'change-line',
  domain: 'editor',
  draw({ facts }, random) {
    const document = anyOf(random, facts.documents)
    const line = anyOf(random, facts.documents[document]!)
    return { document, line, text: `${pick(random, ADJECTIVES)} ${pick(random, THINGS)}` }
  },
  request({ desktop, facts }, { document, line: at, text }) {
    const lines = facts.documents[document]!
    if (lines.some((line) => line.text === text)) return null
    return {
      sentence: `write ${text} into line ${at + 1} of ${desktop.documents[document]!} and save.`,
      object: `line ${at + 1}`,
      target: text,
      goal: withDocument(facts, document, withAt(lines, at, { ...lines[at]!, text })),
    }
  },
  settable: {
    text: (_, parameters, text) => (text.split(' ').every(isWord) ? { ...parameters, text } : null),
  },
})

const insertPicture = defineTemplate<{ document: number }>({
  name: 'insert-picture-impossible',
  domain: 'editor',
  weight: 0.25,
  draw: ({ facts }, random) => ({ document: anyOf(random, facts.documents) }),
  request: ({ desktop, facts }, { document }) => ({
    sentence: `put a picture into ${desktop.documents[document]!} and save.`,
    object: 'picture',
    target: desktop.documents[document]!,
    goal: facts,
    evidence: [{ app: EDITOR, pages: 0, needsButtons: true }],
  }),
})

interface CellParameters {
  [name: string]: number
  table: number
  cell: number
  value: number
  /** A second cell, or -1. */
  otherCell: number
  otherValue: number
}

const drawCell = (random: Random, { rows }: Table): number =>
  anyOf(random, rows) * COLUMNS + integer(random, 1, rows[0]!.length - 1)

const setCells = defineTemplate<CellParameters>({
  name: 'set-cells',
  domain: 'sheet',
  draw({ facts }, random) {
    const table = anyOf(random, facts.tables)
    const otherCell = integer(random, 0, 1) === 1 ? drawCell(random, facts.tables[table]!) : -1
    const [value, otherValue] = [integer(random, 31, 50), integer(random, 31, 50)]
    return { table, cell: drawCell(random, facts.tables[table]!), value, otherCell, otherValue }
  },
  request({ desktop, facts }, { table, cell, value, otherCell, otherValue }) {
    if (cell === otherCell) return null
    let { rows } = facts.tables[table]!
    const wanted: [number, number][] = [[cell, value]]
    if (otherCell >= 0) wanted.push([otherCell, otherValue])
    for (const [at, number] of wanted) {
      const row = Math.floor(at / COLUMNS)
      if (rows[row]![at % COLUMNS] === String(number)) return null
      rows = withAt(rows, row, withAt(rows[row]!, at % COLUMNS, String(number)))
    }
    const { name } = desktop.tables[table]!
    const asked = wanted.map(([at, number]) => `${cellName(at)} to ${number}`).join(' and ')
    return {
      sentence: `set ${asked} in ${name} and save.`,
      object: cellName(cell),
      target: `${name} ${value}`,
      goal: withTable(facts, table, { ...facts.tables[table]!, rows }),
    }
  },
  settable: {
    value: (_, parameters, value) => (/^\d{1,2}$/.test(value) ? { ...parameters, value: Number(value) } : null),
  },
})

const setColumn = <P extends { table: number; column: number }>({ desktop }: Place, parameters: P, value: string) => {
  const column = indexIn(desktop.tables[parameters.table]!.headers, value)
  return column === null ? null : { ...parameters, column }
}

const sortTable = defineTemplate<{ table: number; column: number; isUp: boolean }>({
  name: 'sort-table',
  domain: 'sheet',
  draw({ desktop, facts }, random) {
    const table = anyOf(random, facts.tables)
    return { table, column: anyOf(random, desktop.tables[table]!.headers), isUp: integer(random, 0, 1) === 1 }
  },
  request({ desktop, facts }, { table, column, isUp }) {
    const { name, headers } = desktop.tables[table]!
    const rows = sorted(facts.tables[table]!.rows, column, isUp)
    if (areSameRows(rows, facts.tables[table]!.rows)) return null
    return {
      sentence: `sort ${name} by ${headers[column]!} from ${isUp ? 'low to high' : 'high to low'} and save.`,
      object: headers[column]!,
      target: `${name} ${isUp ? 'up' : 'down'}`,
      goal: withTable(facts, table, { ...facts.tables[table]!, rows }),
    }
  },
  settable: {
    order: (_, parameters, value) =>
      value === 'up' || value === 'down' ? { ...parameters, isUp: value === 'up' } : null,
    column: setColumn,
  },
})

const showSum = defineTemplate<{ table: number; column: number }>({
  name: 'show-sum',
  domain: 'sheet',
  draw({ desktop, facts }, random) {
    const table = anyOf(random, facts.tables)
    return { table, column: integer(random, 1, desktop.tables[table]!.headers.length - 1) }
  },
  request({ desktop, facts }, { table, column }) {
    const { name, headers } = desktop.tables[table]!
    return {
      sentence: `show the sum of ${headers[column]!} in ${name} and save.`,
      object: headers[column]!,
      target: name,
      goal: withTable(facts, table, { ...facts.tables[table]!, totals: 1 << column }),
    }
  },
  settable: {
    column(place, parameters, value) {
      const set = setColumn(place, parameters, value)
      // The first column has names.
      return set?.column === 0 ? null : set
    },
  },
})

const drawChart = defineTemplate<{ table: number }>({
  name: 'draw-chart-impossible',
  domain: 'sheet',
  weight: 0.25,
  draw: ({ facts }, random) => ({ table: anyOf(random, facts.tables) }),
  request: ({ desktop, facts }, { table }) => ({
    sentence: `draw a chart of ${desktop.tables[table]!.name} and save.`,
    object: 'chart',
    target: desktop.tables[table]!.name,
    goal: facts,
    evidence: [{ app: SHEET, pages: 0, needsButtons: true }],
  }),
})

export const DOCUMENT_TEMPLATES: readonly Template[] = [
  replaceWord,
  styleLine,
  changeLine,
  insertPicture,
  setCells,
  sortTable,
  showSum,
  drawChart,
]
