/** The page's client against the real gateway. */
import { spawn, type ChildProcess } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { root, typescriptFlags } from '../../scripts/ensure.mjs'
import { checkConnection } from '../../src/cluster/client/connection-check.ts'
import { GatewayClient } from '../../src/cluster/client/gateway-client.ts'
import type { GatewayError } from '../../src/cluster/client/gateway-error.ts'
import { RunFollower, type FollowOptions, type FollowState } from '../../src/cluster/client/run-follower.ts'
import { RELEASED_SYSTEMS, type LogLine, type GatewayRun } from '../../src/cluster/protocol.ts'
import { exportRelease } from '../../src/cluster/released/export.ts'
import { editableFields } from '../../src/cluster/released/mapping.ts'
import { releasedSettings } from '../../src/cluster/released/systems.ts'
import type { LoggedEvent } from '../../src/method/events.ts'
import { problemsOf, requestOf } from '../../src/playground/views/cluster/launch.ts'
import { appendLog } from '../../src/playground/views/cluster/log.ts'
import { parseRunLog } from '../../src/runs/run-log.ts'
import { clusterFile, HAS_PYTHON, startFixture, TOKEN, type Fixture, type FixtureOptions } from './gateway-fixture.ts'
import { layDownTree } from './released-tree.ts'
import { TcpProxy } from './tcp-proxy.ts'

const HASTY: FollowOptions = { firstWaitMs: 20, longestWaitMs: 300, patienceMs: 20_000 }

let fixture: Fixture | null = null
let proxy: TcpProxy | null = null
afterEach(async () => {
  await proxy?.cut()
  proxy = null
  await fixture?.remove()
  fixture = null
})

async function open(options: FixtureOptions = {}): Promise<GatewayClient> {
  fixture = await startFixture(options)
  return new GatewayClient({ address: fixture.address, token: TOKEN })
}

interface Followed {
  events: LoggedEvent[]
  log: readonly LogLine[]
  statuses: GatewayRun[]
  states: FollowState['state'][]
  ended: Promise<GatewayRun>
}

function follow(client: GatewayClient, runId: string): Followed {
  const heard: Omit<Followed, 'ended'> = { events: [], log: [], statuses: [], states: [] }
  const follower = new RunFollower(
    client,
    runId,
    {
      onEvent: (event) => heard.events.push(event),
      onNow: () => {},
      onLog: (lines) => (heard.log = appendLog(heard.log, lines, Infinity)),
      onStatus: (summary) => heard.statuses.push(summary),
      onState: ({ state }) => heard.states.push(state),
    },
    HASTY,
  )
  return Object.assign(heard, { ended: follower.follow(new AbortController().signal) })
}

const finished = ({ events }: Followed) => events.filter(({ type }) => type === 'iteration-finished').length

async function textOf(client: GatewayClient, runId: string, name: string): Promise<string> {
  return await (await client.file(runId, name)).text()
}

/** Checks that the client received what the gateway has on disk: every event once, and the log line by line. */
async function expectWhole(client: GatewayClient, runId: string, heard: Followed): Promise<void> {
  expect(heard.events).toEqual(parseRunLog(await textOf(client, runId, 'run.jsonl')))
  expect(heard.log.map(({ text }) => text)).toEqual((await textOf(client, runId, 'job.log')).split('\n').slice(0, -1))
}

