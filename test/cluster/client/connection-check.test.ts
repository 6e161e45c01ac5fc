import { describe, expect, it } from 'vitest'
import { checkConnection, type CheckContext } from '../../../src/cluster/client/connection-check.ts'
import {
  addressSpace,
  isMixedContent,
  localNetworkPermission,
  needsLocalPermission,
} from '../../../src/cluster/client/network-rules.ts'
import { faultServer, json } from './fault-server.ts'

const HEALTH = { name: 'rlanything-gateway', protocol: 1, version: '0.1.0', systems: {}, gpus: 0 }

function check(address: string, more: Partial<CheckContext> = {}) {
  return checkConnection({
    address,
    token: 'right',
    page: 'http://localhost:4173/',
    isSecureContext: true,
    permissions: undefined,
    ...more,
  })
}

const passed = (result: Awaited<ReturnType<typeof check>>) =>
  result.steps.map(({ state }) => ({ passed: '+', failed: '-', open: '?' })[state]).join('')

describe('the address space of a host', () => {
  it.each([
    ['localhost', 'loopback'],
    ['127.3.2.1', 'loopback'],
    ['[::1]', 'loopback'],
    ['10.0.0.7', 'local'],
    ['172.16.0.1', 'local'],
    ['172.32.0.1', 'public'],
    ['192.168.1.4', 'local'],
    ['100.64.0.9', 'local'],
    ['[fd12::1]', 'local'],
    ['head-node', 'local'],
    ['printer.local', 'local'],
    ['8.8.8.8', 'public'],
    ['cluster.example', 'public'],
    ['[2001:db8::1]', 'public'],
  ])('%s is %s', (host, space) => {
    expect(addressSpace(host)).toBe(space)
  })

  it('decides which requests a browser allows', () => {
    const page = new URL('https://user.github.io/')
    expect(isMixedContent(page, new URL('http://cluster.example'))).toBe(true)
    expect(isMixedContent(page, new URL('http://127.0.0.1:8787'))).toBe(false)
    expect(isMixedContent(page, new URL('https://cluster.example'))).toBe(false)
    expect(isMixedContent(new URL('http://localhost'), new URL('http://cluster.example'))).toBe(false)
    expect(needsLocalPermission(page, new URL('http://127.0.0.1'))).toBe(true)
    expect(needsLocalPermission(new URL('http://10.0.0.1'), new URL('http://10.0.0.2'))).toBe(false)
    expect(needsLocalPermission(new URL('http://localhost'), new URL('https://cluster.example'))).toBe(false)
  })

  it('queries the permission by each of its names, and respects a denial', async () => {
    const query = (states: Record<string, PermissionState>) => ({
      query: async ({ name }: { name: string }) => {
        const state = states[name]
        if (!state) throw new TypeError('unknown')
        return { state } as PermissionStatus
      },
    })
    expect(await localNetworkPermission(undefined)).toBeNull()
    expect(await localNetworkPermission(query({}))).toBeNull()
    expect(await localNetworkPermission(query({ 'local-network-access': 'prompt' }))).toBe('prompt')
    expect(await localNetworkPermission(query({ 'local-network': 'granted', 'loopback-network': 'denied' }))).toBe(
      'denied',
    )
  })
})

describe('the check of a connection', () => {
  it('passes all steps if the gateway accepts the token', async () => {
    const server = await faultServer(({ url, headers }, response) =>
      headers.authorization === 'Bearer right'
        ? json(response, url === '/v1/health' ? HEALTH : { systems: {} })
        : json(response, {}, 401),
    )
    const result = await check(server.address)
    expect(passed(result)).toBe('++++++')
    expect(result).toMatchObject({ problem: null, health: HEALTH, schema: { systems: {} } })
    const wrong = await check(server.address, { token: 'wrong' })
    expect(passed(wrong)).toBe('+++++-')
    expect(wrong.problem?.kind).toBe('token')
  })

  it('detects a wrong token even if the health endpoint is public', async () => {
    const server = await faultServer(({ url }, response) =>
      url === '/v1/health' ? json(response, HEALTH) : json(response, {}, 401),
    )
    const result = await check(server.address, { token: null })
    expect(passed(result)).toBe('+++++-')
    expect(result).toMatchObject({ problem: { kind: 'token' }, health: HEALTH })
  })

  it('distinguishes a mistyped address, another server and another version', async () => {
    expect(passed(await check('head:8787'))).toBe('-?????')
    const ray = await faultServer((_, response) => json(response, { ray_version: '2.54' }))
    expect(passed(await check(ray.address))).toBe('++++-?')
    const old = await faultServer((_, response) => json(response, { ...HEALTH, protocol: 0 }))
    expect((await check(old.address)).problem?.kind).toBe('version')
  })

  it('distinguishes no answer from an unreadable one', async () => {
    const server = await faultServer((_, response) => json(response, HEALTH))
    await server.close()
    const nothing = await check(server.address)
    expect(passed(nothing)).toBe('++-???')
    expect(nothing.problem).toMatchObject({
      kind: 'unreachable',
      remedy: expect.stringMatching(/npm run gateway/) as string,
    })

    // Like a browser, if the answer has no Access-Control-Allow-Origin.
    const withoutCors: typeof fetch = async (_, init) => {
      if (init?.mode === 'no-cors') return Response.error()
      throw new TypeError('Failed to fetch')
    }
    const refused = await check('http://127.0.0.1:1', { fetch: withoutCors })
    expect(passed(refused)).toBe('+++-??')
    expect(refused.problem).toMatchObject({
      kind: 'origin',
      remedy: expect.stringMatching(/http:\/\/localhost:4173/) as string,
    })
  })

  it('distinguishes a slow gateway from one that does not allow the page', async () => {
    // Answers at once without a token, as the request without CORS is sent.
    const server = await faultServer(({ headers }, response) => {
      if (headers.authorization === undefined) json(response, {}, 401)
    })
    const slow = await check(server.address, { timeoutMs: 100 })
    expect(passed(slow)).toBe('++-???')
    expect(slow.problem).toMatchObject({
      kind: 'unreachable',
      why: expect.stringMatching(/no answer for 0.1 s/) as string,
    })
  })

  it('reports what the browser blocks before it sends a request', async () => {
    const never: typeof fetch = () => expect.unreachable('It asked.')
    const mixed = await check('http://cluster.example:8787', { page: 'https://user.github.io/', fetch: never })
    expect(passed(mixed)).toBe('+-????')
    expect(mixed.problem).toMatchObject({
      kind: 'mixed-content',
      remedy: expect.stringMatching(/ssh -L 8787:127.0.0.1:8787/) as string,
    })
    const denied = await check('http://127.0.0.1:8787', {
      page: 'https://user.github.io/',
      permissions: { query: async () => ({ state: 'denied' }) as PermissionStatus },
      fetch: never,
    })
    expect(denied.problem?.kind).toBe('local-network')
    const insecure = await check('http://127.0.0.1:8787', {
      page: 'http://course.example/',
      isSecureContext: false,
      fetch: never,
    })
    expect(insecure.problem).toMatchObject({ kind: 'local-network', remedy: expect.stringMatching(/https/) as string })
  })

  it('can be cancelled', async () => {
    const server = await faultServer(() => {})
    const stop = new AbortController()
    const checked = check(server.address, { signal: stop.signal })
    await expect.poll(() => server.requests.length).toBe(1)
    stop.abort(new Error('left'))
    await expect(checked).rejects.toThrow('left')
  })
})
