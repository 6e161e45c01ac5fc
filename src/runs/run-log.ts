/**
 * The run log as text: JSON lines, first a header, then one logged event on each line, in order.
 *
 *     {"format":"rlanything-run","version":1}
 *     {"type":"run-started","runId":"…","seq":0,"iteration":0,…}
 *
 * The same events always give the same bytes, so logs of two runs can be compared with `cmp`. Timings are never logged.
 */
import type { LoggedBody, LoggedEvent } from '../method/events.ts'
import type { Settings } from '../method/settings.ts'
import { WORLDS } from '../worlds/index.ts'
import { completeSettings } from './older-logs.ts'

export const RUN_LOG_FORMAT = 'rlanything-run'
export const RUN_LOG_VERSION = 1

const EVENT_TYPES: Record<LoggedBody['type'], true> = {
  'run-started': true,
  'settings-changed': true,
  'model-replaced': true,
  'task-added': true,
  'iteration-started': true,
  episode: true,
  'group-summary': true,
  judged: true,
  'tests-written': true,
  'test-advantages': true,
  advantages: true,
  'model-updated': true,
  'rewrite-proposed': true,
  'rewrite-resolved': true,
  theory: true,
  evaluation: true,
  'judge-evaluation': true,
  'iteration-finished': true,
  'run-finished': true,
}

/** The log cannot be read; `line` counts from 1. */
export class RunLogError extends Error {
  override readonly name = 'RunLogError'
  readonly line: number

  constructor(line: number, why: string, remedy: string, options?: ErrorOptions) {
    super(`Run log, line ${line}: ${why} ${remedy}`, options)
    this.line = line
  }
}

export function headerLine(): string {
  return `${JSON.stringify({ format: RUN_LOG_FORMAT, version: RUN_LOG_VERSION })}\n`
}

/** One line with its line break. Throws for a number that is not finite, because JSON would turn it into null. */
export function eventLine(event: LoggedEvent): string {
  const line = JSON.stringify(event, (key, value: unknown) => {
    if (typeof value === 'number' && !Number.isFinite(value)) {
      throw new RangeError(
        `"${key}" of event ${event.seq} (${event.type}) is ${value}; only finite numbers are logged.`,
      )
    }
    return value
  })
  return `${line}\n`
}

export function serialiseRunLog(events: readonly LoggedEvent[]): string {
  return headerLine() + events.map(eventLine).join('')
}

export interface ParseOptions {
  /** Drops an incomplete last line instead of failing. */
  isTornEndAllowed?: boolean
}

/** Reads a log, and checks order and types of its events. Throws RunLogError with the line. */
export function parseRunLog(text: string, { isTornEndAllowed = false }: ParseOptions = {}): LoggedEvent[] {
  const lines = text.split('\n')
  const end = lines.pop()!
  const log = new RunLogReader()
  const events = lines.flatMap((line) => log.take(line) ?? [])
  try {
    return [...events, log.takeLast(end)].filter((event) => event !== null)
  } catch (error) {
    if (isTornEndAllowed && lines.length > 0 && error instanceof RunLogError) return events
    throw error
  }
}

/** Reads a log line by line, with the checks of parseRunLog. For logs that do not fit into memory. */
export class RunLogReader {
  #lines = 0
  #events = 0

  /** Takes a line without its line break. Null for the header. Throws RunLogError. */
  take(line: string): LoggedEvent | null {
    this.#lines++
    if (this.#lines > 1) return parseEvent(line, this.#lines, this.#events++)
    checkHeader(line)
    return null
  }

  /** Takes the text after the last line break; null without one. Throws RunLogError. */
  takeLast(line: string): LoggedEvent | null {
    if (line === '' && this.#lines > 0) return null
    try {
      return this.take(line)
    } catch (error) {
      throw this.#lines > 1 ? cutShort(this.#lines, error) : error
    }
  }
}

function cutShort(line: number, cause: unknown): RunLogError {
  const remedy = 'Writing the file was interrupted; remove this line.'
  return new RunLogError(line, 'it is incomplete.', remedy, { cause })
}

function checkHeader(line: string | undefined): void {
  const remedy = 'Choose a file that the playground or `npm run loop -- --out` wrote.'
  const header = parseJson(line ?? '', 1, remedy)
  if (header['format'] !== RUN_LOG_FORMAT) {
    throw new RunLogError(1, `it is not the header of a run log ("format" must be "${RUN_LOG_FORMAT}").`, remedy)
  }
  if (header['version'] !== RUN_LOG_VERSION) {
    const version = JSON.stringify(header['version'])
    throw new RunLogError(
      1,
      `the log has version ${version}, and this playground reads ${RUN_LOG_VERSION}.`,
      'Update the playground.',
    )
  }
}

function parseEvent(line: string, number: number, seq: number): LoggedEvent {
  const remedy = 'The file was damaged or edited; load an intact copy, or delete this line and all after it.'
  const event = parseJson(line, number, remedy)
  const { type } = event
  if (typeof type !== 'string' || !Object.hasOwn(EVENT_TYPES, type)) {
    throw new RunLogError(number, `the event type ${JSON.stringify(type)} is unknown.`, remedy)
  }
  if (event['seq'] !== seq) {
    throw new RunLogError(number, `"seq" is ${JSON.stringify(event['seq'])} instead of ${seq}.`, remedy)
  }
  if (!Number.isInteger(event['iteration'])) {
    throw new RunLogError(number, `"iteration" is ${JSON.stringify(event['iteration'])}, not a whole number.`, remedy)
  }
  return type === 'run-started' ? startOf(event, number, remedy) : (event as unknown as LoggedEvent)
}

/** The first event, with current settings. A log of a newer playground may be of a world that this one lacks. */
function startOf(event: Record<string, unknown>, number: number, remedy: string): LoggedEvent {
  const { settings } = event
  if (typeof settings !== 'object' || settings === null)
    throw new RunLogError(number, '"run-started" has no settings.', remedy)
  const current = completeSettings(settings as Settings)
  if (!Object.hasOwn(WORLDS, current.world))
    throw new RunLogError(number, `the world ${JSON.stringify(current.world)} is unknown.`, 'Update the playground.')
  return { ...event, settings: current } as unknown as LoggedEvent
}

function parseJson(line: string, number: number, remedy: string): Record<string, unknown> {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch (cause) {
    throw new RunLogError(number, 'it is not JSON.', remedy, { cause })
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new RunLogError(number, 'it is not a JSON object.', remedy)
  }
  return value as Record<string, unknown>
}
