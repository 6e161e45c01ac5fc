/**
 * Follows a run of the gateway to its end, across broken connections. Each event is delivered once and in order: numbers must grow by
 * one, known events are skipped, and if one is missing the stream is reopened after the last known event (`Last-Event-ID`). The wait
 * between tries grows:
 *
 *     wait(k) = min(30 s, 0.5 s · 2^k) · u,   u uniform in [1/2, 1]        (k tries in a row without news)
 *
 * so that many pages do not reconnect at the same moment ("equal jitter").
 */
import type { EventSourceMessage } from 'eventsource-parser'
import type { EphemeralEvent, LoggedEvent } from '../../method/events.ts'
import { withCurrentSettings } from '../../runs/older-logs.ts'
import { HEARTBEAT_MS, type LogLines, type GatewayRun, type StreamMessages } from '../protocol.ts'
import { EventStreamError, readEvents } from './event-stream.ts'
import type { GatewayClient } from './gateway-client.ts'
import { GatewayError } from './gateway-error.ts'

export type FollowState =
  | { state: 'connecting' }
  | { state: 'connected' }
  /** `retryAt` in milliseconds of `Date.now()`. */
  | { state: 'waiting'; problem: GatewayError; retryAt: number }

export interface FollowHandlers {
  onEvent: (event: LoggedEvent) => void
  onNow: (event: EphemeralEvent) => void
  onLog: (lines: LogLines) => void
  onStatus: (summary: GatewayRun) => void
  onState: (state: FollowState) => void
}

export interface FollowOptions {
  /** Number of the last known event; null for none. */
  lastSeq?: number | null
  /** Milliseconds of silence after which a connection is dropped; the gateway sends a comment every HEARTBEAT_MS. */
  patienceMs?: number
  firstWaitMs?: number
  longestWaitMs?: number
  random?: () => number
}

type Client = Pick<GatewayClient, 'events'>

/** Reading a long history yields to the rest of the page after this many milliseconds. */
const SLICE_MS = 6

/** After this many streams in a row that break at the same event, the gateway's log counts as damaged. */
const MOST_BREAKS = 6

export class RunFollower {
  readonly #client: Client
  readonly #runId: string
  readonly #handlers: FollowHandlers
  readonly #options: Required<Omit<FollowOptions, 'lastSeq'>>
  #lastSeq: number | null
  #wake: () => void = () => {}