describe('client and gateway', () => {
  it('agree on whether the connection works, and on why it does not', async () => {
    await open()
    const context = {
      address: fixture!.address,
      page: 'http://localhost:4173/',
      isSecureContext: true,
      permissions: undefined,
    }
    const good = await checkConnection({ ...context, token: TOKEN })
    expect(good.problem).toBeNull()
    expect(good.steps.every(({ state }) => state === 'passed')).toBe(true)
    expect(good.health).toMatchObject({ backend: 'subprocess', gpus: 8 })
    expect(Object.keys(good.schema?.systems ?? {})).toEqual(['alfworld'])

    const wrong = await checkConnection({ ...context, token: 'another' })
    expect(wrong.problem).toMatchObject({ kind: 'token', what: 'The gateway rejects the request.' })
    expect(wrong.steps.at(-1)).toEqual({ name: 'The token is right', state: 'failed' })
  })

  it.each<[string, string, Partial<GatewayError>, (client: GatewayClient) => Promise<unknown>]>([
    ['a missing run', 'refused', { what: 'There is no such run.' }, (client) => client.run('nobody')],
    ['a system that the cluster does not have', 'refused', {}, (client) => client.plan({ system: 'osworld' })],
    [
      'an invalid value',
      'refused',
      {},
      (client) => client.plan({ system: 'alfworld', settings: { alphaLow: 0.9, alphaHigh: 0.1 } }),
    ],
    [
      'a setting that the release fixes',
      'refused',
      { what: '"explorationBonus" is not a setting.' },
      (client) => client.plan({ system: 'alfworld', settings: { explorationBonus: 1 } as never }),
    ],
    [
      'two values that share a key in the release',
      'refused',
      {
        what: 'policyLearningRate is 0.00002 and rewardLearningRate is 0.000001, but the release has one value for both.',
      },
      (client) => client.plan({ system: 'alfworld', settings: { policyLearningRate: 2e-5 } }),
    ],
    ['a name that contains a path', 'refused', {}, (client) => client.plan({ system: 'alfworld', name: '../x' })],
  ])('agree on %s', async (_, kind, said, ask) => {
    const error = await open()
      .then(ask)
      .then(
        () => null,
        (reason: unknown) => reason,
      )
    expect(error).toMatchObject({ kind, ...said })
  })

  it('agree on when to retry after too many requests', async () => {
    const client = await open({ server: { limits: { burst: 4, perSecond: 0.01, wrongTokensPerMinute: 10 } } })
    const errors = await Promise.all(
      Array.from({ length: 12 }, () =>
        client.health().then(
          () => null,
          (error: unknown) => error as GatewayError,
        ),
      ),
    )
    const refused = errors.filter((error) => error !== null)
    expect(refused.length).toBeGreaterThanOrEqual(8)
    for (const error of refused) {
      expect(error).toMatchObject({ kind: 'busy', what: 'The gateway received too many requests.', isPassing: true })
      expect(error.retryAfterMs).toBeGreaterThanOrEqual(1000)
    }
  })

  it.each(RELEASED_SYSTEMS)(
    'agree on the fields of the page’s form and the YAML that it exports: %s',
    async (system) => {
      const systems = Object.fromEntries(RELEASED_SYSTEMS.map((name) => [name, { config: {} }]))
      const client = await open({ cluster: { systems } })
      const fields = (await client.schema()).systems[system] ?? []
      expect(fields).toEqual(editableFields(system))
      // Changes every field that can be increased, together with the fields that share its key in the release.
      const changed = fields.map(({ name, isInteger, max, default: value }) => {
        const more = isInteger ? Number(value) + 1 : Number(value) * 1.125
        return [
          name,
          typeof value === 'boolean' || (max !== null && more > max) ? String(value) : String(more),
        ] as const
      })
      const texts = Object.fromEntries(changed)
      expect(problemsOf(fields, texts)).toEqual([])
      const request = requestOf(system, fields, texts, 'all_of_it')
      expect(Object.keys(request.settings ?? {}).length).toBeGreaterThan(10)
      const plan = await client.plan(request)
      const { differences, live, command } = exportRelease(
        system,
        { ...releasedSettings(system), ...request.settings },
        { totalSteps: request.totalSteps!, saveEvery: request.saveEvery!, project: 'all_of_it' },
      )
      expect(plan.live).toEqual(live)
      expect(plan.command.replace(/_[a-z0-9]{6}\.yaml$/, '.yaml')).toBe(command)
      const shared = differences.filter(({ key }) => key !== 'experiment.project')
      expect(shared.length).toBeGreaterThan(10)
      expect(plan.differences).toEqual(expect.arrayContaining(shared))
    },
  )

  it.skipIf(!HAS_PYTHON)('agree on a run from the dry run to its files', async () => {
    const client = await open({ stepSeconds: 0.3 })
    const request = { system: 'alfworld', name: 'agreed', settings: { lambda: 0.5 }, totalSteps: 40 } as const
    const plan = await client.plan(request)
    expect(plan.command).toMatch(/ alfworld_rl\.py config=configs\/agreed_[a-z0-9]{6}\.yaml$/)
    expect(plan.live).toEqual({ lambda: 0.5, alphaLow: 0.2, alphaHigh: 0.8 })
    expect(await client.runs()).toEqual([])
    const { run } = await client.start(request)
    expect(run).toMatchObject({ name: 'agreed', totalSteps: 40, live: plan.live, pending: null, endedAt: null })
    const heard = follow(client, run.runId)
    await expect.poll(() => finished(heard)).toBeGreaterThanOrEqual(2)

    const answer = await client.patch(run.runId, { lambda: 2 })
    expect(answer.live).toEqual({ ...plan.live, lambda: 2 })
    await expect.poll(() => heard.statuses.some(({ pending }) => pending !== null)).toBe(true)
    await expect.poll(() => finished(heard)).toBeGreaterThan(answer.effectiveFromStep)
    for (const { step, live, pending } of heard.statuses.filter(({ step }) => step > 0)) {
      expect(live.lambda, `step ${step}`).toBe(step < answer.effectiveFromStep ? 0.5 : 2)
      if (pending) expect([pending, step < answer.effectiveFromStep]).toEqual([answer, true])
    }
    expect(heard.events.filter(({ type }) => type === 'settings-changed')).toMatchObject([
      { iteration: answer.effectiveFromStep, patch: { lambda: 2 } },
    ])

    const stopped = await client.stop(run.runId)
    expect(Object.keys(stopped).sort()).toEqual(Object.keys(run).sort())
    const end = await heard.ended
    expect(end).toMatchObject({ state: 'STOPPED', pending: null, events: heard.events.length })
    expect(await client.run(run.runId)).toEqual(end)
    expect(await client.runs()).toEqual([end])
    expect((await client.files(run.runId)).map(({ name }) => name)).toEqual([
      'run.jsonl',
      'metrics.jsonl',
      'config.yaml',
      'job.log',
    ])
    await expect(client.file(run.runId, '../run.json')).rejects.toMatchObject({
      kind: 'refused',
      what: 'There is no such endpoint.',
    })
    expect(await textOf(client, run.runId, 'config.yaml')).toMatch(/lambda: 0.5/)
    await expectWhole(client, run.runId, heard)
    await expect(client.patch(run.runId, { lambda: 3 })).rejects.toMatchObject({
      kind: 'refused',
      why: 'It is over: STOPPED.',
    })
    expect(await client.stop(run.runId)).toEqual(end)
  })

  it.skipIf(!HAS_PYTHON)('transfer a run completely and once over slow connections that break anywhere', async () => {
    await open({ stepSeconds: 0.4, server: { limits: { burst: 1000, perSecond: 1000, wrongTokensPerMinute: 10 } } })
    let count = 0
    // 977 is prime, so the cuts fall anywhere in the events; the longest event still arrives.
    proxy = new TcpProxy(Number(new URL(fixture!.address).port), () => 6000 + ((977 * count++) % 9000))
    await proxy.open()
    const client = new GatewayClient({ address: proxy.address, token: TOKEN })
    const { run } = await client.start({ system: 'alfworld', totalSteps: 8 })
    const heard = follow(client, run.runId)
    expect(await heard.ended).toMatchObject({ state: 'SUCCEEDED', step: 8 })
    expect(heard.states.filter((state) => state === 'waiting').length).toBeGreaterThan(8)
    await expectWhole(new GatewayClient({ address: fixture!.address, token: TOKEN }), run.runId, heard)
  })
})

