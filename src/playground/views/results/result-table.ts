/** A published table as the page shows it: our values with intervals, the paper's beside them, and what its rows can do. */
import { parseSettings } from '../../../method/presets.ts'
import { SettingsError, type Settings, type World } from '../../../method/settings.ts'
import { paperCell } from '../../../results/paper-numbers.ts'
import type { ResultsClaim, ResultsFile, ResultsMeasure, ResultsRow } from '../../../results/results-file.ts'
import { meanInterval } from '../../../results/student-t.ts'
import { decimal, percent, signed, UNKNOWN, whole } from '../../kit/format.ts'

type Unit = ResultsMeasure['unit']

interface ResultCell {
  /** "61.2 ± 3.4 %" */
  text: string
  /** "paper 60.2 %"; null where the paper has no such number. */
  paper: string | null
  /** Seeds without a value, if only some have one: "6 of 8 seeds". */
  note: string | null
}

interface ResultRow {
  row: ResultsRow
  cells: ResultCell[]
}

export function tableRows(results: ResultsFile): ResultRow[] {
  return results.rows.map((row) => ({
    row,
    cells: results.measures.map((measure) => cellOf(results, row, measure)),
  }))
}

function cellOf({ table, seeds }: ResultsFile, row: ResultsRow, { id, unit }: ResultsMeasure): ResultCell {
  const known = (row.values[id] ?? []).filter((value) => value !== null)
  const paper = paperCell(table, row.id, id)
  return {
    text: writeMean(known, unit),
    paper: paper && `paper ${paper.isApproximate ? 'about ' : ''}${writeLevel(paper.value, unit)}`,
    note: known.length > 0 && known.length < seeds.length ? `${known.length} of ${seeds.length} seeds` : null,
  }
}

function writeLevel(value: number, unit: Unit): string {
  if (unit === 'share') return percent(value, 1)
  return unit === 'count' ? whole(value) : decimal(value)
}

/** "61.2 ± 3.4 %"; without an interval for a single seed. */
export function writeMean(values: readonly number[], unit: Unit): string {
  if (values.length === 0) return UNKNOWN
  const interval = meanInterval(values)
  if (interval === null) return writeLevel(values[0]!, unit)
  const { mean, high } = interval
  if (unit === 'share') return `${decimal(100 * mean, 1)} ± ${decimal(100 * (high - mean), 1)} %`
  return `${writeLevel(mean, unit)} ± ${writeLevel(high - mean, unit)}`
}

type Difference = NonNullable<ResultsClaim['difference']>

/** "+4.2 points (+1.1 to +7.3)" */
export function writeDifference({ mean, low, high }: Difference, unit: Unit): string {
  const write = (value: number) => (unit === 'share' ? signed(100 * value, 1) : signed(value, unit === 'count' ? 0 : 2))
  const interval = low === null || high === null ? ', one seed' : ` (${write(low)} to ${write(high)})`
  return `${write(mean)}${unit === 'share' ? ' points' : ''}${interval}`
}

export function writeClaim(results: ResultsFile, { difference, measure }: ResultsClaim): string {
  const unit = results.measures.find(({ id }) => id === measure)?.unit ?? 'number'
  return difference === null ? UNKNOWN : writeDifference(difference, unit)
}

export const SIGNS = { holds: '✓', 'does not hold': '✗', 'not decided': '?', 'not measured': '–' } as const

/** Without claims that were not measured. */
export const COUNTED_VERDICTS = ['holds', 'does not hold', 'not decided'] as const

/** How many claims have each verdict, where any has. */
export function tally(
  claims: readonly ResultsClaim[],
): { verdict: (typeof COUNTED_VERDICTS)[number]; count: number }[] {
  return COUNTED_VERDICTS.map((verdict) => ({
    verdict,
    count: claims.filter((claim) => claim.verdict === verdict).length,
  })).filter(({ count }) => count > 0)
}

/** "8 seeds (0 to 7), 40 iterations, CPU, commit 1a2b3c4, 2026-03-01" */
export function writeProvenance({ seeds, rows, backends, commits, date, evaluationTasks }: ResultsFile): string {
  const runs = [...new Set(rows.filter(({ isStart }) => !isStart).map(({ iterations }) => iterations))]
  return [
    `${seeds.length} ${seeds.length === 1 ? 'seed' : 'seeds'} (${writeSeeds(seeds)})`,
    `${runs.join(' or ')} iterations`,
    `${evaluationTasks} held-out tasks a split`,
    backends.map((backend) => (backend === 'cpu' ? 'CPU' : backend)).join(' and '),
    `commit ${commits.join(' and ')}`,
    date,
  ].join(', ')
}

function writeSeeds(seeds: readonly number[]): string {
  const isRange = seeds.length > 2 && seeds.every((seed, i) => i === 0 || seed === seeds[i - 1]! + 1)
  return isRange ? `${seeds[0]} to ${seeds.at(-1)}` : seeds.join(', ')
}

/**
 * The settings that run an arm here, with the table's first seed. Null if its start policy does not ship with the page, for the
 * values before training, and if this version of the page no longer has its preset or settings.
 */
export function settingsOf({ seeds }: Pick<ResultsFile, 'seeds'>, row: ResultsRow): Settings | null {
  if (row.isStart || row.start !== undefined) return null
  try {
    return parseSettings({ ...row.settings, seed: seeds[0] }, row.preset)
  } catch (error) {
    if (error instanceof SettingsError) return null
    throw error
  }
}

/** The world of a table; null if no arm of it runs here. */
export function worldOf(results: Pick<ResultsFile, 'seeds' | 'rows'>): World | null {
  for (const row of results.rows) {
    const settings = settingsOf(results, row)
    if (settings) return settings.world
  }
  return null
}
