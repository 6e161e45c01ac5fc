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
import { parseSettings } from '../../../method/presets.ts'
import { FULL } from './budget.ts'
import { asksJudge } from './jobs.ts'
import type { ArmPlan, TablePlan } from './plan.ts'
import { markdownReport, withSections } from './report.ts'
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

/** Writes the results, the list of tables that have results, and the sections of docs/results.md. */
export async function publish(root: string, all: readonly ResultsFile[]): Promise<void> {
  const folder = join(root, PUBLISHED)
  for (const results of all) await writeResults(folder, results)
  const before = parseResultsIndex(JSON.parse(await readFile(join(folder, 'index.json'), 'utf8')))
  const tables = TABLES.filter((table) => before.includes(table) || all.some((results) => results.table === table))
  await writeWhole(join(folder, 'index.json'), `${JSON.stringify({ tables })}\n`)
  const docs = join(root, DOCS)
  const sections: Partial<Record<TableName, string>> = {}
  for (const table of TABLES) {
    const { about } = planTable(table, FULL, [])
    sections[table] = markdownReport(table, await readPublished(root, table), about)
  }
  await writeWhole(docs, withSections(await readFile(docs, 'utf8'), sections))
}

/**
 * "household-full-lambda-0.5": the name under which a recorded run of an arm ships with the page. Arms with another judge at the start
 * have another run.
 */
export function recordingName(
  { preset, settings, start }: Pick<ArmPlan, 'preset' | 'settings' | 'start'>,
  startsEarly = false,
): string {
  const changed = Object.entries(settings).map(([name, value]) => `${name}-${String(value)}`)
  const isEarly = startsEarly && asksJudge(parseSettings(settings, preset))
  return [...preset.split('+'), ...changed, start ?? [], isEarly ? 'early-judge' : []].flat().join('-')
}

/** Names of the recordings that exist, by row. */
export function recordingsOf(root: string, { rows, arms, startsEarly }: TablePlan): Record<string, string> {
  return Object.fromEntries(
    rows.flatMap(({ id, arm, isStart }): [string, string][] => {
      const plan = arms.find((each) => each.id === arm)
      if (plan === undefined || isStart === true) return []
      const name = recordingName(plan, startsEarly)
      return existsSync(join(root, `public/runs/${name}.jsonl.gz`)) ? [[id, name]] : []
    }),
  )
}
