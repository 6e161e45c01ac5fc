/**
 * A run as a zip: all that is needed to show and resume it, and the same as rows for other tools.
 *
 *     config.json           preset, settings, changes, models; format and version; aliases of our metrics
 *     run.jsonl             the log (run-log.ts); import reads this, and from the other files what the log lacks
 *     metrics.jsonl         a row for each iteration, also under the names of verl, TRL and W&B (metric-aliases.ts)
 *     episodes.jsonl        a row for each episode (readable-rows.ts)
 *     tasks.jsonl           a row for each task
 *     policy.safetensors    the last checkpoint with the optimiser's state; likewise reward.safetensors
 *
 * Export and import stream the log in parts, without holding it in memory.
 */
import {
  BlobReader,
  BlobWriter,
  TextReader,
  Uint8ArrayReader,
  Uint8ArrayWriter,
  ZipReader,
  ZipWriter,
  type FileEntry,
} from '@zip.js/zip.js/lib/zip-core-custom.js'
import type { LoggedEvent } from '../method/events.ts'
import { eventParts } from './event-parts.ts'
import { METRIC_ALIASES, withAliases } from './metric-aliases.ts'
import type { MetricRow } from './metric-rows.ts'
import { EpisodeRows, TaskRows } from './readable-rows.ts'
import { eventLine, headerLine } from './run-log.ts'
import type { RunCheckpoint, RunSummary } from './run-store.ts'
import { textLines } from './text-lines.ts'

export const RUN_ARCHIVE_FORMAT = 'rlanything-run-archive'
export const RUN_ARCHIVE_VERSION = 1

/** The zip contains no run, or an incomplete one. */
export class RunArchiveError extends Error {
  override readonly name = 'RunArchiveError'
}

export interface ArchiveSource {
  summary: RunSummary
  rows: readonly MetricRow[]
  /** Reads the log from its beginning at each call. */
  readEvents(): AsyncIterable<readonly LoggedEvent[]>
  /** Null if none is kept. */
  checkpoint: RunCheckpoint | null
}

const OPTIONS = { useWebWorkers: false } as const

export async function writeRunArchive(source: ArchiveSource): Promise<Blob> {
  const { summary, rows, checkpoint } = source
  const zip = new ZipWriter(new BlobWriter('application/zip'), { ...OPTIONS, extendedTimestamp: false })
  await zip.add('config.json', new TextReader(`${JSON.stringify(configOf(summary, checkpoint), null, 2)}\n`))
  const tasks = new TaskRows()
  await zip.add('run.jsonl', textStream(logLines(source, tasks)))
  await zip.add('metrics.jsonl', textStream(metricLines(rows)))
  await zip.add('episodes.jsonl', textStream(episodeLines(source)))
  await zip.add('tasks.jsonl', textStream(lines(tasks.rows())))
  if (checkpoint) {
    // Floating-point numbers hardly compress.
    await zip.add('policy.safetensors', new Uint8ArrayReader(checkpoint.policy), { level: 0 })
    await zip.add('reward.safetensors', new Uint8ArrayReader(checkpoint.reward), { level: 0 })
  }
  return zip.close()
}

function configOf(summary: RunSummary, checkpoint: RunCheckpoint | null): object {
  const { runId, preset, settings, changes, iterations, finishedIterations, backend, models, createdAt } = summary
  return {
    format: RUN_ARCHIVE_FORMAT,
    version: RUN_ARCHIVE_VERSION,
    ...{ runId, preset, settings, changes, iterations, finishedIterations, backend, models, createdAt },
    checkpoint: checkpoint && { iteration: checkpoint.iteration, eventCount: checkpoint.eventCount },
    metric_aliases: METRIC_ALIASES,
  }
}

async function* logLines({ readEvents }: ArchiveSource, tasks: TaskRows): AsyncGenerator<string> {
  yield headerLine()
  for await (const events of readEvents()) {
    for (const event of events) tasks.take(event)
    yield events.map(eventLine).join('')
  }
}

async function* episodeLines({ readEvents }: ArchiveSource): AsyncGenerator<string> {
  const episodes = new EpisodeRows()
  for await (const events of readEvents()) {
    const rows = events.flatMap((event) => episodes.take(event))
    if (rows.length > 0) yield rows.map(jsonLine).join('')
  }
  yield episodes.rest().map(jsonLine).join('')
}

async function* metricLines(rows: readonly MetricRow[]): AsyncGenerator<string> {
  let seconds = 0
  for (const { iteration, values, isFinished } of rows) {
    if (!isFinished) continue
    seconds += values['timing_s/step'] ?? 0
    yield jsonLine({ step: iteration, time: seconds, _step: iteration, _runtime: seconds, ...withAliases(values) })
  }
}

async function* lines(rows: readonly object[]): AsyncGenerator<string> {
  for (const row of rows) yield jsonLine(row)
}

function jsonLine(row: object): string {
  return `${JSON.stringify(row)}\n`
}

function textStream(parts: AsyncGenerator<string>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  return new ReadableStream({
    async pull(controller) {
      const next = await parts.next()
      if (next.done) controller.close()
      else controller.enqueue(encoder.encode(next.value))
    },
  })
}

