import { createServer, type IncomingHttpHeaders } from 'node:http'
import { afterEach, describe, expect, it } from 'vitest'
import { RayJobs } from '../../../src/cluster/gateway/ray-jobs.ts'
import { listening, type LocalServer } from '../../local-server.ts'

let server: LocalServer
afterEach(() => server.close())

interface Asked {
  method: string
  url: string
  headers: IncomingHttpHeaders
  body: string
}

/** A server in place of Ray, with scripted answers: a status and a body, or none. */
async function rayThat(
  answer: (asked: Asked, count: number) => [number, string] | null,
): Promise<{ address: string; asked: Asked[] }> {
  const asked: Asked[] = []
  const ray = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk: Buffer) => (body += chunk.toString()))
    request.on('end', () => {
      const one = { method: request.method ?? '', url: request.url ?? '', headers: request.headers, body }
      asked.push(one)
      const said = answer(one, asked.length)
      if (said) response.writeHead(said[0], { 'content-type': 'application/json' }).end(said[1])
    })
  })
  server = await listening(ray)
  return { address: server.address, asked }
}

const JOB = { id: 'a_run_abc234', script: "/state/it's/launch.sh", folder: '/state' }

describe('Ray’s Jobs API', () => {
  it('receives requests that do not look like a browser’s, with the token and a quoted script', async () => {
    const { address, asked } = await rayThat(() => [200, '{"submission_id": "a_run_abc234"}'])
    await new RayJobs({ address, token: 'ray-token' }).start(JOB)
    const [{ method, url, headers, body }] = asked as [Asked]
    expect([method, url]).toEqual(['POST', '/api/jobs/'])
    expect(headers.authorization).toBe('Bearer ray-token')
    expect(headers['user-agent']).not.toMatch(/^Mozilla/)
    for (const name of Object.keys(headers)) expect(name).not.toMatch(/^(origin|referer|sec-fetch-|access-control-)/)
    expect(JSON.parse(body)).toMatchObject({
      submission_id: 'a_run_abc234',
      entrypoint: String.raw`bash '/state/it'\''s/launch.sh'`,
    })
  })

  it('is retried under the same name while it answers 429 or 503', async () => {
    const { address, asked } = await rayThat((_, count) =>
      count < 3 ? [count === 1 ? 429 : 503, 'busy'] : [200, '{}'],
    )
    expect(await new RayJobs({ address, token: null }).start(JOB)).toBe(JOB.id)
    expect(new Set(asked.map(({ body }) => body)).size).toBe(1)
  })

  it('has started a job even if its answer was lost', async () => {
    const { address } = await rayThat(({ method }, count) => {
      if (method === 'GET') return [200, '{"status": "RUNNING"}']
      return count === 1 ? null : [500, 'ValueError: Job with submission_id a_run_abc234 already exists.']
    })
    expect(await new RayJobs({ address, token: null, timeoutMs: 300 }).start(JOB)).toBe(JOB.id)
  })

  it.each([
    ['a wrong token', [401, 'Unauthorized'], /token is missing or wrong/],
    ['an internal error', [500, 'Traceback\nKeyError: x'], /KeyError: x/],
    ['something that is not JSON', [200, '<html>'], /not JSON/],
    ['an unknown state', [200, '{"status": "DREAMING"}'], /DREAMING/],
  ] as const)('gives the reason if the answer is %s', async (_, answer, why) => {
    const { address } = await rayThat(() => [answer[0], answer[1]])
    await expect(new RayJobs({ address, token: 'x' }).status('job')).rejects.toThrow(why)
  })

  it('is not waited for beyond the timeout, and a job that it forgot has failed', async () => {
    const slow = await rayThat(() => null)
    await expect(new RayJobs({ address: slow.address, token: null, timeoutMs: 100 }).version()).rejects.toThrow(
      /no answer within 0.1 s/,
    )
    slow.asked.length = 0
    await server.close()
    const { address } = await rayThat(() => [404, 'not found'])
    expect((await new RayJobs({ address, token: null }).status('job')).state).toBe('FAILED')
  })

  it('is asked for its version no longer than a page waits for the gateway', async () => {
    const { address } = await rayThat(() => null)
    await expect(new RayJobs({ address, token: null }).version()).rejects.toThrow(/no answer within 5 s/)
  })

  it('keeps its address on the cluster if it cannot be reached', async () => {
    const { address } = await rayThat(() => null)
    await server.close()
    const jobs = new RayJobs({ address, token: null })
    for (const asked of [jobs.version(), jobs.status('job')]) {
      const error = await asked.catch((caught: unknown) => caught as Error)
      expect(error).toMatchObject({ message: expect.stringMatching(/ECONNREFUSED/) as string })
      expect((error as Error).message).not.toContain(new URL(address).host)
    }
  })
})
