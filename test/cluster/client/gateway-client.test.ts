import { describe, expect, it } from 'vitest'
import { GatewayClient, gatewayAddress } from '../../../src/cluster/client/gateway-client.ts'
import type { GatewayHealth } from '../../../src/cluster/protocol.ts'
import { faultServer, json } from './fault-server.ts'

const HEALTH: GatewayHealth = {
  name: 'rlanything-gateway',
  protocol: 1,
  version: '0.1.0',
  backend: 'subprocess',
  rayVersion: null,
  commit: null,
  gpus: 8,
  systems: { alfworld: { isPatched: true, parameters: ['lambda', 'alphaLow', 'alphaHigh'], problem: null } },
}

describe('the address of a gateway', () => {
  it('is scheme, host and port; anything else is rejected with what to enter', () => {
    expect(gatewayAddress(' http://127.0.0.1:8787/ ')).toBe('http://127.0.0.1:8787')
    expect(gatewayAddress('https://head.example/gateway/')).toBe('https://head.example/gateway')
    for (const typed of ['', 'head:8787', 'ftp://head', 'http://', 'https://a?b=1', 'https://a#b'])
      expect(() => gatewayAddress(typed), typed).toThrow(/is not the address of a gateway/)
  })

  it('never contains a secret, nor does the error that rejects one', () => {
    expect(() => gatewayAddress('https://me:hunter2@head')).toThrow(/user name or a password/)
    expect(() => gatewayAddress('https://me:hunter2@head')).not.toThrow(/hunter2/)
  })
})

describe('the client of a gateway', () => {
  it('calls each endpoint as the protocol requires', async () => {
    const run = { runId: 'a b', events: 0 }
    const server = await faultServer(({ method, url }, response) => {
      if (url === '/v1/health') return json(response, HEALTH)
      if (url === '/v1/runs' && method === 'GET') return json(response, [run])
      if (url?.endsWith('/files')) return json(response, [{ name: 'config.yaml', bytes: 3 }])
      if (url?.endsWith('config.yaml')) return void response.end('a: 1')
      json(response, { ok: url })
    })
    const client = new GatewayClient({ address: server.address, token: null })
    expect(await client.health()).toEqual(HEALTH)
    expect(await client.runs()).toEqual([run])
    await client.plan({ system: 'alfworld', settings: { lambda: 2 } })
    await client.start({ system: 'alfworld', dryRun: true })
    await client.patch('a b', { lambda: 0.5 })
    await client.stop('a/../b')
    expect(await client.files('x')).toEqual([{ name: 'config.yaml', bytes: 3 }])
    expect(await (await client.file('x', 'config.yaml')).text()).toBe('a: 1')
    expect(
      server.requests.map(({ method, url, body }) => [method, url, body && (JSON.parse(body) as unknown)]),
    ).toEqual([
      ['GET', '/v1/health', ''],
      ['GET', '/v1/runs', ''],
      ['POST', '/v1/runs', { system: 'alfworld', settings: { lambda: 2 }, dryRun: true }],
      ['POST', '/v1/runs', { system: 'alfworld', dryRun: false }],
      ['PATCH', '/v1/runs/a%20b/config', { lambda: 0.5 }],
      ['POST', '/v1/runs/a%2F..%2Fb/stop', {}],
      ['GET', '/v1/runs/x/files', ''],
      ['GET', '/v1/runs/x/files/config.yaml', ''],
    ])
    expect(server.requests.every(({ headers }) => headers.authorization === undefined)).toBe(true)
  })

  it('distinguishes a gateway from other servers, and an older one from a newer one', async () => {
    let answer: unknown = { hello: 1 }
    const server = await faultServer((_, response) => json(response, answer))
    const client = new GatewayClient({ address: server.address, token: 't' })
    await expect(client.health()).rejects.toMatchObject({ kind: 'not-a-gateway' })
    answer = { ...HEALTH, protocol: 0 }
    await expect(client.health()).rejects.toMatchObject({
      kind: 'version',
      remedy: expect.stringMatching(/newer gateway/) as string,
    })
    answer = { ...HEALTH, protocol: 2 }
    await expect(client.health()).rejects.toMatchObject({
      kind: 'version',
      remedy: expect.stringMatching(/Reload/) as string,
    })
    answer = 'text'
    await expect(client.health()).rejects.toMatchObject({ kind: 'not-a-gateway' })
    const page = await faultServer((_, response) => void response.end('<html>'))
    await expect(new GatewayClient({ address: page.address, token: null }).health()).rejects.toMatchObject({
      kind: 'not-a-gateway',
    })
  })

  it('passes on the reason of a refusal, and explains answers without one', async () => {
    const problem = { what: 'λ cannot be changed.', why: 'The code is not patched.', remedy: 'Patch it.' }
    let status = 409
    let body: unknown = { error: problem }
    const server = await faultServer((_, response) => json(response, body, status))
    const client = new GatewayClient({ address: server.address, token: null })
    await expect(client.patch('r', { lambda: 1 })).rejects.toMatchObject({ kind: 'refused', ...problem })
    // A gateway without a token answers this if the host name is not this machine's.
    status = 403
    await expect(client.health()).rejects.toMatchObject({ kind: 'refused', ...problem })
    body = { error: { what: 1 } }
    const kinds: unknown[] = []
    for (status of [401, 403, 404, 429, 500, 502])
      await client.runs().catch((error: { kind: string }) => kinds.push(error.kind))
    expect(kinds).toEqual(['token', 'token', 'not-a-gateway', 'busy', 'broken', 'busy'])
  })

  it('times out on an answer that does not start or end, and can be cancelled', async () => {
    const server = await faultServer(({ url }, response) => {
      if (url === '/v1/schema') response.write('{"systems"')
    })
    const client = new GatewayClient({ address: server.address, token: null, timeoutMs: 80 })
    await expect(client.health()).rejects.toMatchObject({
      kind: 'unreachable',
      what: expect.stringMatching(/did not answer in time/) as string,
    })
    await expect(client.schema()).rejects.toMatchObject({
      kind: 'unreachable',
      what: expect.stringMatching(/did not answer in time/) as string,
    })
    const stop = new AbortController()
    const asked = new GatewayClient({ address: server.address, token: null }).health(stop.signal)
    stop.abort()
    await expect(asked).rejects.toMatchObject({ name: 'AbortError' })
    await server.close()
    await expect(client.health()).rejects.toMatchObject({
      kind: 'unreachable',
      what: expect.stringMatching(/cannot be reached/) as string,
    })
  })

  it('does not follow a redirect with the token', async () => {
    const thief = await faultServer((_, response) => json(response, HEALTH))
    const server = await faultServer((_, response) => {
      response.writeHead(307, { location: `${thief.address}/v1/health` })
      response.end()
    })
    const client = new GatewayClient({ address: server.address, token: 'secret' })
    await expect(client.health()).rejects.toMatchObject({ kind: 'unreachable' })
    expect(thief.requests).toEqual([])
  })

  it('rejects a token that a header cannot contain, without repeating it', () => {
    for (const token of ['two words', 'line\nbreak', 'schlüssel']) {
      const make = () => new GatewayClient({ address: 'http://h', token })
      expect(make).toThrow(/token cannot be sent/)
      expect(make).not.toThrow(token)
    }
  })
})
