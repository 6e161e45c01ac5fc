/**
 * A run as server-sent events. Numbered events come from the journal in order, so none is lost or repeated however often a client
 * reconnects. Progress, states and log lines have no number; they are sent as they happen and not stored.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { HEARTBEAT_MS, type LogLines, type GatewayRun, type StreamMessageName } from '../protocol.ts'
import { plainLine } from '../released/job-log.ts'
import { drained } from './drained.ts'
import type { ManagedRun } from './managed-run.ts'
import { GatewayProblem } from './problem.ts'
import type { Redactor } from './redactor.ts'
import { readLogEnd } from './log-end.ts'

/** Bytes of the log that a new client receives. */
const LOG_BYTES = 64 << 10
/** Bytes that may be pending for a slow client; beyond them, log lines and progress are dropped. */
const MOST_WAITING = 1 << 20

/** Number of the first event to send. Throws GatewayProblem. */
export function firstSeq(request: IncomingMessage, length: number): number {
  const header = request.headers['last-event-id']
  if (header === undefined || header === '') return 0
  const last = typeof header === 'string' && /^\d{1,15}$/.test(header) ? Number(header) : NaN
  if (last < length) return last + 1
  throw new GatewayProblem(400, {
    what: 'The events cannot be sent from that number.',
    why: `Last-Event-ID is ${JSON.stringify(String(header).slice(0, 40))}, but the run has ${length} events.`,
    remedy: 'It may be another run with the same name. Request all events, without the header.',
  })
}

export async function streamEvents(
  managed: ManagedRun,
  from: number,
  redactor: Redactor,
  response: ServerResponse,
): Promise<void> {
  response.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store, no-transform',
    'x-accel-buffering': 'no',
  })
  response.flushHeaders()
  let next = from
  let isGone = false
  let wake: () => void = () => {}
  const send = async (text: string) => {
    if (isGone || response.write(text)) return
    await drained(response)
  }
  const sendNow = (name: StreamMessageName, value: unknown) => {
    if (!isGone && response.writableLength < MOST_WAITING) response.write(message(name, JSON.stringify(value)))
  }
  const stopListening = managed.listen({
    onEvents: () => wake(),
    onNow: (event) => sendNow('now', event),
    onLog: (lines: LogLines) => sendNow('log', lines),
    onStatus: (summary: GatewayRun) => {
      sendNow('status', summary)
      wake()
    },
  })
  const heartbeat = setInterval(() => sendNowComment(response, isGone), HEARTBEAT_MS)
  response.on('close', () => {
    isGone = true
    wake()
  })
  try {
    sendNow('status', managed.summary)
    const lines = readLogEnd(managed.logFile, LOG_BYTES).map(({ offset, text }) => ({
      offset,
      text: redactor.text(plainLine(text)),
    }))
    if (lines.length > 0) sendNow('log', { lines } satisfies LogLines)
    while (!isGone) {
      while (next < managed.watch.length && !isGone) {
        await send(message('run', managed.watch.line(next), next))
        next++
      }
      if (managed.isTold && next >= managed.watch.length) {
        await send(message('end', JSON.stringify(managed.summary)))
        break
      }
      await new Promise<void>((resolve) => {
        wake = resolve
        // Sends what arrived before anyone waited.
        if (next < managed.watch.length || managed.isTold || isGone) resolve()
      })
    }
  } finally {
    clearInterval(heartbeat)
    stopListening()
    response.end()
  }
}

function sendNowComment(response: ServerResponse, isGone: boolean): void {
  if (!isGone) response.write(': here\n\n')
}

function message(name: StreamMessageName, json: string, id?: number): string {
  return `${id === undefined ? '' : `id: ${id}\n`}event: ${name}\ndata: ${json}\n\n`
}
