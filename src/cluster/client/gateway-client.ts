/**
 * The gateway's endpoints (protocol.ts) as functions. Every failure is a GatewayError that says what to do. The token is sent in a
 * header only, and never appears in an address, an error or a log.
 */
import {
  GATEWAY_NAME,
  PROTOCOL_VERSION,
  type GatewayHealth,
  type GatewaySchema,
  type LaunchPlan,
  type LivePatchAnswer,
  type LivePatchRequest,
  type RunFile,
  type GatewayRun,
  type StartAnswer,
  type LaunchRequest,
} from '../protocol.ts'
import { errorOf, GatewayError } from './gateway-error.ts'

export interface GatewayClientOptions {
  /** As typed: "https://head-node:8787". */
  address: string
  /** Null if the gateway is on this machine and requires none. */
  token: string | null
  fetch?: typeof fetch
  /** Milliseconds within which an answer must be complete. Event streams have their own limit. */
  timeoutMs?: number
}

const TIMEOUT_MS = 30_000

/** Scheme, host, port and path without a trailing slash. Throws GatewayError. */
export function gatewayAddress(typed: string): string {
  const refuse = (why: string, remedy: string): never => {
    throw new GatewayError('address', { what: `"${typed.trim()}" is not the address of a gateway.`, why, remedy })
  }
  const text = typed.trim()
  if (!URL.canParse(text) || !/^https?:\/\//i.test(text))
    return refuse('It has no scheme.', 'Enter it in full, such as https://head-node:8787 or http://127.0.0.1:8787.')
  const url = new URL(text)
  if (url.username !== '' || url.password !== '')
    throw new GatewayError('address', {
      what: 'The address contains a user name or a password.',
      why: 'Addresses are stored and shown.',
      remedy: 'Remove it, and enter the token in its own field.',
    })
  if (url.search !== '' || url.hash !== '')
    return refuse('It has a query or a fragment.', 'Enter only scheme, host and port.')
  return url.href.replace(/\/+$/, '')
}

export class GatewayClient {
  readonly address: string
  readonly #token: string | null
  readonly #fetch: typeof fetch
  readonly #timeoutMs: number

  constructor({ address, token, fetch: fetcher = fetch, timeoutMs = TIMEOUT_MS }: GatewayClientOptions) {
    this.address = gatewayAddress(address)
    this.#token = token === null || token === '' ? null : token
    // An invalid header value would fail like a network error.
    if (this.#token !== null && !/^[\x21-\x7E]+$/.test(this.#token))
      throw new GatewayError('token', {
        what: 'The token cannot be sent.',
        why: 'It contains spaces, line breaks or characters beyond ASCII.',
        remedy: 'Copy it again, without the text around it.',
      })
    // The browser's fetch throws if it is called as a method.
    this.#fetch = (input, init) => fetcher(input, init)
    this.#timeoutMs = timeoutMs
  }

  /** Who answers. Throws `not-a-gateway` and `version`, besides the errors of every request. */
  async health(signal?: AbortSignal): Promise<GatewayHealth> {
    const health = await this.#json<Partial<GatewayHealth>>('GET', '/v1/health', { signal })
    if (health.name !== GATEWAY_NAME)
      throw new GatewayError('not-a-gateway', {
        what: `${this.address} is not a gateway.`,
        why: 'Something else answers there.',
        remedy: 'Check host and port: the gateway prints its address when it starts.',
      })
    if (health.protocol !== PROTOCOL_VERSION)
      throw new GatewayError('version', {
        what: `The gateway speaks version ${health.protocol} of the protocol, this page version ${PROTOCOL_VERSION}.`,
        why: `The gateway has version ${health.version}.`,
        remedy:
          (health.protocol ?? 0) < PROTOCOL_VERSION
            ? 'Start a newer gateway: npm run gateway in this project.'
            : 'Reload this page, or open the version of it that matches the gateway.',
      })
    return health as GatewayHealth
  }

  schema(signal?: AbortSignal): Promise<GatewaySchema> {
    return this.#json('GET', '/v1/schema', { signal })
  }

  /** What a request would launch, without launching it. */
  plan(request: LaunchRequest, signal?: AbortSignal): Promise<LaunchPlan> {
    return this.#json('POST', '/v1/runs', { signal, body: { ...request, dryRun: true } })
  }

  /** Must not be retried automatically: the run may have started even if its answer was lost. */
  start(request: LaunchRequest, signal?: AbortSignal): Promise<StartAnswer> {
    return this.#json('POST', '/v1/runs', { signal, body: { ...request, dryRun: false } })
  }

  /** Latest first. */
  runs(signal?: AbortSignal): Promise<GatewayRun[]> {
    return this.#list('/v1/runs', signal)
  }

  run(runId: string, signal?: AbortSignal): Promise<GatewayRun> {
    return this.#json('GET', runPath(runId), { signal })
  }

  patch(runId: string, patch: LivePatchRequest): Promise<LivePatchAnswer> {
    return this.#json('PATCH', `${runPath(runId)}/config`, { body: patch })
  }

  stop(runId: string): Promise<GatewayRun> {
    return this.#json('POST', `${runPath(runId)}/stop`, { body: {} })
  }

  files(runId: string): Promise<RunFile[]> {
    return this.#list(`${runPath(runId)}/files`)
  }

  /** One whole file. Large ones take long, so the request has no time limit. */
  async file(runId: string, name: string): Promise<Blob> {
    const path = `${runPath(runId)}/files/${name.split('/').map(encodeURIComponent).join('/')}`
    const response = await this.#request('GET', path, {})
    return await this.#reading(() => response.blob())
  }

  /** The body of an answer with the events after `lastEventId`; null requests all. The signal ends the stream. */
  async events(runId: string, lastEventId: number | null, signal: AbortSignal): Promise<ReadableStream<Uint8Array>> {
    const headers: Record<string, string> = { accept: 'text/event-stream' }
    if (lastEventId !== null) headers['last-event-id'] = String(lastEventId)
    const response = await this.#request('GET', `${runPath(runId)}/events`, { signal, headers })
    const type = response.headers.get('content-type') ?? ''
    if (!type.startsWith('text/event-stream') || !response.body)
      throw new GatewayError('not-a-gateway', {
        what: `${this.address} does not report the run.`,
        why: `It sent "${type}" instead of an event stream.`,
        remedy: 'If there is a proxy in front of the gateway, let it pass text/event-stream without buffering.',
      })
    return response.body
  }

  async #list<T>(path: string, signal?: AbortSignal): Promise<T[]> {
    const answer = await this.#json<T[]>('GET', path, { signal })
    if (!Array.isArray(answer)) throw this.#strange('Its answer is not a list.')
    return answer
  }

  async #json<T>(method: string, path: string, { signal, body }: { signal?: AbortSignal | undefined; body?: object }) {
    const timeout = AbortSignal.timeout(this.#timeoutMs)
    const either = signal ? AbortSignal.any([signal, timeout]) : timeout
    const response = await this.#request(method, path, { signal: either, ...(body && { body }) })
    const text = await this.#reading(() => response.text())
    let answer: unknown
    try {
      answer = JSON.parse(text)
    } catch (cause) {
      throw this.#strange('Its answer is not JSON.', cause)
    }
    if (typeof answer !== 'object' || answer === null) throw this.#strange('Its answer is not an object.')
    return answer as T
  }

  async #request(
    method: string,
    path: string,
    options: { signal?: AbortSignal | undefined; headers?: Record<string, string>; body?: object },
  ): Promise<Response> {
    const headers: Record<string, string> = { accept: 'application/json', ...options.headers }
    if (this.#token !== null) headers.authorization = `Bearer ${this.#token}`
    if (options.body) headers['content-type'] = 'application/json'
    const response = await this.#reading(() =>
      this.#fetch(this.address + path, {
        method,
        headers,
        ...(options.body && { body: JSON.stringify(options.body) }),
        ...(options.signal && { signal: options.signal }),
        // The token goes only to this server.
        redirect: 'error',
        credentials: 'omit',
        cache: 'no-store',
        referrerPolicy: 'no-referrer',
      }),
    )
    if (!response.ok) throw await errorOf(response, this.address)
    return response
  }

  /** Converts network failures to GatewayErrors; passes on the caller's own abort. */
  async #reading<T>(read: () => Promise<T>): Promise<T> {
    try {
      return await read()
    } catch (cause) {
      if (cause instanceof GatewayError) throw cause
      const name = cause instanceof Error ? cause.name : ''
      if (name === 'AbortError') throw cause
      const isSlow = name === 'TimeoutError'
      throw new GatewayError(
        'unreachable',
        {
          what: `${this.address} ${isSlow ? 'did not answer in time' : 'cannot be reached'}.`,
          why: isSlow
            ? `There was no answer for ${this.#timeoutMs / 1000} s.`
            : 'The browser gives no reason: the gateway is not running, the network is down, or this page is not allowed.',
          remedy: 'Check the connection under Cluster to find the reason.',
        },
        { cause },
      )
    }
  }

  #strange(why: string, cause?: unknown): GatewayError {
    return new GatewayError(
      'not-a-gateway',
      {
        what: `${this.address} does not answer like a gateway.`,
        why,
        remedy: 'Check host and port: the gateway prints its address when it starts.',
      },
      { cause },
    )
  }
}

function runPath(runId: string): string {
  return `/v1/runs/${encodeURIComponent(runId)}`
}
