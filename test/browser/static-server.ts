/** A plain web server of the built page in a folder of its host, as a course site would have it, with changes that a test wants. */
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { networkInterfaces } from 'node:os'
import { extname, join } from 'node:path'
import { root } from '../../scripts/ensure.mjs'
import { listening } from '../local-server.ts'

const TYPES: Record<string, string> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.wasm': 'application/wasm',
}

/** By which other machines reach this one; undefined without a network. */
export const otherAddress = Object.values(networkInterfaces())
  .flatMap((each) => each ?? [])
  .find(({ family, internal }) => family === 'IPv4' && !internal)?.address

export interface StaticServer {
  /** Address of the host, ending in a slash. */
  origin: string
  /** Address of the page in the first folder, ending in a slash. */
  address: string
  close(): Promise<void>
}

export interface Changes {
  /** Paths of the folders with the page, `/course/rl/` by default. */
  folders?: readonly string[]
  /** Replaces the answer of a file. */
  change?: (
    path: string,
  ) => { status?: number; headers?: Record<string, string>; body?: string | Uint8Array } | undefined
  /** Interface to listen at. */
  host?: string
}

export async function serveStatic({
  folders = ['/course/rl/'],
  change,
  host = '127.0.0.1',
}: Changes = {}): Promise<StaticServer> {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url!, 'http://here')
    const folder = folders.find((each) => pathname.startsWith(each))
    if (folder === undefined) return void response.writeHead(404).end()
    const path = decodeURIComponent(pathname.slice(folder.length)) || 'index.html'
    const changed = change?.(path)
    const headers = { 'Content-Type': TYPES[extname(path)] ?? 'application/octet-stream', ...changed?.headers }
    const content = changed?.body === undefined ? readFile(join(root, 'dist', path)) : Promise.resolve(changed.body)
    content.then(
      (bytes) => response.writeHead(changed?.status ?? 200, headers).end(bytes),
      () => response.writeHead(404).end(),
    )
  })
  const { address, close } = await listening(server, 0, host)
  const origin = `${address}/`
  return { origin, address: new URL(folders[0]!, origin).href, close }
}
