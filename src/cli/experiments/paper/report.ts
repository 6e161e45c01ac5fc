/** A results file as text for a terminal, and as the section of docs/results.md between its markers. */
import { markdownTable } from '../markdown-table.ts'
import { partEffects, type PartColumn, type PartEffect } from '../../../results/part-effects.ts'
import { hasMark, isClearGain, mapGrids, MARK_WORDS } from '../../../results/map-grids.ts'
import type { MapCell, ResultsFile, TableName } from '../../../results/results-file.ts'
import { summary } from '../../../results/paired-difference.ts'
import { counted, differenceWords, level, levelWithInterval, signed, UNKNOWN } from './words.ts'

function cells({ measures, rows, seeds }: ResultsFile): string[][] {
  return [
    ['', ...measures.map(({ label }) => label)],
    ...rows.map((row) => [
      row.label,
      ...measures.map(({ id, unit }) => {
        const known = summary(row.values[id] ?? [])
        if (known === null) return UNKNOWN
        const note = known.n < seeds.length ? ` (${known.n} of ${counted(seeds.length, 'seed')})` : ''
        return `${levelWithInterval(known, unit)}${note}`
      }),
    ]),
  ]
}

function claimLines({ claims, measures }: ResultsFile): string[] {
  return claims.map(({ claim, verdict, difference, measure }) => {
    const { unit } = measures.find(({ id }) => id === measure)!
    const evidence = difference === null ? '' : `: ${differenceWords(difference, unit)}`
    return `${claim}: ${verdict}${evidence}`
  })
}

export function provenance({
  seeds,
  iterations,
  backends,
  commits,
  date,
}: ResultsFile & { iterations: string }): string {
  return (
    `${counted(seeds.length, 'seed')} (${seeds.join(', ')}), ${iterations} iterations, ` +
    `${backends.join(' and ')}, commit ${commits.join(' and ')}, ${date}`
  )
}

function iterationsOf({ rows }: ResultsFile): string {
  return [...new Set(rows.filter(({ isStart }) => !isStart).map(({ iterations }) => iterations))].join(' or ')
}

/** Columns of one width, then the claims, one on each line. Of a map its cells, because it has a row for each arm. */
export function textReport(results: ResultsFile): string {
  const lines = results.map ? mapLines(results.map) : [...columns(results), '', ...claimLines(results)]
  const from = provenance({ ...results, iterations: iterationsOf(results) })
  return [results.title, from, '', ...lines].join('\n') + '\n'
}

function columns(results: ResultsFile): string[] {
  const table = cells(results)
  const widths = table[0]!.map((_, column) => Math.max(...table.map((row) => row[column]!.length)))
  return table.map((row) =>
    row
      .map((cell, i) => cell.padEnd(widths[i]!))
      .join('  ')
      .trimEnd(),
  )
}

function mapLines(map: readonly MapCell[]): string[] {
  return map.map(({ start, lambda, voteFlips, over, gain, collapsed, pleased, seeds }) => {
    const marks = [
      ...(collapsed > 0 ? [`judge collapsed in ${collapsed} of ${seeds}`] : []),
      ...(pleased > 0 ? [`policy pleased the judge in ${pleased} of ${seeds}`] : []),
    ]
    const found = gain === null ? 'not measured' : differenceWords(gain, 'share')
    return [`${start}, λ = ${lambda}, ε = ${voteFlips}, over ${over}: ${found}`, ...marks].join('; ')
  })
}

/** For each baseline and λ a grid of start policies by ε. */
function mapTables(map: readonly MapCell[]): string[][] {
  return (['grpo', 'frozen-judge'] as const).flatMap((over) =>
    mapGrids(map, over).map(({ lambda, voteFlips, rows }) =>
      markdownTable([
        [`λ = ${lambda}, over ${OVER[over]}`, ...voteFlips.map((flips) => `ε = ${flips}`)],
        ...rows.map(({ start, startAccuracy, cells: places }) => [
          startAccuracy === null ? start : `${start} (${level(startAccuracy, 'share')} at the start)`,
          ...places.map((cell) => (cell === null ? UNKNOWN : cellWords(cell))),
        ]),
      ]),
    ),
  )
}

const OVER = { grpo: 'outcomes alone', 'frozen-judge': 'a frozen judge' } as const

