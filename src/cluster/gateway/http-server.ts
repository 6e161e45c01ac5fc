/** The gateway over HTTP: the endpoints of protocol.ts. Every error is a GatewayErrorBody. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Access, isLoopbackHost, type Limits } from './access.ts'
import { firstSeq, streamEvents } from './event-stream.ts'
import type { Gateway } from './gateway.ts'
import { GatewayProblem } from './problem.ts'
import { isRunFile, listRunFiles, sendRunFile } from './run-files.ts'
import { errorText } from '../../threads/error-text.ts'

const MOST_BODY_BYTES = 64 << 10
const MOST_STREAMS = 64

export interface ServerOptions {
  gateway: Gateway
  token: string | null
  origins: readonly string[]
  limits?: Limits
  /** Called with errors of the gateway itself. */
  onFault?: (error: unknown) => void
}

/** Throws if the gateway would be open to everyone. */
export function checkListening(host: string, token: string | null): void {
  if (token !== null || isLoopbackHost(host.includes(':') ? `[${host}]` : host)) return
  throw new GatewayProblem(500, {
    what: `The gateway does not start on ${host} without a token.`,
    why: 'Anyone who reaches that address could start jobs on the cluster.',
    remedy: 'Set RLANYTHING_GATEWAY_TOKEN or "tokenFile" in the cluster file, or listen on 127.0.0.1.',
  })
}

export class GatewayServer {
  readonly #server: Server
  readonly #options: ServerOptions
  readonly #access: Access
  #streams = 0

  constructor(options: ServerOptions) {
    this.#options = options
    this.#access = new Access(options)
    this.#server = createServer((request, response) => void this.#answer(request, response))
    this.#server.requestTimeout = 30_000
    this.#server.headersTimeout = 15_000
    this.#server.maxConnections = 1000
  }

  /** Resolves with the port. */
  async listen(host: string, port: number): Promise<number> {
    checkListening(host, this.#options.token)
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject)
      this.#server.listen(port, host, resolve)
    })
    return (this.#server.address() as AddressInfo).port
  }

  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()))
    this.#server.closeAllConnections()
    await closed
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.setHeader('x-content-type-options', 'nosniff')
    response.setHeader('cache-control', 'no-store')
    try {
      this.#access.allowOrigin(request, response)
      if (request.method === 'OPTIONS') {
        this.#access.answerPreflight(request, response)
        return
      }
      this.#access.check(request)
      await this.#route(request, response)
    } catch (error) {
      this.#refuse(error, request, response)
    }
  }

  async #route(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { gateway } = this.#options
    const { pathname } = new URL(request.url ?? '/', 'http://gateway')
    const [version, kind, runId, part, file, ...rest] = pathname.slice(1).split('/').map(decoded)
    if (version !== 'v1' || rest.length > 0 || pathname.endsWith('/')) throw noSuch(pathname)
    const { method } = request
    const isAt = (wanted: string, depth: number) =>
      method === wanted && [kind, runId, part, file].filter((name) => name !== undefined).length === depth

    if (kind === 'health' && isAt('GET', 1)) send(response, 200, await gateway.health())
    else if (kind === 'schema' && isAt('GET', 1)) send(response, 200, gateway.schema())
    else if (kind !== 'runs') throw noSuch(pathname)
    else if (isAt('GET', 1)) send(response, 200, gateway.list())
    else if (isAt('POST', 1)) {
      const answer = await gateway.start(await bodyOf(request))
      send(response, 'run' in answer ? 201 : 200, answer)
    } else {
      const managed = gateway.find(runId ?? '')
      if (isAt('GET', 2)) send(response, 200, managed.summary)
      else if (part === 'config' && isAt('PATCH', 3)) {
        send(response, 200, await gateway.patch(managed.record.runId, await bodyOf(request)))
      } else if (part === 'stop' && isAt('POST', 3)) {
        await bodyOf(request)
        send(response, 200, await managed.stop())
      } else if (part === 'events' && isAt('GET', 3)) {
        if (this.#streams >= MOST_STREAMS) throw busy()
        const first = firstSeq(request, managed.watch.length)
        this.#streams++
        try {
          await streamEvents(managed, first, gateway.redactor, response)
        } finally {
          this.#streams--
        }
      } else if (part === 'files' && isAt('GET', 3)) send(response, 200, listRunFiles(managed))
      else if (part === 'files' && isAt('GET', 4) && file !== undefined && isRunFile(file)) {
        await sendRunFile(managed, file, gateway.redactor, response)
      } else throw noSuch(pathname)
    }
  }

  #refuse(error: unknown, request: IncomingMessage, response: ServerResponse): void {
    if (response.headersSent) {
      response.destroy()
      if (!(error instanceof GatewayProblem)) this.#options.onFault?.(error)
      return
    }
    let problem = error
    if (!(problem instanceof GatewayProblem)) {
      this.#options.onFault?.(error)
      problem = new GatewayProblem(500, {
        what: 'The gateway failed.',
        why: errorText(error),
        remedy: 'Check its output on the cluster. It continues to run.',
      })
    }
    const { status, body, headers } = problem as GatewayProblem
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
    // The rest of an unread body would be parsed as the next request.
    if (!request.complete) response.setHeader('connection', 'close')
    send(response, status, this.#options.gateway.redactor.value(body))
  }
}

function send(response: ServerResponse, status: number, value: unknown): void {
  const body = JSON.stringify(value)
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
  })
  response.end(body)
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > MOST_BODY_BYTES) {
      throw new GatewayProblem(413, {
        what: 'The request is too large.',
        why: `It has more than ${MOST_BODY_BYTES} bytes.`,
        remedy: 'Send only the settings that differ from the released configuration.',
      })
    }
    chunks.push(chunk)
  }
  if (size === 0) return {}
  const type = request.headers['content-type'] ?? ''
  if (!/^application\/json\b/i.test(type)) {
    throw new GatewayProblem(415, {
      what: 'The request cannot be read.',
      why: `Its content type is ${JSON.stringify(type.slice(0, 80))}.`,
      remedy: 'Send JSON as application/json.',
    })
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8')) as unknown
  } catch (cause) {
    throw new GatewayProblem(
      400,
      {
        what: 'The request cannot be read.',
        why: `It is not JSON: ${errorText(cause)}.`,
        remedy: 'Send a JSON object.',
      },
      { cause },
    )
  }
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return ''
  }
}

function noSuch(path: string): GatewayProblem {
  return new GatewayProblem(404, {
    what: 'There is no such endpoint.',
    why: `${JSON.stringify(path.slice(0, 120))} is not a path of the gateway, or not with this method.`,
    remedy: 'docs/gateway.md lists the endpoints.',
  })
}

function busy(): GatewayProblem {
  return new GatewayProblem(
    503,
    { what: 'The gateway is busy.', why: `${MOST_STREAMS} event streams are open.`, remedy: 'Close one of them.' },
    { headers: { 'retry-after': '5' } },
  )
}