  constructor(client: Client, runId: string, handlers: FollowHandlers, options: FollowOptions = {}) {
    this.#client = client
    this.#runId = runId
    this.#handlers = handlers
    const { lastSeq = null, ...rest } = options
    this.#lastSeq = lastSeq
    this.#options = {
      patienceMs: 3 * HEARTBEAT_MS,
      firstWaitMs: 500,
      longestWaitMs: 30_000,
      random: Math.random,
      ...rest,
    }
  }

  /** Number of the last delivered event; null before the first. */
  get lastSeq(): number | null {
    return this.#lastSeq
  }

  /** Ends the wait: the network is back, or the user asked. */
  retryNow(): void {
    this.#wake()
  }

  /**
   * Resolves with the run's last state after its last event. Rejects with the signal's reason, or with a GatewayError that a retry
   * does not fix; another `follow` then continues after `lastSeq`.
   */
  async follow(signal: AbortSignal): Promise<GatewayRun> {
    let tries = 0
    let breaks = 0
    for (;;) {
      signal.throwIfAborted()
      this.#handlers.onState({ state: 'connecting' })
      const before = this.#lastSeq
      let problem: GatewayError
      try {
        const end = await this.#connect(signal, () => (tries = 0))
        if (end) return end
        problem = cut()
      } catch (error) {
        signal.throwIfAborted()
        problem = asGatewayError(error)
        if (!problem.isPassing) throw problem
        breaks = problem.kind === 'broken' && this.#lastSeq === before ? breaks + 1 : 0
        if (breaks >= MOST_BREAKS) throw damaged(problem)
      }
      const wait = this.#waitFor(problem, tries++)
      this.#handlers.onState({ state: 'waiting', problem, retryAt: Date.now() + wait })
      await this.#pause(wait, signal)
    }
  }

  /** One connection. Returns the end of the run, or null if the connection ended earlier. */
  async #connect(signal: AbortSignal, onNews: () => void): Promise<GatewayRun | null> {
    const silence = new AbortController()
    let timer: ReturnType<typeof setTimeout> | undefined
    const listen = () => {
      clearTimeout(timer)
      timer = setTimeout(() => silence.abort(silent(this.#options.patienceMs)), this.#options.patienceMs)
    }
    listen()
    try {
      const either = AbortSignal.any([signal, silence.signal])
      const body = await this.#client.events(this.#runId, this.#lastSeq, either)
      this.#handlers.onState({ state: 'connected' })
      let sliceStart = performance.now()
      for await (const message of readEvents(body, listen)) {
        const end = this.#hear(message)
        onNews()
        if (end) return end
        if (performance.now() - sliceStart < SLICE_MS) continue
        await new Promise((resolve) => setTimeout(resolve, 0))
        sliceStart = performance.now()
      }
      return null
    } catch (error) {
      throw silence.signal.aborted && !signal.aborted ? silence.signal.reason : error
    } finally {
      clearTimeout(timer)
    }
  }

  #hear({ event, data, id = '' }: EventSourceMessage): GatewayRun | null {
    const name = event as keyof StreamMessages
    switch (name) {
      case 'run':
        this.#hearEvent(withCurrentSettings(parsed<LoggedEvent>(data)), id)
        return null
      case 'now':
        this.#handlers.onNow(parsed(data))
        return null
      case 'log':
        this.#handlers.onLog(parsed(data))
        return null
      case 'status':
        this.#handlers.onStatus(parsed(data))
        return null
      case 'end': {
        const summary = parsed<GatewayRun>(data)
        const known = this.#lastSeq === null ? 0 : this.#lastSeq + 1
        if (summary.events > known) throw missing(known)
        this.#handlers.onStatus(summary)
        return summary
      }
      default:
        // A newer gateway may send more kinds of messages; this page does not need them.
        return null
    }
  }

  #hearEvent(event: LoggedEvent, id: string): void {
    if (!Number.isInteger(event.seq) || String(event.seq) !== id || typeof event.type !== 'string')
      throw broken(`The event with the id "${id}" does not belong to a run.`)
    const next = this.#lastSeq === null ? 0 : this.#lastSeq + 1
    if (event.seq < next) return
    if (event.seq > next) throw missing(next)
    this.#handlers.onEvent(event)
    this.#lastSeq = event.seq
  }

  #waitFor(problem: GatewayError, tries: number): number {
    const { firstWaitMs, longestWaitMs, random } = this.#options
    const wait = Math.min(longestWaitMs, firstWaitMs * 2 ** tries) * (0.5 + 0.5 * random())
    return Math.max(wait, Math.min(longestWaitMs, problem.retryAfterMs ?? 0))
  }

  async #pause(ms: number, signal: AbortSignal): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(done, ms)
      function done() {
        clearTimeout(timer)
        signal.removeEventListener('abort', done)
        resolve()
      }
      signal.addEventListener('abort', done)
      this.#wake = done
    })
    this.#wake = () => {}
  }
}

function parsed<T>(data: string): T {
  let value: unknown
  try {
    value = JSON.parse(data)
  } catch (cause) {
    throw broken('An event is not JSON.', cause)
  }
  if (typeof value !== 'object' || value === null) throw broken('An event is not an object.')
  return value as T
}

function asGatewayError(error: unknown): GatewayError {
  if (error instanceof GatewayError) return error
  if (error instanceof EventStreamError) return broken(error.message, error)
  return cut(error)
}

const AGAIN = 'This page reconnects by itself.'

function cut(cause?: unknown): GatewayError {
  const why = 'The network failed, or the gateway was stopped.'
  return new GatewayError('unreachable', { what: 'The connection was lost.', why, remedy: AGAIN }, { cause })
}

function silent(ms: number): GatewayError {
  const why = `It sent nothing for ${Math.round(ms / 1000)} s, not even a heartbeat.`
  return new GatewayError('unreachable', { what: 'The gateway is silent.', why, remedy: AGAIN })
}

function broken(why: string, cause?: unknown): GatewayError {
  return new GatewayError('broken', { what: 'The event stream is damaged.', why, remedy: AGAIN }, { cause })
}

function missing(seq: number): GatewayError {
  return broken(`Event ${seq} is missing.`)
}

/** After several tries: the fault is at the gateway. */
function damaged(problem: GatewayError): GatewayError {
  return new GatewayError(
    'refused',
    {
      what: 'The gateway cannot report this run.',
      why: `${problem.why} Every new connection fails the same way.`,
      remedy: "Check the gateway's output. The run's files are on the cluster and can be downloaded below.",
    },
    { cause: problem },
  )
}
