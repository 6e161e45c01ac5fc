/**
 * Task pages that try to reach a network or what is around them, in a real Chromium with real servers. Each way is tried in the
 * sandbox first and then without it, where it has to arrive: a way that arrives nowhere shows nothing.
 */
import { createSocket } from 'node:dgram'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { createServer as createTcpServer, type AddressInfo } from 'node:net'
import { networkInterfaces, tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium, type BrowserContext, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findOrInstallBrowser } from '../../scripts/browser.mjs'
import { launchFlags } from '../../scripts/launch-flags.mjs'
import { pageDocument } from '../../src/worlds/desktop/miniwob/page-document.ts'
import { TAGS_OUT, WAYS_OUT, type Outside } from '../worlds/desktop/miniwob/ways-out.ts'

/** Browsers prepare connections in a lasting profile alone, and not with this flag. */
const NO_PREPARING = '--disable-background-networking'
/** WebRTC leaves out the loopback interface. */
const HOST =
  Object.values(networkInterfaces())
    .flat()
    .find((each) => each?.family === 'IPv4' && !each.internal)?.address ?? '127.0.0.1'

/** What arrived, by way: "sandboxed/fetch". */
const arrived = new Set<string>()
const http = createServer((request, response) => {
  arrived.add(request.url!.slice(1).split('?')[0]!)
  response.setHeader('access-control-allow-origin', '*')
  response.setHeader('content-type', 'text/html')
  response.end('hello')
})
http.on('upgrade', ({ url }, socket) => {
  arrived.add(url!.slice(1))
  socket.destroy()
})
const folder = mkdtempSync(join(tmpdir(), 'sandbox-'))
const NET_LOG = join(folder, 'net.json')
const closes: (() => void)[] = []
let context: BrowserContext
let address: string
let host: string

beforeAll(async () => {
  await new Promise<void>((resolve) => http.listen(0, resolve))
  const { port } = http.address() as AddressInfo
  address = `http://${HOST}:${port}`
  // Trusted, as the Playground is, so that it has all that a browser offers.
  host = `http://127.0.0.1:${port}/host`
  context = await chromium.launchPersistentContext(join(folder, 'profile'), {
    executablePath: findOrInstallBrowser(),
    headless: true,
    ignoreDefaultArgs: [NO_PREPARING],
    args: [...launchFlags().filter((flag) => flag !== NO_PREPARING), `--log-net-log=${NET_LOG}`],
  })
})
afterAll(async () => {
  await context.close()
  for (const close of closes) close()
  http.closeAllConnections()
  http.close()
  rmSync(folder, { recursive: true, force: true })
})

/** Listeners of one way. */
async function outside(way: string): Promise<Outside> {
  const udp = createSocket('udp4').on('message', () => arrived.add(way))
  await new Promise<void>((resolve) => udp.bind(0, HOST, resolve))
  const tcp = createTcpServer((socket) => {
    arrived.add(way)
    socket.on('error', () => {}).destroy()
  })
  await new Promise<void>((resolve) => tcp.listen(0, HOST, resolve))
  closes.push(() => udp.close(), () => tcp.close()) // prettier-ignore
  return {
    http: `${address}/${way}`,
    tcp: `${HOST}:${(tcp.address() as AddressInfo).port}`,
    udp: `${HOST}:${udp.address().port}`,
    name: `${way.replace('/', '-').toLowerCase()}.example.test`,
  }
}

const htmlOf = (script: string, tags: string) => `<!DOCTYPE html><html><head><title>A task</title></head>
<body><div id="query"></div><div id="area"></div>${tags}
<script>addEventListener('load', () => { ${script} })</script></body></html>`

const sandboxed = (html: string): string => {
  const path = 'miniwob/try.html'
  const files = new Map([[path, new TextEncoder().encode(html)]])
  return pageDocument({ version: '', files, pages: [] }, { name: 'try', path }).document!
}

/** Opens a document in a frame of a page of its own, which keeps the messages that it hears. */
async function open(document: string, sandbox: string | null): Promise<Page> {
  const page = await context.newPage()
  await page.goto(host)
  await page.evaluate(
    ([document, sandbox]) => {
      const heard: unknown[] = []
      Object.assign(window, { heard })
      addEventListener('message', ({ data }) => heard.push(data))
      const frame = window.document.createElement('iframe')
      if (sandbox !== null) frame.setAttribute('sandbox', sandbox)
      frame.srcdoc = document!
      window.document.body.append(frame)
    },
    [document, sandbox] as const,
  )
  return page
}

/** Opens a document in the sandbox, until its script has run. */
async function openSandboxed(document: string): Promise<Page> {
  const page = await open(sandboxed(document), 'allow-scripts')
  await heardSomething(page)
  return page
}

const heardSomething = (page: Page) =>
  page.waitForFunction(() => (window as unknown as { heard: unknown[] }).heard.length > 0)

describe('a task page', () => {
  const ways = [
    ...Object.entries(WAYS_OUT).map(([way, script]) => ({ way, script, tags: null })),
    ...Object.entries(TAGS_OUT).map(([way, tags]) => ({ way, script: null, tags })),
  ]
  it.each(ways)('reaches nothing by $way', async ({ way, script, tags }) => {
    const document = (where: Outside) => htmlOf(script?.(where) ?? '', tags?.(where) ?? '')
    const [inside, control] = [await outside(`sandboxed/${way}`), await outside(`free/${way}`)]
    const pages = [await openSandboxed(document(inside))]
    const free = `<script>addEventListener('load', () => parent.postMessage('loaded', '*'))</script>${document(control)}`
    pages.push(await open(free, null))
    // What looks up a name arrives nowhere. All else is waited for there, because some ways navigate the page that heard of the load.
    if (way === 'lookUp') await heardSomething(pages[1]!)
    else await expect.poll(() => arrived.has(`free/${way}`)).toBe(true)
    expect(arrived.has(`sandboxed/${way}`)).toBe(false)
    for (const page of pages) await page.close()
  })

  it('sees nothing of the page around it, and keeps nothing', async () => {
    const page = await openSandboxed(
      htmlOf(
        `const tries = { parent: () => parent.document.body, host: () => parent.parent.document.body, top: () => top.localStorage,
             local: () => localStorage.length, session: () => sessionStorage.length, cookie: () => document.cookie }
           const seen = Object.keys(tries).filter((name) => { try { tries[name](); return true } catch { return false } })
           const tell = (more) => parent.parent.postMessage({ seen: [...seen, ...more] }, '*')
           try { indexedDB.open('x').onsuccess = () => tell(['database']) } catch { tell([]) }`,
        '',
      ),
    )
    const seen = () => page.evaluate(() => (window as unknown as { heard: { seen?: string[] }[] }).heard.find((each) => each.seen)?.seen) // prettier-ignore
    await expect.poll(seen).toEqual([])
  })

  it('looks up no name (counted once the browser has ended)', async () => {
    await context.close()
    const log = readFileSync(NET_LOG, 'utf8')
    expect(log).toContain('free-lookup.example.test')
    expect(log).not.toMatch(/sandboxed-\w+\.example\.test/)
  })
})
