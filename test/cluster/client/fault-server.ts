/** A gateway's endpoints on a real socket, with faults on demand. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { afterEach } from 'vitest'
import { listening } from '../../local-server.ts'

export type Handler = (request: IncomingMessage, response: ServerResponse, body: string) => void | Promise<void>

export interface FaultServer {
  address: string
  /** Requests so far, headers in lower case. */
  requests: { method: string; url: string; headers: IncomingMessage['headers']; body: string }[]
  close(): Promise<void>
}

const open = new Set<FaultServer>()
afterEach(async () => {
  await Promise.all([...open].map((server) => server.close()))
})

export async function faultServer(handle: Handler, port = 0): Promise<FaultServer> {
  const requests: FaultServer['requests'] = []
  const server = createServer((request, response) => {
    const pieces: Buffer[] = []
    request.on('data', (piece: Buffer) => pieces.push(piece))
    request.on('end', () => {
      const body = Buffer.concat(pieces).toString()
      requests.push({ method: request.method ?? '', url: request.url ?? '', headers: request.headers, body })
      void handle(request, response, body)
    })
  })
  const { address, close } = await listening(server, port)
  const self: FaultServer = {
    address,
    requests,
    async close() {
      open.delete(self)
      await close()
    },
  }
  open.add(self)
  return self
}

export function json(
  response: ServerResponse,
  value: unknown,
  status = 200,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers })
  response.end(JSON.stringify(value))
}

/** Starts an event stream; write to it with `sse`. */
export function stream(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
}

export function sse(event: string, data: unknown, id?: number): string {
  return `${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`
}
