/**
 * A gateway on a real socket that streams a made-up log at the test's pace. It implements the protocol's token,
 * origins, numbering and resuming, and the test can cut its connections.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import {
  type GatewayHealth,
  type LiveParameters,
  type LogLine,
  type ReleasedSystem,
  type GatewayRun,
  type LaunchRequest,
} from '../../src/cluster/protocol.ts'
import { exportRelease } from '../../src/cluster/released/export.ts'
import { editableFields } from '../../src/cluster/released/mapping.ts'
import { releasedSettings } from '../../src/cluster/released/systems.ts'
import { DOMAIN_ACCURACY, domainEvaluation } from '../../src/method/domain-accuracy.ts'
import { isLogged, type LoggedEvent } from '../../src/method/events.ts'
import { listening } from '../local-server.ts'
import { fakeRun } from '../playground/fake-run.ts'

const TOKEN = 'a-token-of-the-test'
const DOMAINS = ['chrome', 'gimp', 'libreoffice_calc', 'os']

interface Job {
  summary: GatewayRun
  /** All events of the run; the first `sent` of them have happened. */
  story: LoggedEvent[]
  sent: number
  log: LogLine[]
  listeners: Set<ServerResponse>
}

export class GatewayStandIn {
  readonly token = TOKEN
  readonly jobs = new Map<string, Job>()
  readonly patches: unknown[] = []
  readonly starts: LaunchRequest[] = []
  /** The event after which each connection asked to continue, in order. */
  readonly resumed: (string | undefined)[] = []
  allowedOrigin: string
  protocol = 1
  isDown = false
  /** How many the runs that start from now on have. */
  iterations = 12
  readonly #server = createServer((request, response) => void this.#answer(request, response))

  constructor(allowedOrigin: string) {
    this.allowedOrigin = allowedOrigin
  }