function cellWords(cell: MapCell): string {
  if (cell.gain === null) return UNKNOWN
  const words = differenceWords(cell.gain, 'share')
  const marks = [...(hasMark(cell, 'collapsed') ? ['▼'] : []), ...(hasMark(cell, 'pleased') ? ['●'] : [])]
  return [isClearGain(cell) ? `**${words}**` : words, ...marks].join(' ')
}

const MAP_KEY =
  'Points of held-out accuracy in distribution; bold where the interval excludes zero (by chance alone in 1 cell of 20). Marks that ' +
  `at least half of the seeds have: ${Object.values(MARK_WORDS).join('; ')}.`

/** A section without its markers. */
export function markdownReport(table: TableName, results: ResultsFile | null, about: string): string {
  const command = `npm run experiments -- paper --table ${table}`
  if (results === null) {
    return `${about}\n\nNo results are published for this table. To make them:\n\n\`\`\`\n${command}\n\`\`\`\n`
  }
  const claims = results.claims.map(({ claim, verdict, difference, measure }) => {
    const { unit } = results.measures.find(({ id }) => id === measure)!
    return [claim, `**${verdict}**`, difference === null ? UNKNOWN : differenceWords(difference, unit)]
  })
  const parts = [
    about,
    // A map has a row for each arm, which is too much to read: its cells are the result.
    ...(results.map ? [...mapTables(results.map), MAP_KEY] : [markdownTable(cells(results))]),
    ...(claims.length > 0 ? [markdownTable([['Claim', 'Verdict', 'Difference'], ...claims])] : []),
    `${provenance({ ...results, iterations: iterationsOf(results) })}; ${results.evaluationTasks} held-out tasks a split.`,
    ['```', results.command, '```'],
  ]
  return `${parts.map((part) => (typeof part === 'string' ? part : part.join('\n'))).join('\n\n')}\n`
}

/** What each part adds: a section without its markers. */
export function partsReport(columns: readonly PartColumn[]): string {
  const rows = partEffects(columns).map(({ label, cells }) => [
    label,
    ...cells.map((effects) => effects.map(effectWords).join(' <br> ') || UNKNOWN),
  ])
  return `${markdownTable([['', ...columns.map(({ title }) => title)], ...rows]).join('\n')}\n`
}

function effectWords({ split, mean, low, high, isClear, paper }: PartEffect): string {
  const points = (share: number) => signed(share, 'share')
  const found = `${points(mean)} (${points(low)} to ${points(high)})`
  const beside = paper === null ? '' : `; paper ${points(paper)}`
  return `${split === 'id' ? 'in' : 'out'}: ${isClear ? `**${found}**` : found}${beside}`
}

export type Section = TableName | 'parts' | 'regimes'

/** The page with these sections replaced, each between its markers. Throws Error if a marker is missing. */
export function withSections(page: string, sections: Partial<Record<Section, string>>): string {
  return Object.entries(sections).reduce((text, [name, section]) => {
    const [open, close] = [`<!-- results:${name} -->`, `<!-- /results:${name} -->`]
    const [from, to] = [text.indexOf(open), text.indexOf(close)]
    if (from < 0 || to < from) throw new Error(`docs/results.md has no section ${open} … ${close}.`)
    return `${text.slice(0, from + open.length)}\n\n${section}\n${text.slice(to)}`
  }, page)
}

/** A measure that is the same for all seeds has an interval without width, and its mean over other seeds another last digit. */
const ROUNDING = 1e-9

/** Whether other seeds agree with the published ones: each row's mean against the published interval. */
export function agreement(own: ResultsFile, published: ResultsFile): string[] {
  return own.rows.flatMap((row) =>
    own.measures.flatMap(({ id, label, unit }) => {
      const before = summary(published.rows.find((each) => each.id === row.id)?.values[id] ?? [])
      const now = summary(row.values[id] ?? [])
      if (before === null || now === null || before.low === null || before.high === null) return []
      const isWithin = now.mean >= before.low - ROUNDING && now.mean <= before.high + ROUNDING
      const where = isWithin ? 'within' : 'outside of'
      return [`${row.label}, ${label}: ${levelWithInterval(now, unit)} is ${where} ${levelWithInterval(before, unit)}`]
    }),
  )
}
