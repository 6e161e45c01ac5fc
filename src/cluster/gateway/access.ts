/**
 * Controls access: a bearer token, known origins, and rate limits. Without a token the gateway listens only on this machine and also
 * checks the Host header, because a foreign name can be made to point here (DNS rebinding).
 */
import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { GatewayProblem } from './problem.ts'

/** Pages on this machine: the project's development server and preview. */
export const LOCAL_ORIGINS = [5173, 4173].flatMap((port) => [`http://localhost:${port}`, `http://127.0.0.1:${port}`])

export interface Limits {
  /** Requests from one address, with and without the token separately: at once, and refilled each second. */
  burst: number
  perSecond: number
  /** Wrong tokens from one address in a minute. */
  wrongTokensPerMinute: number
}
export const LIMITS: Limits = { burst: 120, perSecond: 20, wrongTokensPerMinute: 10 }

interface Bucket {
  left: number
  at: number
}
const MOST_BUCKETS = 10_000

/** A token bucket for each key. */
class Buckets {
  readonly #buckets = new Map<string, Bucket>()
  constructor(
    private readonly size: number,
    private readonly perSecond: number,
  ) {}

  /** Takes one and returns 0, or returns the seconds until the next is free. */
  take(key: string, now: number): number {
    const bucket = this.#at(key, now)
    if (bucket.left < 1) return (1 - bucket.left) / this.perSecond
    bucket.left -= 1
    return 0
  }

  #at(key: string, now: number): Bucket {
    const old = this.#buckets.get(key)
    const left = old ? Math.min(this.size, old.left + ((now - old.at) / 1000) * this.perSecond) : this.size
    const bucket = { left, at: now }
    this.#buckets.delete(key)
    this.#buckets.set(key, bucket)
    // Drops the one unused for longest: it is full again by now, unless an attacker has very many addresses.
    const [first] = this.#buckets.keys()
    if (this.#buckets.size > MOST_BUCKETS && first !== undefined) this.#buckets.delete(first)
    return bucket
  }
}

export class Access {
  readonly #tokenHash: Buffer | null
  readonly #origins: ReadonlySet<string>
  readonly #requests: Buckets
  readonly #wrong: Buckets

  constructor({
    token,
    origins,
    limits = LIMITS,
  }: {
    token: string | null
    origins: readonly string[]
    limits?: Limits
  }) {
    this.#tokenHash = token === null ? null : hash(token)
    this.#origins = new Set([...origins, ...LOCAL_ORIGINS])
    this.#requests = new Buckets(limits.burst, limits.perSecond)
    this.#wrong = new Buckets(limits.wrongTokensPerMinute, limits.wrongTokensPerMinute / 60)
  }

  /** Sets the headers that let a page of a known origin read the answer. Throws GatewayProblem for an unknown origin. */
  allowOrigin(request: IncomingMessage, response: ServerResponse): void {
    const { origin } = request.headers
    response.setHeader('vary', 'origin')
    if (origin === undefined) return
    if (!this.#origins.has(origin)) {
      throw new GatewayProblem(403, {
        what: 'The gateway does not answer this page.',
        why: `Its origin, ${JSON.stringify(origin.slice(0, 200))}, is not on the list.`,
        remedy: 'Add it under "origins" in the cluster file or with --allow-origin, and restart the gateway.',
      })
    }
    response.setHeader('access-control-allow-origin', origin)
    response.setHeader('access-control-expose-headers', 'retry-after')
  }

  /** Answers a preflight, including those of Private Network Access. */
  answerPreflight(request: IncomingMessage, response: ServerResponse): void {
    response.setHeader('access-control-allow-methods', 'GET, POST, PATCH')
    response.setHeader('access-control-allow-headers', 'authorization, content-type, last-event-id')
    response.setHeader('access-control-max-age', '600')
    for (const kind of ['private', 'local']) {
      if (request.headers[`access-control-request-${kind}-network`] === 'true') {
        response.setHeader(`access-control-allow-${kind}-network`, 'true')
      }
    }
    response.writeHead(204).end()
  }

  /** Throws GatewayProblem with status 401, 403 or 429. */
  check(request: IncomingMessage, now = Date.now()): void {
    const from = request.socket.remoteAddress ?? ''
    const [, token = ''] = /^Bearer (\S+)$/i.exec(request.headers.authorization ?? '') ?? []
    // Hashes have a fixed length, so the comparison always takes the same time.
    const isRight = this.#tokenHash !== null && token !== '' && timingSafeEqual(hash(token), this.#tokenHash)
    // All clients behind a proxy share its address: those without the token must not use up the requests of the others.
    const wait = this.#requests.take(isRight ? `token ${from}` : from, now)
    if (wait > 0) throw tooMany(wait, 'Too many requests came from this address.')
    if (isRight) return
    if (this.#tokenHash === null) {
      if (isLoopbackHost(request.headers.host ?? '')) return
      throw new GatewayProblem(403, {
        what: 'The gateway does not answer under this host name.',
        why: 'Without a token it answers only this machine, and the Host header names another one.',
        remedy: 'Use 127.0.0.1 or localhost, or start the gateway with a token.',
      })
    }
    const pause = token === '' ? 0 : this.#wrong.take(from, now)
    if (pause > 0) throw tooMany(pause, 'Too many wrong tokens came from this address.')
    throw new GatewayProblem(
      401,
      {
        what: 'The gateway rejects the request.',
        why: token === '' ? 'It has no token.' : 'Its token is wrong.',
        remedy: 'Use the token with which the gateway was started.',
      },
      { headers: { 'www-authenticate': 'Bearer' } },
    )
  }
}

export function isLoopbackHost(host: string): boolean {
  const name = host.replace(/:\d+$/, '').toLowerCase()
  return name === 'localhost' || name === '[::1]' || name === '::1' || /^127(\.\d{1,3}){3}$/.test(name)
}

function hash(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}

function tooMany(seconds: number, why: string): GatewayProblem {
  const wait = Math.max(1, Math.ceil(seconds))
  return new GatewayProblem(
    429,
    { what: 'The gateway received too many requests.', why, remedy: `Try again in ${wait} s.` },
    { headers: { 'retry-after': String(wait) } },
  )
}