  async listen(): Promise<string> {
    return (await listening(this.#server)).address
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise<void>((resolve) => this.#server.close(() => resolve()))
  }

  /** Cuts every event stream in the middle of a message. */
  cut(): void {
    for (const { listeners } of this.jobs.values()) {
      for (const response of listeners) response.socket?.destroy()
      listeners.clear()
    }
  }

  /** Sends the events of this many more iterations. */
  advance(runId: string, iterations = 1): void {
    const job = this.jobs.get(runId)!
    for (let i = 0; i < iterations; i++) {
      const end = job.story.findIndex(({ type }, at) => at >= job.sent && type === 'iteration-finished')
      job.sent = end < 0 ? job.story.length : end + 1
    }
    const last = job.story[job.sent - 1]!
    job.summary = { ...job.summary, state: 'RUNNING', step: last.iteration, events: job.sent }
    if (job.summary.pending && job.summary.pending.effectiveFromStep <= last.iteration)
      job.summary = { ...job.summary, live: job.summary.pending.live, pending: null }
    // A line has more bytes than its text, because the gateway removes its colours.
    const offset = 40 * job.log.length
    job.log.push({ offset, text: `[policy] step ${last.iteration} of ${job.summary.totalSteps}` })
    for (const response of job.listeners) {
      this.#tell(response, job)
      response.write(message('log', { lines: job.log.slice(-1) }))
    }
  }

  end(runId: string, state: 'SUCCEEDED' | 'STOPPED' | 'FAILED', said = ''): GatewayRun {
    const job = this.jobs.get(runId)!
    job.summary = { ...job.summary, state, message: said, exitCode: state === 'FAILED' ? 1 : 0, endedAt: Date.now() }
    for (const response of job.listeners) {
      this.#tell(response, job)
      response.end(message('end', job.summary))
    }
    return job.summary
  }

  #start({ system, name = '', totalSteps = this.iterations }: LaunchRequest): GatewayRun {
    const runId = `${system}_${this.jobs.size + 1}`
    const story: LoggedEvent[] = []
    for (const event of fakeRun({ iterations: this.iterations, seed: this.jobs.size + 3 })) {
      if (!isLogged(event)) continue
      if (event.type === 'run-started') event.settings = releasedSettings(system)
      if (event.type === 'iteration-finished' && system === 'osworld')
        for (const [i, domain] of DOMAINS.entries()) {
          event.metrics[DOMAIN_ACCURACY + domain] = Math.min(1, (i + event.iteration) / 16)
          event.metrics[domainEvaluation('id') + domain] = Math.min(1, (i + event.iteration) / 20)
        }
      story.push(event)
    }
    const { lambda, alphaLow, alphaHigh } = releasedSettings(system)
    const summary: GatewayRun = {
      runId,
      system,
      name,
      state: 'PENDING',
      message: '',
      exitCode: null,
      startedAt: Date.now(),
      endedAt: null,
      step: 0,
      totalSteps,
      live: { lambda, alphaLow, alphaHigh },
      pending: null,
      events: 0,
      notices: [],
    }
    this.jobs.set(runId, { summary, story, sent: 0, log: [], listeners: new Set() })
    return summary
  }

  #tell(response: ServerResponse & { next?: number }, job: Job): void {
    for (let i = response.next ?? 0; i < job.sent; i++) response.write(message('run', job.story[i], i))
    response.next = job.sent
    response.write(message('status', job.summary))
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (this.isDown) return void request.socket.destroy()
    const { origin } = request.headers
    if (origin === this.allowedOrigin) {
      response.setHeader('access-control-allow-origin', origin)
      response.setHeader('access-control-allow-headers', 'authorization, content-type, last-event-id')
      response.setHeader('access-control-allow-methods', 'GET, POST, PATCH')
      response.setHeader('access-control-allow-private-network', 'true')
    }
    if (request.method === 'OPTIONS') return void response.writeHead(204).end()
    if (request.headers.authorization !== `Bearer ${TOKEN}`)
      return refuse(response, 401, 'The token is not the right one.', 'It is not that of this gateway.')
    const body = await bodyOf(request)
    const [, , ...path] = (request.url ?? '').split('/')
    if (path[0] === 'health') return json(response, this.#health())
    if (path[0] === 'schema')
      return json(response, { systems: { alfworld: editableFields('alfworld'), osworld: editableFields('osworld') } })
    if (path.length === 1 && request.method === 'POST') return this.#launch(response, body as LaunchRequest)
    if (path.length === 1) return json(response, [...this.jobs.values()].map(({ summary }) => summary).reverse())
    const job = this.jobs.get(path[1] ?? '')
    if (!job) return refuse(response, 404, 'There is no such run.', 'It was removed.')
    if (path[2] === 'events') return this.#stream(request, response, job)
    if (path[2] === 'stop') return json(response, this.end(job.summary.runId, 'STOPPED'))
    if (path[2] === 'files' && path[3]) return void response.end('experiment:\n  project: x\n')
    if (path[2] === 'files') return json(response, [{ name: 'config.yaml', bytes: 26 }])
    if (path[2] === 'config') {
      const patch = body as Partial<LiveParameters>
      this.patches.push(patch)
      const { live, pending, step } = job.summary
      const answer = { effectiveFromStep: step + 1, live: { ...(pending?.live ?? live), ...patch } }
      job.summary = { ...job.summary, pending: answer }
      return json(response, answer)
    }
    json(response, job.summary)
  }

  #launch(response: ServerResponse, request: LaunchRequest): void {
    const { system, settings = {}, totalSteps, saveEvery, name } = request
    const { yaml, command, differences, live } = exportRelease(
      system,
      { ...releasedSettings(system), ...settings },
      {
        ...(name !== undefined && { project: name }),
        ...(totalSteps !== undefined && { totalSteps }),
        ...(saveEvery !== undefined && { saveEvery }),
      },
    )
    const plan = { yaml, command, differences, live, environment: { MLP_WORKER_0_HOST: '<on the cluster>' } }
    if (request.dryRun) return json(response, plan)
    this.starts.push(request)
    json(response, { ...plan, run: this.#start(request) })
  }

  #stream(request: IncomingMessage, response: ServerResponse & { next?: number }, job: Job): void {
    const last = request.headers['last-event-id'] as string | undefined
    this.resumed.push(last)
    response.next = last === undefined ? 0 : Number(last) + 1
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    this.#tell(response, job)
    response.write(message('log', { lines: job.log }))
    if (job.summary.state === 'PENDING' || job.summary.state === 'RUNNING') job.listeners.add(response)
    else response.end(message('end', job.summary))
  }

  #health(): GatewayHealth {
    const patched = {
      isPatched: true,
      parameters: ['lambda' as const, 'alphaLow' as const, 'alphaHigh' as const],
      problem: null,
    }
    const systems: Partial<Record<ReleasedSystem, typeof patched>> = { alfworld: patched, osworld: patched }
    return {
      name: 'rlanything-gateway',
      protocol: this.protocol,
      version: '0.1.0',
      backend: 'ray',
      rayVersion: '2.54.0',
      commit: '1fe5dbd9c0ffee',
      gpus: 96,
      systems,
    }
  }
}

function message(event: string, data: unknown, id?: number): string {
  return `${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`
}

function json(response: ServerResponse, value: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))
}

function refuse(response: ServerResponse, status: number, what: string, why: string): void {
  json(response, { error: { what, why, remedy: 'Copy the token that it printed.' } }, status)
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  let text = ''
  for await (const piece of request) text += String(piece)
  return text === '' ? null : JSON.parse(text)
}
