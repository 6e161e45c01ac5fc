/** Forwards bytes between a client and a server, until a test cuts the connection. */
import { connect, createServer, type Server, type Socket } from 'node:net'
import type { AddressInfo } from 'node:net'

export class TcpProxy {
  /** Port on 127.0.0.1 to which connections are forwarded. */
  target: number
  /** Bytes after which a connection is cut; called for each connection. */
  limit: () => number
  /** Connections made so far. */
  connections = 0
  #port = 0
  #server: Server | null = null
  readonly #sockets = new Set<Socket>()

  constructor(target: number, limit: () => number = () => Infinity) {
    this.target = target
    this.limit = limit
  }

  get address(): string {
    return `http://127.0.0.1:${this.#port}`
  }

  /** Listens; after a cut, at the same address as before. */
  async open(): Promise<void> {
    const server = createServer((client) => this.#join(client))
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen(this.#port, '127.0.0.1', resolve)
    })
    this.#port = (server.address() as AddressInfo).port
    this.#server = server
  }

  /** Breaks every connection and accepts no more. */
  async cut(): Promise<void> {
    const server = this.#server
    this.#server = null
    const closed = new Promise<void>((resolve) => (server ? server.close(() => resolve()) : resolve()))
    this.reset()
    await closed
  }

  /** Breaks every connection. */
  reset(): void {
    for (const socket of this.#sockets) socket.destroy()
  }

  #join(client: Socket): void {
    this.connections++
    const server = connect(this.target, '127.0.0.1')
    let left = this.limit()
    for (const [one, other] of [
      [client, server],
      [server, client],
    ] as const) {
      this.#sockets.add(one)
      one.setNoDelay()
      // Broken connections are what the tests exercise.
      one.on('error', () => other.destroy())
      one.on('close', () => {
        this.#sockets.delete(one)
        other.destroy()
      })
    }
    client.pipe(server)
    server.on('data', (bytes: Buffer) => {
      if (bytes.length < left) {
        left -= bytes.length
        if (!client.write(bytes)) {
          server.pause()
          client.once('drain', () => server.resume())
        }
        return
      }
      const rest = bytes.subarray(0, left)
      left = 0
      server.pause()
      client.write(rest, () => client.destroy())
    })
    server.on('end', () => client.end())
  }
}
