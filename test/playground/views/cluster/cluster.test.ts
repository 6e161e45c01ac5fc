import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { GatewayHealth, GatewayRun, LaunchRequest } from '../../../../src/cluster/protocol.ts'
import { Cluster } from '../../../../src/playground/views/cluster/cluster.svelte.ts'

const [ONE, TWO] = ['http://127.0.0.1:1', 'http://127.0.0.1:2'] as const
const REQUEST: LaunchRequest = { system: 'alfworld' }

/** What was launched, by gateway. */
let launched: string[]
/** Lets the gateways answer a launch. */
let answer: () => void

beforeEach(() => {
  launched = []
  const isAnswered = new Promise<void>((resolve) => (answer = resolve))
  const health: GatewayHealth = {
    name: 'rlanything-gateway',
    protocol: 1,
    version: 'test',
    backend: 'subprocess',
    rayVersion: null,
    commit: null,
    gpus: 0,
    systems: { alfworld: { isPatched: true, parameters: ['lambda'], problem: null } },
  }
  const reply = async (url: string, { method, signal }: RequestInit): Promise<unknown> => {
    const { origin, pathname } = new URL(url)
    const run = { runId: `of ${origin}`, system: 'alfworld', state: 'RUNNING', startedAt: 1 } as GatewayRun
    if (pathname === '/v1/health') return health
    if (pathname === '/v1/schema') return { systems: {} }
    // A stream of events without any.
    if (pathname.endsWith('/events')) return new Promise((_, fail) => signal?.addEventListener('abort', fail))
    if (method !== 'POST') return [run]
    launched.push(origin)
    await isAnswered
    return { run }
  }
  vi.stubGlobal('localStorage', { getItem: () => null, setItem: () => {}, removeItem: () => {} })
  vi.stubGlobal('location', { href: 'http://127.0.0.1/' })
  vi.stubGlobal('navigator', {})
  vi.stubGlobal('isSecureContext', true)
  vi.stubGlobal('fetch', async (url: string, init: RequestInit) => Response.json(await reply(url, init)))
})
afterEach(() => vi.unstubAllGlobals())

async function connected(): Promise<Cluster> {
  const cluster = new Cluster()
  cluster.profiles.change({ address: ONE })
  await cluster.connect()
  expect([cluster.address, cluster.runs.map(({ runId }) => runId)]).toEqual([ONE, [`of ${ONE}`]])
  return cluster
}

it('a gateway that the form no longer names is left, so that nothing is launched there', async () => {
  const others: ((cluster: Cluster) => void)[] = [
    ({ profiles }) => profiles.change({ address: TWO }),
    ({ profiles }) => profiles.add(),
    ({ profiles }) => {
      profiles.add()
      profiles.choose('local')
    },
  ]
  for (const leave of others) {
    const cluster = await connected()
    leave(cluster)
    expect([cluster.isConnected, cluster.address, cluster.check, cluster.runs]).toEqual([false, null, null, []])
    expect(await cluster.launch(REQUEST)).toBeNull()
  }
  expect(launched).toEqual([])
})

it('the connection stays while the form names the same gateway', async () => {
  const cluster = await connected()
  cluster.profiles.change({ name: 'Mine', address: ONE })
  cluster.profiles.setToken('token', true)
  cluster.profiles.remove()
  expect(cluster.address).toBe(ONE)
})

it('a run that starts while another gateway is chosen is followed on its own', async () => {
  const cluster = await connected()
  const launching = cluster.launch(REQUEST)
  await vi.waitFor(() => expect(launched).toEqual([ONE]))
  cluster.profiles.change({ address: TWO })
  await cluster.connect()
  answer()
  const run = await launching
  expect([run?.gateway, run?.parameters, cluster.address]).toEqual([ONE, ['lambda'], TWO])
  expect(cluster.runs.map(({ runId }) => runId)).toEqual([`of ${TWO}`])
  cluster.leave(run!)
})