export interface ReadArchive {
  /** What config.json says about the run. */
  config: Pick<RunSummary, 'runId' | 'iterations' | 'createdAt'> & {
    models?: RunSummary['models']
    /** Missing in an archive that somebody edited. */
    finishedIterations?: number
  }
  /** The log, in parts. Throws RunLogError. */
  events(): AsyncGenerator<LoggedEvent[], void>
  checkpoint: Omit<RunCheckpoint, 'runId'> | null
  /** `timing_s/*` and `perf/*` by iteration: the only numbers that the log lacks. */
  timings: Map<number, Record<string, number>>
}

/** Throws RunArchiveError. */
export async function readRunArchive(file: Blob): Promise<ReadArchive> {
  const entries = new Map<string, FileEntry>()
  try {
    for (const entry of await new ZipReader(new BlobReader(file), { ...OPTIONS, checkCrc32: true }).getEntries())
      if (!entry.directory) entries.set(entry.filename, entry)
  } catch (cause) {
    throw new RunArchiveError('This is not a zip archive, or it is incomplete. Export the run again.', { cause })
  }
  const log = entries.get('run.jsonl')
  if (!log)
    throw new RunArchiveError('The zip has no run.jsonl, so it contains no run. Choose a zip that the page exported.')
  const config = await readConfig(entries.get('config.json'))
  const policy = await unpacked(entries.get('policy.safetensors'))
  const reward = await unpacked(entries.get('reward.safetensors'))
  return {
    config,
    events: () => eventsOf(log),
    checkpoint: policy && reward && config.checkpoint ? { ...config.checkpoint, policy, reward } : null,
    timings: await timingsOf(entries.get('metrics.jsonl')),
  }
}

async function readConfig(entry: FileEntry | undefined) {
  const bytes = await unpacked(entry)
  let config: Record<string, unknown>
  try {
    config = JSON.parse(new TextDecoder().decode(bytes ?? undefined)) as Record<string, unknown>
  } catch (cause) {
    throw new RunArchiveError('The zip has no readable config.json. Export the run again.', { cause })
  }
  if (config['format'] !== RUN_ARCHIVE_FORMAT || config['version'] !== RUN_ARCHIVE_VERSION) {
    throw new RunArchiveError(
      `config.json has format ${JSON.stringify(config['format'])}, version ${JSON.stringify(config['version'])}; this page reads "${RUN_ARCHIVE_FORMAT}", version ${RUN_ARCHIVE_VERSION}.`,
    )
  }
  const { runId, iterations, finishedIterations, createdAt, models, checkpoint } = config
  const isWhole = typeof runId === 'string' && Number.isInteger(iterations) && typeof createdAt === 'number'
  if (!isWhole) throw new RunArchiveError('config.json lacks runId, iterations or createdAt. Export the run again.')
  const at = checkpoint as { iteration: number; eventCount: number } | null | undefined
  return {
    runId,
    iterations: iterations as number,
    createdAt,
    ...(typeof finishedIterations === 'number' && { finishedIterations }),
    ...(typeof models === 'object' && models !== null && { models }),
    checkpoint: at && Number.isInteger(at.iteration) && Number.isInteger(at.eventCount) ? at : null,
  }
}

/** Null without the file. Throws RunArchiveError. */
async function unpacked(entry: FileEntry | undefined): Promise<Uint8Array | null> {
  if (!entry) return null
  return entry.getData(new Uint8ArrayWriter()).catch((cause: unknown) => {
    throw damaged(entry, cause)
  })
}

function damaged({ filename }: FileEntry, cause: unknown): RunArchiveError {
  return new RunArchiveError(`${filename} cannot be unpacked. Export the run again.`, { cause })
}

async function timingsOf(entry: FileEntry | undefined): Promise<Map<number, Record<string, number>>> {
  const timings = new Map<number, Record<string, number>>()
  if (!entry) return timings
  for await (const line of linesOf(entry)) {
    if (line === '') continue
    const row = JSON.parse(line) as Record<string, number>
    const own = Object.entries(row).filter(([name]) => /^(timing_s|perf)\//.test(name) && !ALIASED.has(name))
    if (own.length > 0) timings.set(row['step']!, Object.fromEntries(own))
  }
  return timings
}

/** Aliases that are not names of ours, which an import must not take for our metrics. Older archives have `perf/throughput`. */
const ALIASED = new Set(
  Object.values(METRIC_ALIASES)
    .flatMap(({ verl, trl }) => [verl, trl])
    .concat('perf/throughput')
    .filter((alias): alias is string => alias !== undefined && !Object.hasOwn(METRIC_ALIASES, alias)),
)

const eventsOf = (entry: FileEntry) =>
  eventParts(linesOf(entry), (line) => {
    if (line === '') return null
    throw new RunArchiveError('run.jsonl ends in the middle of a line. Export the run again.')
  })

/** As textLines. Throws RunArchiveError. */
async function* linesOf(entry: FileEntry): AsyncGenerator<string> {
  const { readable, writable } = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>()
  let failure: unknown = null
  const written = entry.getData(writable).catch((error: unknown) => (failure = error))
  try {
    yield* textLines(readable)
  } catch (cause) {
    failure ??= cause
  }
  await written
  if (failure) throw damaged(entry, failure)
}
