import { request as httpRequest } from 'node:http'
import { afterEach, describe, expect, it } from 'vitest'
import { checkListening } from '../../../src/cluster/gateway/http-server.ts'
import type { GatewayErrorBody, GatewayHealth, GatewaySchema } from '../../../src/cluster/protocol.ts'
import { startFixture, TOKEN, type Fixture } from '../gateway-fixture.ts'

let fixture: Fixture | null = null
afterEach(async () => {
  await fixture?.remove()
  fixture = null
})

const open = async (options: Parameters<typeof startFixture>[0] = {}) => (fixture = await startFixture(options))

async function refusal(response: Response): Promise<[number, GatewayErrorBody['error']]> {
  const { error } = (await response.json()) as GatewayErrorBody
  for (const part of [error.what, error.why, error.remedy]) expect(part.length).toBeGreaterThan(3)
  return [response.status, error]
}

/** A request with headers that `fetch` forbids, or with a literal path. */
function raw(
  fixture: Fixture,
  path: string,
  headers: Record<string, string>,
  method = 'GET',
): Promise<{ status: number; headers: Record<string, unknown>; body: string }> {
  return new Promise((resolve, reject) => {
    const { port } = new URL(fixture.address)
    const request = httpRequest({ host: '127.0.0.1', port, path, method, headers }, (response) => {
      let body = ''
      response.on('data', (chunk: Buffer) => (body += chunk.toString()))
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body }))
    })
    request.on('error', reject)
    request.end()
  })
}

describe('access to the gateway', () => {
  it.each([
    ['no token', {}],
    ['another token', { authorization: 'Bearer not-this-one' }],
    ['a truncated token', { authorization: `Bearer ${TOKEN.slice(0, -1)}` }],
    ['the token in another scheme', { authorization: `Basic ${TOKEN}` }],
  ])('refuses %s', async (_, headers) => {
    const { address } = await open()
    const [status, error] = await refusal(await fetch(`${address}/v1/health`, { headers }))
    expect(status).toBe(401)
    expect(JSON.stringify(error)).not.toContain(TOKEN)
  })

  it('limits attempts to guess a token, but not the right token from the same address', async () => {
    const { address, ask } = await open({
      server: { limits: { burst: 1000, perSecond: 1000, wrongTokensPerMinute: 3 } },
    })
    const attempt = () => fetch(`${address}/v1/health`, { headers: { authorization: 'Bearer guess' } })
    const statuses: number[] = []
    for (let i = 0; i < 5; i++) statuses.push((await attempt()).status)
    expect(statuses).toEqual([401, 401, 401, 429, 429])
    expect(Number((await attempt()).headers.get('retry-after'))).toBeGreaterThan(0)
    // All clients behind a proxy share its address.
    expect((await ask('GET', '/v1/health')).status).toBe(200)
    expect((await attempt()).status).toBe(429)
  })

  it('limits requests without the token apart from those with it', async () => {
    const { address, ask } = await open({
      server: { limits: { burst: 3, perSecond: 0.01, wrongTokensPerMinute: 100 } },
    })
    const statuses: number[] = []
    for (let i = 0; i < 4; i++) statuses.push((await fetch(`${address}/v1/schema`)).status)
    expect(statuses).toEqual([401, 401, 401, 429])
    expect((await ask('GET', '/v1/schema')).status).toBe(200)
  })

  it('limits the number of requests', async () => {
    const { ask } = await open({ server: { limits: { burst: 4, perSecond: 0.01, wrongTokensPerMinute: 10 } } })
    const statuses: number[] = []
    for (let i = 0; i < 6; i++) statuses.push((await ask('GET', '/v1/schema')).status)
    expect(statuses).toEqual([200, 200, 200, 200, 429, 429])
  })

  it('answers only pages on the list', async () => {
    const { ask } = await open()
    const known = await ask('GET', '/v1/health', undefined, { origin: 'https://playground.example' })
    expect(known.status).toBe(200)
    expect(known.headers.get('access-control-allow-origin')).toBe('https://playground.example')
    expect(known.headers.get('vary')).toContain('origin')
    for (const origin of ['https://playground.example.evil', 'http://playground.example', 'null']) {
      const response = await ask('GET', '/v1/health', undefined, { origin })
      expect(response.headers.get('access-control-allow-origin')).toBeNull()
      expect((await refusal(response))[0]).toBe(403)
    }
  })

  it('answers preflights across networks for pages on the list, without a token', async () => {
    const fixture = await open()
    const answer = await raw(
      fixture,
      '/v1/runs',
      {
        origin: 'https://playground.example',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization,content-type',
        'access-control-request-private-network': 'true',
      },
      'OPTIONS',
    )
    expect(answer.status).toBe(204)
    expect(answer.headers).toMatchObject({
      'access-control-allow-origin': 'https://playground.example',
      'access-control-allow-private-network': 'true',
    })
    expect(String(answer.headers['access-control-allow-headers'])).toMatch(/authorization.*last-event-id/)
    expect((await raw(fixture, '/v1/runs', { origin: 'https://evil.example' }, 'OPTIONS')).status).toBe(403)
  })

  it('without a token answers only to host names of this machine', async () => {
    const fixture = await open({ cluster: { token: undefined } })
    expect((await raw(fixture, '/v1/health', { host: 'localhost:1' })).status).toBe(200)
    for (const host of ['rebound.example', 'localhost.evil', '127.0.0.1.evil:80']) {
      expect((await raw(fixture, '/v1/health', { host })).status).toBe(403)
    }
  })

  it.each(['0.0.0.0', '::', '10.0.0.5', 'head-node'])('does not start on %s without a token', (host) => {
    expect(() => checkListening(host, null)).toThrow(/without a token/)
    expect(() => checkListening(host, TOKEN)).not.toThrow()
  })
  it.each(['127.0.0.1', 'localhost', '::1'])('starts on %s without one', (host) => {
    expect(() => checkListening(host, null)).not.toThrow()
  })
})

