/**
 * JSON over HTTP with a server that may be slow, overloaded, restarted or wrong. Requests wait in a queue, have a time limit
 * each, and are retried with backoff until `patience` runs out:
 *
 *     retried                  no answer, time limit, 408, 425, 429, 5xx, an incomplete answer
 *     retried unless `once`    of those, what the server may have acted on: all except a refused connection, 425, 429 and 503
 *     not retried              401, 403, 404, other 4xx, complete answers that are invalid
 *
 * Patience counts from the first failed attempt, without time in the queue, and is long enough to restart a server in the middle of a
 * run.
 */
import * as v from 'valibot'
import { checkedAddress } from './address.ts'
import { BACKOFF, backoffMs, retryAfterMs, wait, type Backoff } from './backoff.ts'
import { explainMalformed, explainSilence, explainStatus, explainTimeout, explainUnknownOutcome, wasNeverSent } from './explain.ts' // prettier-ignore
import { Limiter } from './limiter.ts'
import { isRemoteError, type RemoteError } from './remote-error.ts'

export interface HttpClientOptions {
  baseUrl: string
  /** Including the key's. Errors never contain them. */
  headers?: Readonly<Record<string, string>>
  /** Most concurrent requests. */
  concurrency: number
  /** Limit of one request. */
  timeoutMs: number
  /** How long a request is retried. */
  patienceMs?: number
  backoff?: Backoff
  fetch?: typeof fetch
  random?: () => number
}

export interface JsonRequest<Schema extends v.GenericSchema> {
  method?: 'GET' | 'POST'
  /** Relative to the base address. */
  path: string
  body?: unknown
  /** The schema of the answer. */
  schema: Schema
  signal?: AbortSignal | undefined
  /** Overrides the client's. */
  timeoutMs?: number
  patienceMs?: number
  /** The request must not be executed twice. */
  once?: boolean
  /** Sent at once, even if `concurrency` is exceeded. */
  skipsQueue?: boolean
}

export const PATIENCE_MS = 120_000

/** Statuses that a server returns before it has acted. */
const NOT_ACTED_ON = new Set([425, 429, 503])

type Attempt = { value: unknown } | { error: RemoteError; canAskAgain: boolean; notBeforeMs: number }

export class HttpClient {
  readonly address: string
  readonly #options: Required<HttpClientOptions>
  readonly #limiter: Limiter
  readonly #origin: string
  readonly #closed = new AbortController()

  /** Throws RemoteError for an address that cannot be reached from here. */
  constructor(options: HttpClientOptions) {
    this.address = checkedAddress(options.baseUrl, pageProtocol())
    this.#origin = new URL(this.address).origin
    this.#options = {
      headers: {},
      patienceMs: PATIENCE_MS,
      backoff: BACKOFF,
      fetch: (...request) => fetch(...request),
      random: () => Math.random(),
      ...options,
    }
    this.#limiter = new Limiter(options.concurrency)
  }

  /** Throws RemoteError, or the signal's reason. */
  async json<Schema extends v.GenericSchema>(request: JsonRequest<Schema>): Promise<v.InferOutput<Schema>> {
    const { patienceMs = this.#options.patienceMs } = request
    const signal = request.signal ? AbortSignal.any([request.signal, this.#closed.signal]) : this.#closed.signal
    let failedAt: number | null = null
    let queuedMs = 0
    for (let attempt = 0; ; attempt++) {
      const enteredAt = performance.now()
      const attemptNow = () => {
        // A long queue is ours and says nothing about the server.
        if (failedAt !== null) queuedMs += performance.now() - enteredAt
        return this.#attempt(request, signal)
      }
      const result = await (request.skipsQueue ? attemptNow() : this.#limiter.run(attemptNow, signal))
      if ('value' in result) return this.#checked(request, result.value)
      failedAt ??= performance.now()
      const triedMs = performance.now() - failedAt - queuedMs
      const delay = result.notBeforeMs + backoffMs(attempt, this.#options.backoff, this.#options.random())
      if (!result.canAskAgain || triedMs + delay >= patienceMs) throw result.error
      await wait(delay, signal)
    }
  }

  /** Cancels all requests, and refuses later ones. */
  close(): void {
    this.#closed.abort(new DOMException('The connection to the server was closed.', 'AbortError'))
  }

  async #attempt(request: JsonRequest<v.GenericSchema>, signal: AbortSignal): Promise<Attempt> {
    const { method = request.body === undefined ? 'GET' : 'POST', path, timeoutMs = this.#options.timeoutMs } = request
    const once = request.once === true
    const limit = AbortSignal.timeout(timeoutMs)
    let response: Response
    let text: string
    try {
      response = await this.#options.fetch(this.address + path, {
        method,
        headers: {
          ...this.#options.headers,
          ...(request.body !== undefined && { 'Content-Type': 'application/json' }),
        },
        ...(request.body !== undefined && { body: JSON.stringify(request.body) }),
        signal: AbortSignal.any([signal, limit]),
        // So that no other server gets the key or a prompt.
        credentials: 'omit',
        redirect: 'error',
      })
      text = await response.text()
    } catch (cause) {
      signal.throwIfAborted()
      const error = limit.aborted
        ? explainTimeout(this.#origin, timeoutMs)
        : explainSilence(this.#origin, cause, pageProtocol() !== null)
      if (!once || wasNeverSent(cause)) return { error, canAskAgain: true, notBeforeMs: 0 }
      return { error: explainUnknownOutcome(this.#origin, path, error), canAskAgain: false, notBeforeMs: 0 }
    }
    const { status } = response
    if (!response.ok) {
      const isPassing = status === 408 || status >= 500 || NOT_ACTED_ON.has(status)
      return {
        error: explainStatus(this.#origin, path, { status, body: text }),
        canAskAgain: once ? NOT_ACTED_ON.has(status) : isPassing,
        notBeforeMs: retryAfterMs(response.headers.get('retry-after'), Date.now()),
      }
    }
    try {
      return { value: JSON.parse(text) as unknown }
    } catch (cause) {
      const problem = `It is not JSON, but begins with ${JSON.stringify(text.slice(0, 80))}`
      return { error: explainMalformed(this.#origin, path, problem, cause), canAskAgain: false, notBeforeMs: 0 }
    }
  }

  #checked<Schema extends v.GenericSchema>(
    { path, schema }: JsonRequest<Schema>,
    value: unknown,
  ): v.InferOutput<Schema> {
    const read = v.safeParse(schema, value)
    if (read.success) return read.output
    const [issue] = read.issues
    const at = v.getDotPath(issue)
    throw explainMalformed(this.#origin, path, at === null ? issue.message : `${at}: ${issue.message}`)
  }
}

/** Null outside of pages and their workers. */
function pageProtocol(): string | null {
  const { location } = globalThis as { location?: { protocol: string } }
  return location?.protocol ?? null
}

/** Whether the server reports that a prompt exceeds the model's context. Each kind of server words it differently. */
export function saysContextIsFull(error: unknown): boolean {
  return (
    isRemoteError(error, 'refused', 'failed') &&
    /context[ _](length|size)|context window|max(imum)?[ _](model[ _]len|sequence|input|position)|too long|longer than the model/i.test(
      error.detail,
    )
  )
}
