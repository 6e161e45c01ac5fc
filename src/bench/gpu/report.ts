/** The Markdown report of a graphics adapter, from its records. */
import type { ProgramTime } from '../../language-model/backends/webgpu/time-programs.ts'
import { significant } from '../table.ts'
import {
  ALL_PRODUCTS,
  CEILING_UNITS,
  DEFAULT,
  type AdapterRecord,
  type CeilingRecord,
  type CheckRecord,
  type GpuRecord,
  type LeftOutRecord,
  type ProgramsRecord,
  type SpeedRecord,
  type TileRecord,
  type TuningRecord,
} from './records.ts'

export interface ReportFacts {
  /** The command that measured. */
  command: string
  /** "Node 20.20, linux-x64, 16 cores". */
  machine: string
  elapsedMs: number
  /** Why the measurement ended early; null if it did not. */
  interruption: string | null
  /** The adapter's peak in GFLOP/s and its bandwidth in GB/s, if given instead of measured. */
  given: { gflops?: number | undefined; gigabytesPerSecond?: number | undefined }
}

export function gpuReport(records: readonly GpuRecord[], facts: ReportFacts): string {
  const adapter = ofKind<AdapterRecord>(records, 'adapter')[0]
  const ceilings = new Map(ofKind<CeilingRecord>(records, 'ceiling').map((record) => [record.name, record]))
  const arithmetic = [ceilings.get('multiply-add'), ceilings.get('product')].filter((record) => record !== undefined)
  const peak = facts.given.gflops ?? (arithmetic.length > 0 ? Math.max(...arithmetic.map(({ value }) => value)) : null)
  const bandwidth = facts.given.gigabytesPerSecond ?? ceilings.get('copy')?.value ?? null
  const speeds = ofKind<SpeedRecord>(records, 'speed')
  return [
    `# ${adapter?.name ?? 'No graphics adapter'}`,
    `Measured by \`${facts.command}\` in ${minutes(facts.elapsedMs)}, with random weights except for 0.35 M. ${facts.machine}.`,
    interruptionText(records, facts.interruption),
    adapter ? detailsText(adapter.details) : null,
    checksText(ofKind<CheckRecord>(records, 'check')),
    ceilingsText([...ceilings.values()], facts.given),
    speedsText('Models on the adapter', speeds, 'webgpu', peak, bandwidth),
    speedsText('The same on one thread of the CPU', speeds, 'cpu', null, null),
    programsText(ofKind<ProgramsRecord>(records, 'programs')),
    tilesText(ofKind<TileRecord>(records, 'tile'), ofKind<TuningRecord>(records, 'tuning')[0]),
    leftOutText(ofKind<LeftOutRecord>(records, 'left out')),
  ]
    .filter((part) => part !== null)
    .join('\n\n')
    .concat('\n')
}

/** "gpu-nvidia-h200.md" for "NVIDIA H200"; with a place, "gpu-nvidia-h200-in-chromium.md". */
export function reportName(records: readonly GpuRecord[], place = ''): string {
  const name = ofKind<AdapterRecord>(records, 'adapter')[0]?.name ?? 'no adapter'
  const slug = `${name} ${place}`
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
  return `gpu-${slug}.md`
}

/** Checks beyond their tolerance. */
export function failedChecks(records: readonly GpuRecord[]): CheckRecord[] {
  return ofKind<CheckRecord>(records, 'check').filter(isFailed)
}

// A NaN fails too.
const isFailed = ({ difference, tolerance }: CheckRecord) => !(difference <= tolerance)

function ofKind<Kind extends GpuRecord>(records: readonly GpuRecord[], kind: Kind['kind']): Kind[] {
  return records.filter((record): record is Kind => record.kind === kind)
}

function interruptionText(records: readonly GpuRecord[], interruption: string | null): string | null {
  if (interruption === null) return null
  const part = records.findLast((record) => record.kind === 'part')
  return `**Incomplete.** ${interruption}${part ? ` It was measuring ${part.name}.` : ''} Everything later is missing.`
}

/** Browsers hide some details. */
function detailsText(details: AdapterRecord['details']): string {
  const known = Object.entries(details).filter(([, value]) => value !== '')
  return bullets(known.map(([name, value]) => `${name}: ${value}`))
}

/** Programs that a report lists; the others are one line. */
const LISTED_PROGRAMS = 8

const together = (program: string, times: readonly ProgramTime[]): ProgramTime => ({
  program,
  ms: times.reduce((sum, { ms }) => sum + ms, 0),
  dispatches: times.reduce((sum, { dispatches }) => sum + dispatches, 0),
})

function programsText(records: readonly ProgramsRecord[]): string | null {
  if (records.length === 0) return null
  const tables = records.map(({ model, work, sizes, times }) => {
    const { ms, dispatches } = together('all', times)
    const others = times.slice(LISTED_PROGRAMS)
    const rest =
      others.length > 0 ? [together(others.length === 1 ? '1 other' : `${others.length} others`, others)] : []
    const rows = [...times.slice(0, LISTED_PROGRAMS), ...rest]
    return [
      `${model}, ${work}, ${sizes}: ${significant(ms)} ms in ${dispatches.toLocaleString('en-GB')} runs of programs.`,
      table(
        ['program', 'runs', 'ms', 'share'],
        rows.map((each) => [
          each.program,
          each.dispatches.toLocaleString('en-GB'),
          significant(each.ms),
          `${significant((100 * each.ms) / ms)} %`,
        ]),
      ),
    ].join('\n\n')
  })
  return [
    '## Where the device’s time goes',
    'By the device’s own clock, each program in a pass of its own; with many in a pass, the same work takes less.',
    ...tables,
  ].join('\n\n')
}

