/** Servers of tests, on this machine. */
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface LocalServer {
  /** Without a slash at its end. */
  address: string
  port: number
  /** Also ends the connections; may be called again. */
  close(): Promise<void>
}

/** Lets a server listen; port 0 is any free one. */
export async function listening(server: Server, port = 0, host = '127.0.0.1'): Promise<LocalServer> {
  await once(server.listen(port, host), 'listening')
  const bound = (server.address() as AddressInfo).port
  return {
    address: `http://${host}:${bound}`,
    port: bound,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

export async function freePort(host?: string): Promise<number> {
  const { port, close } = await listening(createServer(), 0, host)
  await close()
  return port
}
