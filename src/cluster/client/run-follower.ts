/**
 * Follows a run of the gateway to its end over connections that break. Events are told once each and in order: their numbers must
 * grow by one; those known already are passed over, and where one is missing the stream is opened again after the last that is known
 * (`Last-Event-ID`). Between two tries it waits, longer each time:
 *
 *     wait(k) = min(30 s, 0.5 s · 2^k) · u,   u uniform in [1/2, 1]        (k tries in a row without news)
 *
 * so that many pages do not all come back in the same moment ("equal jitter").
 */
import type { EphemeralEvent, LoggedEvent } from '../../method/events.ts'
import { withCurrentSettings } from '../../runs/older-logs.ts'
import { HEARTBEAT_MS, type LogLines, type GatewayRun, type StreamMessages } from '../protocol.ts'
import { EventStreamError, readEvents, type ServerSentEvent } from './event-stream.ts'
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
  /** Number of the last event that is known; null for none. */
  lastSeq?: number | null
  /** Silence, in milliseconds, after which a connection is given up; the gateway sends a comment every HEARTBEAT_MS. */
  patienceMs?: number
  firstWaitMs?: number
  longestWaitMs?: number
  random?: () => number
}

type Client = Pick<GatewayClient, 'events'>

/** A long history comes in one piece after another; whoever shares the thread gets a turn after so many milliseconds. */
const SLICE_MS = 6

/** Streams in a row that break in the same place without an event, after which the gateway's log is taken to be damaged. */
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

  /** Of the last event that was told; null before the first. */
  get lastSeq(): number | null {
    return this.#lastSeq
  }

  /** Does not wait any longer: the network is back, or a person has asked. */
  retryNow(): void {
    this.#wake()
  }

  /**
   * Resolves with the run's last state when all has been told. Rejects with the signal's reason, or with a GatewayError that trying
   * again does not mend; another `follow` then goes on after `lastSeq`.
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

  /** One connection. Gives the end of the run, or null where the connection ended before it. */
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

  #hear({ event, data, id }: ServerSentEvent): GatewayRun | null {
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
        // A newer gateway may say more; what this page does not know it does not need.
        return null
    }
  }

  #hearEvent(event: LoggedEvent, id: string): void {
    if (!Number.isInteger(event.seq) || String(event.seq) !== id || typeof event.type !== 'string')
      throw broken(`An event with the id "${id}" is not one of a run.`)
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

const AGAIN = 'This page connects again by itself.'

function cut(cause?: unknown): GatewayError {
  const why = 'The network broke off, or the gateway was ended.'
  return new GatewayError('unreachable', { what: 'The connection was cut.', why, remedy: AGAIN }, { cause })
}

function silent(ms: number): GatewayError {
  const why = `Nothing was heard of it for ${Math.round(ms / 1000)} s, not even the sign that it lives.`
  return new GatewayError('unreachable', { what: 'The gateway has fallen silent.', why, remedy: AGAIN })
}

function broken(why: string, cause?: unknown): GatewayError {
  return new GatewayError('broken', { what: 'The stream was damaged on its way.', why, remedy: AGAIN }, { cause })
}

function missing(seq: number): GatewayError {
  return broken(`Event ${seq} is missing.`)
}

/** Tried often enough: the fault lies at the other end. */
function damaged(problem: GatewayError): GatewayError {
  return new GatewayError(
    'refused',
    {
      what: 'The gateway cannot tell this run.',
      why: `${problem.why} It is the same after every new connection.`,
      remedy: 'Look at what the gateway printed; the files of the run are on the cluster, and can be downloaded below.',
    },
    { cause: problem },
  )
}
