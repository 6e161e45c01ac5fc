/** Writes results files: beside the runs always, and into the project when they are published. */
import { existsSync } from 'node:fs'
import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  MOST_RESULTS_BYTES,
  parseResults,
  parseResultsIndex,
  TABLES,
  type ResultsFile,
  type TableName,
} from '../../../results/results-file.ts'
import { partColumns } from '../../../results/part-effects.ts'
import { FULL } from './budget.ts'
import { withRecordings } from './recordings.ts'
import { markdownReport, partsReport, withSections, type Section } from './report.ts'
import { writeWhole } from '../../../runs/write-whole.ts'
import { planTable } from './tables.ts'

const PUBLISHED = 'public/results'
const DOCS = 'docs/results.md'

/** Checks the file before it is written. Throws Error if it is invalid or too large. */
export async function writeResults(folder: string, results: ResultsFile): Promise<string> {
  const text = `${JSON.stringify(parseResults(results))}\n`
  if (text.length > MOST_RESULTS_BYTES) {
    throw new Error(
      `The table ${results.table} has ${text.length} bytes; the page loads ${MOST_RESULTS_BYTES} at most.`,
    )
  }
  await mkdir(folder, { recursive: true })
  const path = join(folder, `${results.table}.json`)
  await writeWhole(path, text)
  return path
}

/** The published results of a table; null if there are none. Throws ResultsError. */
export async function readPublished(root: string, table: TableName): Promise<ResultsFile | null> {
  const path = join(root, PUBLISHED, `${table}.json`)
  return existsSync(path) ? parseResults(JSON.parse(await readFile(path, 'utf8'))) : null
}

/** Writes the results, the recordings of all tables, the list of tables that have results, and the sections of docs/results.md. */
export async function publish(root: string, all: readonly ResultsFile[]): Promise<void> {
  const folder = join(root, PUBLISHED)
  const before = parseResultsIndex(JSON.parse(await readFile(join(folder, 'index.json'), 'utf8')))
  const tables = TABLES.filter((table) => before.includes(table) || all.some((results) => results.table === table))
  for (const table of tables) {
    const results = all.find((each) => each.table === table) ?? (await readPublished(root, table))
    if (results) await writeResults(folder, await withRecordings(root, results))
  }
  await writeWhole(join(folder, 'index.json'), `${JSON.stringify({ tables })}\n`)
  const docs = join(root, DOCS)
  const published = new Map<TableName, ResultsFile | null>()
  for (const table of TABLES) published.set(table, await readPublished(root, table))
  const sections = sectionsOf((table) => published.get(table) ?? null)
  await writeWhole(docs, withSections(await readFile(docs, 'utf8'), sections))
}

/** The sections of docs/results.md. `published` gives null for a table without results. */
export function sectionsOf(published: (table: TableName) => ResultsFile | null): Record<Section, string> {
  const { worlds, regimes } = partColumns(published)
  const tables = TABLES.map((table) => [
    table,
    markdownReport(table, published(table), planTable(table, FULL, []).about),
  ])
  return Object.fromEntries([['parts', partsReport(worlds)], ['regimes', partsReport(regimes)], ...tables]) as Record<
    Section,
    string
  >
}