describe('what the gateway removes from texts', () => {
  const text = 'Use 127.0.0.1:8265, or localhost. GPU 3 of head-7.internal:8265, /opt/tools/bin/python3, look ahead'

  it('includes Ray’s host and the path of Python', async () => {
    const { gateway } = await open({
      cluster: { ray: { address: 'http://head-7.internal:8265' }, python: '/opt/tools/bin/python3' },
    })
    expect(gateway.redactor.text(text)).toBe(
      'Use 127.0.0.1:8265, or localhost. GPU 3 of <on the cluster>, <on the cluster>, look ahead',
    )
  })

  it.each(['http://127.0.0.1:8265', 'http://head:8265'])('excludes ordinary words if Ray is at %s', async (address) => {
    const { gateway } = await open({ cluster: { ray: { address } } })
    expect(gateway.redactor.text(text)).toBe(text)
  })
})

describe('requests to the gateway', () => {
  it('report its health and what can be set', async () => {
    const { ask } = await open()
    const health = (await (await ask('GET', '/v1/health')).json()) as GatewayHealth
    expect(health).toMatchObject({
      name: 'rlanything-gateway',
      protocol: 1,
      backend: 'subprocess',
      rayVersion: null,
      gpus: 8,
    })
    // Not patched yet, but it can be.
    expect(health.systems.alfworld).toEqual({
      isPatched: false,
      parameters: ['lambda', 'alphaLow', 'alphaHigh'],
      problem: null,
    })
    const schema = (await (await ask('GET', '/v1/schema')).json()) as GatewaySchema
    expect(Object.keys(schema.systems)).toEqual(['alfworld'])
    const live = schema.systems.alfworld
      ?.filter(({ isLive }) => isLive)
      .map(({ name, default: value }) => [name, value])
    expect(live).toEqual([
      ['lambda', 1],
      ['alphaLow', 0.2],
      ['alphaHigh', 0.8],
    ])
  })

  it.each([
    ['GET', '/'],
    ['GET', '/v1'],
    ['GET', '/v1/health/'],
    ['GET', '/v2/health'],
    ['DELETE', '/v1/runs'],
    ['POST', '/v1/health'],
    ['GET', '/v1/runs/none'],
    ['POST', '/v1/runs/none/stop'],
    ['GET', '/v1/runs/none/files/run.jsonl'],
    ['GET', '/v1/runs/%2e%2e/files/run.json'],
    ['GET', '/v1/runs/%2e%2e%2f%2e%2e/events'],
    ['GET', '/v1/runs/%00/events'],
    ['GET', '/v1/runs/%zz/events'],
    ['GET', '/v1/runs/__proto__/files/run.jsonl'],
    ['GET', '//etc/passwd'],
  ])('%s %s does not exist', async (method, path) => {
    const fixture = await open()
    const answer = await raw(fixture, path, { authorization: `Bearer ${TOKEN}` }, method)
    expect(answer.status).toBe(404)
    expect(answer.body).not.toContain(fixture.folder)
  })

  it.each([
    ['an unknown system', { system: 'chess' }, 400],
    ['a system that this cluster does not run', { system: 'osworld' }, 404],
    ['a name that leaves the folder', { system: 'alfworld', name: '../../etc' }, 400],
    ['a name that contains a command', { system: 'alfworld', name: 'a; touch /tmp/x' }, 400],
    ['a name with a line break', { system: 'alfworld', name: 'a\nb' }, 400],
    ['a key of the configuration', { system: 'alfworld', config: { model: {} } }, 400],
    ['an unknown setting', { system: 'alfworld', settings: { model: 'x' } }, 400],
    ['a setting of Object', { system: 'alfworld', settings: { constructor: 1 } }, 400],
    ['a setting that the release fixes', { system: 'alfworld', settings: { rewardGrouping: 'task' } }, 400],
    ['text instead of a number', { system: 'alfworld', settings: { groupSize: '4"; rm' } }, 400],
    ['α_low above α_high', { system: 'alfworld', settings: { alphaLow: 0.9 } }, 400],
    ['no steps', { system: 'alfworld', totalSteps: 0 }, 400],
    ['a list', [], 400],
    ['invalid JSON', '{"system": ', 400],
    ['nothing', undefined, 400],
  ])('refuses %s', async (_, body, expected) => {
    const { ask } = await open()
    const [status] = await refusal(await ask('POST', '/v1/runs', body))
    expect(status).toBe(expected)
    expect(await (await ask('GET', '/v1/runs')).json()).toEqual([])
  })

  it('refuses a body that is too large or whose type is not JSON', async () => {
    const { ask } = await open()
    const [large] = await refusal(await ask('POST', '/v1/runs', { system: 'alfworld', name: 'x'.repeat(70_000) }))
    expect(large).toBe(413)
    const [type] = await refusal(await ask('POST', '/v1/runs', '{}', { 'content-type': 'text/plain' }))
    expect(type).toBe(415)
    expect((await ask('GET', '/v1/health')).status).toBe(200)
  })

  it('refuses a checkout with other lines, naming the file and the line', async () => {
    const { ask } = await open({ isBare: true })
    const [status, error] = await refusal(await ask('POST', '/v1/runs', { system: 'alfworld' }))
    expect(status).toBe(409)
    expect(error.what).toContain('reward/alfworld_rl_reward.py')
  })

  it('refuses to start a run if the cluster file lacks values, and names them', async () => {
    const { ask } = await open({ cluster: { systems: { alfworld: { config: {} } } } })
    const [status, error] = await refusal(await ask('POST', '/v1/runs', { system: 'alfworld' }))
    expect(status).toBe(409)
    expect(error.why).toContain('model.policy_model')
  })
})
