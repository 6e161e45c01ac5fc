/** A gateway on loopback with a small tree, and a client that shares no code with it. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'vitest'
import { parseCluster, type Cluster } from '../../src/cluster/gateway/cluster-file.ts'
import { Gateway } from '../../src/cluster/gateway/gateway.ts'
import { GatewayServer, type ServerOptions } from '../../src/cluster/gateway/http-server.ts'
import type { JobBackend } from '../../src/cluster/gateway/jobs.ts'
import { SubprocessJobs } from '../../src/cluster/gateway/subprocess-jobs.ts'
import type { StartAnswer } from '../../src/cluster/protocol.ts'
import type { LoggedEvent } from '../../src/method/events.ts'
import { layDownTree, type TreeOptions } from './released-tree.ts'

/** The release is Python, and so is the tree that replaces it. */
export const HAS_PYTHON = spawnSync('python3', ['--version']).status === 0

export const TOKEN = 'a-token-for-these-tests'
export const SECRET = 'AKLTsecretofthecloud'

export interface Fixture {
  folder: string
  cluster: Cluster
  address: string
  gateway: Gateway
  ask: (method: string, path: string, body?: unknown, headers?: Record<string, string>) => Promise<Response>
  /** Stops the gateway, but not its jobs. */
  stop: () => Promise<void>
  /** Starts another gateway on the same state. */
  restart: () => Promise<void>
  remove: () => Promise<void>
}

export interface FixtureOptions extends TreeOptions {
  backend?: JobBackend
  cluster?: Record<string, unknown>
  server?: Partial<ServerOptions>
  isBare?: boolean
}

/** Contents of the cluster file for a tree in `folder`. */
export function clusterFile(folder: string, more: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    checkout: join(folder, 'checkout'),
    state: join(folder, 'state'),
    token: TOKEN,
    origins: ['https://playground.example'],
    gpus: 8,
    environment: { MLP_WORKER_0_HOST: 'node-zero.internal', MLP_WORKER_0_PORT: '29500' },
    systems: {
      alfworld: {
        config: {
          experiment: { num_node: 1, deepspeed_file: '1_node_8_gpus_deepspeed_zero3' },
          system: {
            HF_HOME: join(folder, 'hf'),
            envs_dir: join(folder, 'envs'),
            HTTP_PROXY: `http://me:${SECRET}@proxy.internal`,
          },
          model: {
            policy_model: join(folder, 'models/Tiny-Policy'),
            reward_model: join(folder, 'models/Tiny-Reward'),
            environment_model: join(folder, 'models/Tiny-Author'),
          },
          dataset: { environment_file_dir: join(folder, 'files'), environment_data_dir: join(folder, 'data') },
        },
      },
    },
    ...more,
  }
}

export async function startFixture({
  backend = new SubprocessJobs(2000),
  cluster: more = {},
  server: own = {},
  isBare = false,
  ...tree
}: FixtureOptions = {}): Promise<Fixture> {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-'))
  const checkout = join(folder, 'checkout')
  mkdirSync(checkout)
  if (!isBare) layDownTree(checkout, tree)
  const cluster = parseCluster(clusterFile(folder, more), 'cluster.yaml', {})
  const fixture = { folder, cluster } as Fixture
  let server: GatewayServer
  fixture.restart = async () => {
    fixture.gateway = new Gateway({ cluster, backend, version: 'test', pollMs: 40 })
    fixture.gateway.open()
    server = new GatewayServer({ gateway: fixture.gateway, token: cluster.token, origins: cluster.origins, ...own })
    fixture.address = `http://127.0.0.1:${await server.listen('127.0.0.1', 0)}`
  }
  fixture.stop = async () => {
    await server.close()
    await fixture.gateway.close()
  }
  fixture.remove = async () => {
    for (const { runId } of fixture.gateway.list())
      await fixture.gateway
        .find(runId)
        .stop()
        .catch(() => undefined)
    await fixture.stop()
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }
  fixture.ask = (method, path, body, headers = {}) =>
    fetch(fixture.address + path, {
      method,
      headers: {
        authorization: `Bearer ${TOKEN}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
  await fixture.restart()
  return fixture
}

export async function startRun({ ask }: Pick<Fixture, 'ask'>, body: Record<string, unknown>): Promise<StartAnswer> {
  const response = await ask('POST', '/v1/runs', { system: 'alfworld', ...body })
  expect(response.status, await response.clone().text()).toBe(201)
  return (await response.json()) as StartAnswer
}

export interface Heard {
  events: LoggedEvent[]
  other: { name: string; data: unknown }[]
  hasEnded: boolean
}

export const finished = ({ events }: Heard) => events.filter((event) => event.type === 'iteration-finished')

/**
 * Reads an event stream until `isEnough` or its end, and checks that each event's id is its number. `heard` continues across
 * connections, like a client's memory.
 */
export async function hear(
  fixture: Pick<Fixture, 'ask'>,
  runId: string,
  heard: Heard,
  isEnough: (heard: Heard) => boolean = () => false,
): Promise<Heard> {
  const last = heard.events.at(-1)
  const response = await fixture.ask(
    'GET',
    `/v1/runs/${runId}/events`,
    undefined,
    last ? { 'last-event-id': String(last.seq) } : {},
  )
  if (!response.ok || !response.body) throw new Error(`${response.status}: ${await response.text()}`)
  const reader = response.body.getReader()
  const decoder = new TextDecoder()
  let text = ''
  try {
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
      text += decoder.decode(piece.value, { stream: true })
      for (let cut = text.indexOf('\n\n'); cut >= 0; cut = text.indexOf('\n\n')) {
        take(text.slice(0, cut), heard)
        text = text.slice(cut + 2)
        if (heard.hasEnded || isEnough(heard)) return heard
      }
    }
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    // The connection was cut.
  } finally {
    await reader.cancel().catch(() => undefined)
  }
  return heard
}

function take(block: string, heard: Heard): void {
  const field = (name: string) =>
    block
      .split('\n')
      .find((line) => line.startsWith(`${name}: `))
      ?.slice(name.length + 2)
  const name = field('event')
  if (name === undefined) return
  const data = JSON.parse(field('data') ?? 'null') as unknown
  if (name === 'run') {
    const event = data as LoggedEvent
    if (field('id') !== String(event.seq)) throw new Error(`Event ${event.seq} has the id ${field('id')}.`)
    heard.events.push(event)
  } else {
    if (name === 'end') heard.hasEnded = true
    heard.other.push({ name, data })
  }
}

export function nothingHeard(): Heard {
  return { events: [], other: [], hasEnded: false }
}