function checksText(checks: readonly CheckRecord[]): string | null {
  if (checks.length === 0) return null
  const failed = checks.filter(isFailed)
  const programs = new Set(checks.flatMap((check) => check.programs))
  const largest = Math.max(...checks.map(({ difference }) => difference))
  const verdict =
    failed.length === 0
      ? `All ${checks.length} results agree with the CPU's; the largest relative difference is ${largest.toExponential(1)}.`
      : `**${failed.length} of ${checks.length} results differ from the CPU's:**\n\n${bullets(
          failed.map(
            ({ name, difference, tolerance, programs: ran }) =>
              `${name}: relative difference ${difference.toExponential(1)}, over ${tolerance}${ran.length > 0 ? ` (${ran.join('; ')})` : ''}`,
          ),
        )}`
  return `## Kernels and a training step\n\n${verdict} ${programs.size} programs ran.`
}

const CEILING_NAMES: Record<CeilingRecord['name'], string> = {
  copy: 'copying',
  dispatch: 'starting a program',
  'multiply-add': 'multiplying and adding',
  product: 'matrix product',
}

function ceilingsText(ceilings: readonly CeilingRecord[], given: ReportFacts['given']): string | null {
  const rows = ceilings.map(({ name, value, note }) => [
    CEILING_NAMES[name],
    `${significant(value)} ${CEILING_UNITS[name]}`,
    note,
  ])
  if (given.gflops !== undefined) rows.push(['peak', `${significant(given.gflops)} GFLOP/s`, 'given, used for shares'])
  if (given.gigabytesPerSecond !== undefined)
    rows.push(['bandwidth', `${significant(given.gigabytesPerSecond)} GB/s`, 'given, used for shares'])
  return rows.length === 0 ? null : `## What the adapter can do\n\n${table(['', 'speed', ''], rows)}`
}

function speedsText(
  title: string,
  speeds: readonly SpeedRecord[],
  device: SpeedRecord['device'],
  peak: number | null,
  bandwidth: number | null,
): string | null {
  const rows = speeds
    .filter((speed) => speed.device === device)
    .map(({ model, work, sizes, ms, tokens, operations, bytes, isWarm }) => {
      const gflops = operations === undefined ? null : operations / ms / 1e6
      const gigabytes = bytes === undefined ? null : bytes / ms / 1e6
      return [
        model,
        work,
        `${sizes}${cold(isWarm)}`,
        duration(ms),
        significant((tokens / ms) * 1000),
        gflops === null ? '' : significant(gflops),
        share(gflops, peak),
        gigabytes === null ? '' : significant(gigabytes),
        share(gigabytes, bandwidth),
      ]
    })
  if (rows.length === 0) return null
  const head = ['model', 'work', 'sizes', 'time', 'tokens/s', 'GFLOP/s', 'of the peak', 'GB/s', 'of the bandwidth']
  return `## ${title}\n\nOperations and bytes count useful work: no padding, no recomputation, weights once a step.\n\n${table(head, rows)}`
}

function tilesText(tiles: readonly TileRecord[], tuning: TuningRecord | undefined): string | null {
  if (tiles.length === 0) return null
  const settings = tuning
    ? `${tuning.isDefault ? 'No other settings were faster than the default' : 'Fastest settings, used above'}: ${Object.entries(
        tuning.settings,
      )
        .map(([name, value]) => `\`${name}\` ${value}`)
        .join(', ')}.\n\n`
    : ''
  // Hundreds of rows otherwise.
  const added = new Set(tiles.filter(({ product }) => product === ALL_PRODUCTS).map(({ candidate }) => candidate))
  const shown = tiles.filter(
    ({ product, candidate }) => product === ALL_PRODUCTS || candidate === DEFAULT || !added.has(candidate),
  )
  const rows = shown.map(({ product, candidate, gflops, isWarm }) => [
    product,
    `${candidate}${cold(isWarm)}`,
    significant(gflops),
  ])
  const note = added.size > 0 ? 'Each product with the default settings, and all of them with each candidate.\n\n' : ''
  return `## Settings of the matrix product\n\n${settings}${note}${table(['product', 'candidate', 'GFLOP/s'], rows)}`
}

function leftOutText(leftOut: readonly LeftOutRecord[]): string | null {
  if (leftOut.length === 0) return null
  return `## Left out\n\n${bullets(leftOut.map(({ what, why }) => `${what}: ${why}`))}`
}

const share = (value: number | null, of: number | null) =>
  value === null || of === null || of === 0 ? '' : `${significant(Number(((100 * value) / of).toPrecision(2)))} %`

const cold = (isWarm: boolean) => (isWarm ? '' : ' (one call, which also compiled)')

const duration = (ms: number) => (ms < 1000 ? `${ms.toPrecision(3)} ms` : `${(ms / 1000).toPrecision(3)} s`)

const minutes = (ms: number) =>
  ms < 60_000 ? `${Math.round(ms / 1000)} seconds` : `${(ms / 60_000).toFixed(1)} minutes`

const bullets = (lines: readonly string[]) => lines.map((line) => `- ${line}`).join('\n')

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}
