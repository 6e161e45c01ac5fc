/**
 * Ray's Jobs API (docs.ray.io, job submission REST API). Requests use node:http, because `fetch` adds Sec-Fetch headers, and Ray
 * rejects clients that have them as browsers (CVE-2025-62593, since 2.52).
 */
import { request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { setTimeout as pause } from 'node:timers/promises'
import { RUN_STATES, type RunState } from '../protocol.ts'
import { quoted, type JobBackend, type JobRequest, type JobStatus } from './jobs.ts'
import { GatewayProblem } from './problem.ts'
import { errorText } from '../../threads/error-text.ts'

const TIMEOUT_MS = 30_000
/** Shorter than the client's limit for the gateway's health, which contains the version. */
const VERSION_TIMEOUT_MS = 5_000
const MOST_BYTES = 8 << 20
const MOST_TRIES = 5
const FIRST_WAIT_MS = 500

interface Answer {
  status: number
  text: string
}

export class RayJobs implements JobBackend {
  readonly kind = 'ray'
  readonly #address: string
  readonly #token: string | null
  readonly #timeoutMs: number

  constructor({
    address,
    token,
    timeoutMs = TIMEOUT_MS,
  }: {
    address: string
    token: string | null
    timeoutMs?: number
  }) {
    this.#address = address
    this.#token = token
    this.#timeoutMs = timeoutMs
  }

  async version(): Promise<string | null> {
    const answer = await this.#ask('GET', '/api/version', undefined, Math.min(VERSION_TIMEOUT_MS, this.#timeoutMs))
    const { ray_version: version } = json(answer) as { ray_version?: unknown }
    return typeof version === 'string' ? version : null
  }

  async start({ id, script, folder }: JobRequest): Promise<string> {
    // The path comes from the cluster file and the name is checked, but both are quoted to be safe.
    const body = {
      entrypoint: `bash ${quoted(script)}`,
      submission_id: id,
      metadata: { rlanything_run: id },
      runtime_env: {},
    }
    let why = ''
    for (let attempt = 0; attempt < MOST_TRIES; attempt++) {
      if (attempt > 0) await pause(FIRST_WAIT_MS * 2 ** attempt * (0.5 + 0.5 * Math.random()))
      let answer: Answer
      try {
        answer = await this.#send('POST', '/api/jobs/', body)
      } catch (error) {
        why = errorText(error)
        continue
      }
      if (answer.status < 300) return id
      // An earlier try started it, but its answer was lost.
      if (/already exists/i.test(answer.text) && (await this.#knows({ id, script, folder }))) return id
      if (answer.status === 429 || answer.status >= 502) why = `It answered ${answer.status}.`
      else throw refused(answer)
    }
    throw unreachable(why)
  }

  async #knows(request: JobRequest): Promise<boolean> {
    const answer = await this.#send('GET', `/api/jobs/${encodeURIComponent(request.id)}`)
    return answer.status === 200
  }

  async status(handle: string): Promise<JobStatus> {
    const answer = await this.#send('GET', `/api/jobs/${encodeURIComponent(handle)}`)
    if (answer.status === 404) {
      return {
        state: 'FAILED',
        message: 'Ray no longer knows the job: its head was restarted.',
        exitCode: null,
      }
    }
    if (answer.status >= 300) throw refused(answer)
    const { status, message, driver_exit_code: exitCode } = json(answer) as Record<string, unknown>
    const state = RUN_STATES.find((name) => name === status)
    if (state === undefined) throw new Error(`Ray reports an unknown state: ${JSON.stringify(status)}.`)
    return {
      state: state satisfies RunState,
      message: typeof message === 'string' && state !== 'RUNNING' && state !== 'PENDING' ? message : '',
      exitCode: typeof exitCode === 'number' ? exitCode : null,
    }
  }

  async stop(handle: string): Promise<void> {
    await this.#ask('POST', `/api/jobs/${encodeURIComponent(handle)}/stop`, {})
  }

  async #ask(method: string, path: string, body?: unknown, timeoutMs?: number): Promise<Answer> {
    let answer: Answer
    try {
      answer = await this.#send(method, path, body, timeoutMs)
    } catch (cause) {
      throw unreachable(errorText(cause), cause)
    }
    if (answer.status >= 300) throw refused(answer)
    return answer
  }

  #send(method: string, path: string, body?: unknown, timeoutMs = this.#timeoutMs): Promise<Answer> {
    const url = new URL(this.#address + path)
    const payload = body === undefined ? null : JSON.stringify(body)
    return new Promise((resolve, reject) => {
      const request = (url.protocol === 'https:' ? httpsRequest : httpRequest)(url, {
        method,
        headers: {
          accept: 'application/json',
          'user-agent': 'rlanything-gateway',
          ...(payload === null
            ? {}
            : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(payload) }),
          ...(this.#token === null ? {} : { authorization: `Bearer ${this.#token}` }),
        },
        signal: AbortSignal.timeout(timeoutMs),
      })
      request.on('error', (error) => {
        reject(error.name === 'AbortError' || error.name === 'TimeoutError' ? slow(timeoutMs, error) : failed(error))
      })
      request.on('response', (response) => {
        const chunks: Buffer[] = []
        let size = 0
        response.on('data', (chunk: Buffer) => {
          size += chunk.length
          if (size > MOST_BYTES) request.destroy(new Error(`The answer has more than ${MOST_BYTES} bytes.`))
          else chunks.push(chunk)
        })
        response.on('error', reject)
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString('utf8') }),
        )
      })
      request.end(payload ?? undefined)
    })
  }
}

function json({ text }: Answer): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch (cause) {
    throw new Error(`Ray's answer is not JSON: ${JSON.stringify(text.slice(0, 80))}.`, { cause })
  }
}

function slow(ms: number, cause: unknown): Error {
  return new Error(`There was no answer within ${ms / 1000} s.`, { cause })
}

/** Node's messages contain Ray's address, or the one that its name resolves to, and neither leaves the cluster. */
function failed(error: NodeJS.ErrnoException): Error {
  return error.code === undefined ? error : new Error(`The connection failed: ${error.code}.`, { cause: error })
}

function unreachable(why: string, cause?: unknown): GatewayProblem {
  return new GatewayProblem(
    502,
    {
      what: 'Ray does not answer the gateway.',
      why,
      remedy:
        'Check that Ray runs on the head node (ray status) and that "ray.address" in the cluster file is the address of its dashboard.',
    },
    { cause },
  )
}

function refused({ status, text }: Answer): GatewayProblem {
  if (status === 401 || status === 403) {
    return new GatewayProblem(502, {
      what: 'Ray rejects the gateway.',
      why: `It answered ${status}: the token is missing or wrong.`,
      remedy:
        'Set "ray.token" or "ray.tokenFile" in the cluster file, or RAY_AUTH_TOKEN, to the token with which Ray was started.',
    })
  }
  return new GatewayProblem(502, {
    what: 'Ray rejects the request.',
    why: `It answered ${status}: ${text.trim().split('\n').at(-1)?.slice(0, 300) ?? ''}`,
    remedy: 'See the log of the Ray dashboard on the head node (/tmp/ray/session_latest/logs).',
  })
}