describe.skipIf(!HAS_PYTHON)('a gateway that is killed and restarted', () => {
  it('neither loses nor repeats an event, and can stop its run', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'killed-'))
    const config = join(folder, 'cluster.json')
    mkdirSync(join(folder, 'checkout'))
    layDownTree(join(folder, 'checkout'), { stepSeconds: 1 })
    writeFileSync(config, JSON.stringify(clusterFile(folder)))
    let gateway = await startGateway(config)
    proxy = new TcpProxy(gateway.port)
    await proxy.open()
    const client = new GatewayClient({ address: proxy.address, token: TOKEN })
    try {
      const { run } = await client.start({ system: 'alfworld', totalSteps: 300 })
      const heard = follow(client, run.runId)
      for (const steps of [2, 4]) {
        await expect.poll(() => finished(heard)).toBeGreaterThanOrEqual(steps)
        gateway.child.kill('SIGKILL')
        gateway = await startGateway(config)
        proxy.target = gateway.port
      }
      await expect.poll(() => finished(heard)).toBeGreaterThanOrEqual(6)
      await client.stop(run.runId)
      expect(await heard.ended).toMatchObject({ state: 'STOPPED' })
      expect(heard.states.filter((state) => state === 'waiting').length).toBeGreaterThanOrEqual(2)
      await expectWhole(client, run.runId, heard)
    } finally {
      for (const { runId } of await client.runs().catch(() => [])) await client.stop(runId).catch(() => undefined)
      gateway.child.kill('SIGKILL')
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
    }
  })
})

/** `npm run gateway` without npm, so that the process itself can be killed. */
async function startGateway(config: string): Promise<{ child: ChildProcess; port: number }> {
  const args = [...typescriptFlags(), 'src/cli/gateway.ts', '--config', config, '--port', '0']
  const child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] })
  let said = ''
  child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()))
  const port = await new Promise<number>((resolve, reject) => {
    child.once('exit', () => reject(new Error(`The gateway ended: ${said}`)))
    child.stdout.on('data', (chunk: Buffer) => {
      said += chunk.toString()
      const [, found] = /listens on http:\/\/127\.0\.0\.1:(\d+)/.exec(said) ?? []
      if (found !== undefined) resolve(Number(found))
    })
  })
  return { child, port }
}
