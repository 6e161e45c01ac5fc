/** The results that are committed: every file is valid, listed, small, and as docs/results.md states it. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { FULL } from '../../src/cli/experiments/paper/budget.ts'
import { sectionsOf } from '../../src/cli/experiments/paper/publish-results.ts'
import { withSections } from '../../src/cli/experiments/paper/report.ts'
import { planTable } from '../../src/cli/experiments/paper/tables.ts'
import { PAPER } from '../../src/results/paper-numbers.ts'
import { MOST_RESULTS_BYTES, parseResults, parseResultsIndex, type TableName } from '../../src/results/results-file.ts'

const ROOT = join(import.meta.dirname, '../..')
const FOLDER = join(ROOT, 'public/results')
const tables = parseResultsIndex(JSON.parse(readFileSync(join(FOLDER, 'index.json'), 'utf8')))
const published = (table: TableName) =>
  tables.includes(table) ? parseResults(JSON.parse(readFileSync(join(FOLDER, `${table}.json`), 'utf8'))) : null

describe('the published results', () => {
  it('are listed, and nothing else is there', () => {
    expect(readdirSync(FOLDER).sort()).toEqual(['index.json', ...tables.map((table) => `${table}.json`)].sort())
  })

  it('are small, and their recordings exist', () => {
    for (const table of tables) {
      expect(statSync(join(FOLDER, `${table}.json`)).size, table).toBeLessThan(MOST_RESULTS_BYTES)
      for (const { recording } of published(table)!.rows)
        if (recording !== undefined)
          expect(existsSync(join(ROOT, `public/runs/${recording}.jsonl.gz`)), recording).toBe(true)
    }
  })

  it('are what the documentation states', () => {
    const page = readFileSync(join(ROOT, 'docs/results.md'), 'utf8')
    for (const [name, section] of Object.entries(sectionsOf(published)))
      expect(withSections(page, { [name]: section }), name).toBe(page)
  })

  it('draw every curve over all seeds of their table', () => {
    for (const table of tables) {
      const { curves = [], seeds } = published(table)!
      for (const { row, points } of curves)
        expect(new Set(points.map(({ n }) => n)), `${table}, ${row}`).toEqual(new Set([seeds.length]))
    }
  })

  it("have the rows and measures of the paper's numbers", () => {
    for (const [table, { cells }] of Object.entries(PAPER)) {
      const { rows, measures } = planTable(table as TableName, FULL, [])
      for (const cell of cells) {
        expect(
          rows.map(({ id }) => id),
          table,
        ).toContain(cell.row)
        expect(
          measures.map(({ id }) => id),
          table,
        ).toContain(cell.measure)
      }
    }
  })
})
