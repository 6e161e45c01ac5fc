import { createServer, type IncomingHttpHeaders } from 'node:http'
import { afterEach, describe, expect, test } from 'vitest'
import { urlReader } from '../../../src/language-model/files/http-reader.ts'
import { ForbiddenFileError, ModelFileError } from '../../../src/language-model/files/model-reader.ts'
import { listening, type LocalServer } from '../../local-server.ts'

const FILE = Uint8Array.from({ length: 200_000 }, (_, i) => (i * 7919) >> 3)

interface Behaviour {
  /** Bytes of each answer's body before the connection closes; later answers are whole. */
  cuts: number[]
  knowsRanges?: boolean
  saysLength?: boolean
  etag?: (request: number) => string
  status?: (request: number) => number
}

let server: LocalServer | undefined

afterEach(() => server?.close())

/** A server of one file that closes connections early, and the requests that it got. */
async function serve(behaviour: Behaviour): Promise<{ url: string; requests: IncomingHttpHeaders[] }> {
  const { cuts, knowsRanges = true, saysLength = true, etag, status } = behaviour
  const requests: IncomingHttpHeaders[] = []
  const files = createServer((request, response) => {
    const index = requests.push(request.headers) - 1
    const start = knowsRanges ? Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0) : 0
    const answer = status?.(index) ?? (start > 0 ? 206 : 200)
    const body = FILE.subarray(start)
    response.writeHead(answer, {
      ...(saysLength && { 'content-length': body.length }),
      ...(answer === 206 && { 'content-range': `bytes ${start}-${FILE.length - 1}/${FILE.length}` }),
      ...(etag && { etag: etag(index) }),
    })
    const cut = cuts[index]
    if (cut === undefined) response.end(body)
    else response.write(body.subarray(0, cut), () => setTimeout(() => response.destroy(), 20))
  })
  server = await listening(files)
  return { url: `${server.address}/tiny`, requests }
}

const readerOf = (url: string) => urlReader(url, fetch, 1)

describe('a download', () => {
  test('continues after two interruptions', async () => {
    const { url, requests } = await serve({ cuts: [70_000, 30_000] })
    expect(await readerOf(url).read('model.safetensors')).toEqual(FILE)
    expect(requests.map(({ range }) => range)).toEqual([undefined, 'bytes=70000-', 'bytes=100000-'])
  })

  test('continues if the server does not send the length', async () => {
    const { url, requests } = await serve({ cuts: [70_000], saysLength: false })
    expect(await readerOf(url).read('model.safetensors')).toEqual(FILE)
    expect(requests).toHaveLength(2)
  })

  test('skips known bytes if the server does not support ranges', async () => {
    const { url, requests } = await serve({ cuts: [70_000, 90_000, 60_000], knowsRanges: false })
    expect(await readerOf(url).read('model.safetensors')).toEqual(FILE)
    expect(requests).toHaveLength(4)
  })

  test('waits for a server that restarts', async () => {
    const { url } = await serve({ cuts: [70_000], status: (request) => [200, 503, 429, 206][request]! })
    expect(await readerOf(url).read('model.safetensors')).toEqual(FILE)
  })

  test('waits for a server that is busy at first', async () => {
    const { url, requests } = await serve({ cuts: [], status: (request) => [429, 503, 200][request]! })
    expect(await readerOf(url).read('model.safetensors')).toEqual(FILE)
    expect(requests).toHaveLength(3)
  })

  test.each([429, 500])('says that the server is busy after five answers of %i', async (status) => {
    const { url, requests } = await serve({ cuts: [], status: () => status })
    const failure = readerOf(url).read('config.json')
    await expect(failure).rejects.toThrow(ModelFileError)
    await expect(failure).rejects.toThrow(`answered ${status}. The server is busy or has an error. Wait a minute`)
    expect(requests).toHaveLength(5)
  })

  test('is refused if the file changes meanwhile', async () => {
    const { url } = await serve({ cuts: [70_000], etag: (request) => `"version ${request}"` })
    await expect(readerOf(url).read('model.safetensors')).rejects.toThrow('changed during the download')
  })

  test('fails after five interruptions without a byte between them', async () => {
    const { url, requests } = await serve({ cuts: [70_000, 0, 0, 0, 0, 0, 0] })
    const failure = readerOf(url).read('model.safetensors')
    await expect(failure).rejects.toThrow(ModelFileError)
    await expect(failure).rejects.toThrow('stopped after 0.1 MB of 0.2 MB, and 5 attempts to continue failed')
    expect(requests).toHaveLength(5)
  })

  test('ends when the reader stops early', async () => {
    const { url, requests } = await serve({ cuts: [] })
    for await (const piece of readerOf(url).stream('model.safetensors')) {
      expect(piece.length).toBeGreaterThan(0)
      break
    }
    expect(requests).toHaveLength(1)
  })

  test.each<[number, boolean, boolean, string]>([
    [404, true, false, 'answered 404. Check the address'],
    [401, false, true, 'answered 401. The model may require an agreement or a login'],
    [403, false, true, 'answered 403. The model may require an agreement or a login'],
  ])('fails at once if the first answer is %i', async (status, isMissing, isForbidden, message) => {
    const { url, requests } = await serve({ cuts: [], status: () => status })
    const failure = await readerOf(url)
      .read('config.json')
      .catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(ModelFileError)
    expect((failure as ModelFileError).message).toContain(message)
    expect((failure as ModelFileError).isMissing).toBe(isMissing)
    expect(failure instanceof ForbiddenFileError).toBe(isForbidden)
    expect(requests).toHaveLength(1)
  })
})
