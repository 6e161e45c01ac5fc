/** Serves the folder to its page on this machine alone, as an isolated page, and receives what the page posts. */
import { readFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname } from 'node:path'
import { text } from 'node:stream/consumers'
import { type GpuMessage, messageOf } from '../../../bench/gpu/messages.ts'
import { carried } from './carried.ts'
import { RECORDS } from './page-request.ts'

/** Only an isolated page has a precise clock. */
const HEADERS = { 'Cross-Origin-Opener-Policy': 'same-origin', 'Cross-Origin-Embedder-Policy': 'require-corp' }

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
}

export interface PageServer {
  /** "http://127.0.0.1:4400/page/index.html" */
  address: string
  close(): void
}

export async function servePage(message: (message: GpuMessage) => void): Promise<PageServer> {
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => response.destroy(error as Error))
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', resolve)
  })
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}/page/index.html`,
    close() {
      server.close()
      server.closeAllConnections()
    },
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    // A URL has no ".." left, and no name in the folder is escaped.
    const { pathname } = new URL(request.url ?? '/', 'http://page')
    if (request.method === 'POST' && pathname === RECORDS) {
      message(messageOf(await text(request)))
      response.writeHead(204, HEADERS).end()
      return
    }
    const content = await readFile(carried(pathname)).catch(() => null)
    if (content === null) response.writeHead(404, HEADERS).end()
    else {
      const type = TYPES[extname(pathname)] ?? 'application/octet-stream'
      response.writeHead(200, { ...HEADERS, 'Content-Type': type }).end(content)
    }
  }
}
