/** The built page behind a real nginx and a real Caddy, as docs/hosting.md sets them up. A program that is missing is skipped. */
import { spawn } from 'node:child_process'
import { readdirSync, statSync } from 'node:fs'
import { extname, join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterEach, describe, expect, it } from 'vitest'
import { root } from '../../scripts/ensure.mjs'
import { runOnShow } from './controls.ts'
import { documented, heard, serveCourse } from './course-page.ts'
import { usePages } from './harness.ts'
import { keptOffline } from './offline-copy.ts'
import { pressStep, smallAddress, stepOnce } from './small-run.ts'
import { otherAddress } from './static-server.ts'
import { goTo } from './views.ts'
import { ask, PROGRAMS, type Place, type WebServer } from './web-servers.ts'

const TYPES: Readonly<Record<string, RegExp>> = {
  '.js': /^(text|application)\/javascript/,
  '.css': /^text\/css/,
  '.wasm': /^application\/wasm$/,
}

// No browser knows who signs Caddy's certificate.
const pages = usePages({ flags: ['--ignore-certificate-errors'] })
const opened: { close(): Promise<void> }[] = []
afterEach(async () => {
  for (const each of opened.splice(0).reverse()) await each.close()
})

/** Port of a started `npm start`. */
async function npmStart(): Promise<number> {
  const child = spawn(process.execPath, [join(root, 'scripts', 'start.mjs')])
  opened.push({ close: async () => void child.kill() })
  let said = ''
  child.stdout.on('data', (text) => (said += String(text)))
  await expect.poll(() => said).toContain('Ctrl-C')
  return Number(/localhost:(\d+)/.exec(said)![1])
}

describe.each(PROGRAMS)('$name', ({ isInstalled, serve, scheme }) => {
  const open = async (place: Partial<Place> = {}): Promise<WebServer> => {
    const way = place.way ?? 'files'
    const behind = way === 'proxy' ? await npmStart() : undefined
    const server = await serve({ host: '127.0.0.1', way, ...place, ...(behind !== undefined && { behind }) })
    opened.push(server)
    return server
  }

  const visit = async ({ address }: WebServer): Promise<Page> => {
    const { status, headers } = await ask(address.replace(/\/$/, ''))
    expect([301, 302, 308]).toContain(status)
    expect(new URL(String(headers.location), address).href).toBe(address)
    const page = await pages.open({ serviceWorkers: 'allow' })
    await stepOnce(page, address)
    expect(await page.evaluate(() => crossOriginIsolated)).toBe(true)
    return page
  }

  it.skipIf(!isInstalled)('as a proxy serves the page in a folder, isolated, which runs', async () => {
    await visit(await open({ way: 'proxy' }))
  })

  it.skipIf(!isInstalled)(
    'serves files of the page in a folder, isolated, which runs and opens again once the server is gone',
    async () => {
      const server = await open()
      const page = await visit(server)
      await keptOffline(page)
      await server.close()
      opened.splice(opened.indexOf(server), 1)
      await page.reload()
      await runOnShow(page).getByText('Recorded run').waitFor()
      await pressStep(page)
    },
  )

  it.skipIf(!isInstalled)(
    'compresses scripts, style sheets and WebAssembly, and sends them with their types',
    async () => {
      const { address } = await open()
      const parts = readdirSync(join(root, 'dist', 'assets')).filter((name) => extname(name) in TYPES)
      expect(new Set(parts.map((name) => extname(name)))).toEqual(new Set(Object.keys(TYPES)))
      for (const part of parts) {
        const { status, headers } = await ask(`${address}assets/${part}`, { 'Accept-Encoding': 'gzip' })
        expect(status).toBe(200)
        expect(headers['content-type']).toMatch(TYPES[extname(part)]!)
        // Not worth it for a few bytes.
        if (statSync(join(root, 'dist', 'assets', part)).size > 1024)
          expect([part, headers['content-encoding']]).toEqual([part, 'gzip'])
      }
    },
  )

  // What lacks over plain http is the same behind any server: hosting.slow.test.ts has it.
  if (scheme === 'https')
    it.skipIf(!isInstalled || otherAddress === undefined)(
      'from another machine runs, and keeps runs and models',
      async () => {
        const { address } = await open({ host: otherAddress! })
        const page = await pages.open()
        await stepOnce(page, address)
        expect(await page.evaluate(() => [isSecureContext, crossOriginIsolated])).toEqual([true, true])
        await goTo(page, 'Runs')
        await page.getByText('1 run in this browser').waitFor()
        await goTo(page, 'Models')
        await page.getByText('No models yet.').waitFor()
        expect(await page.getByText('served over https or from localhost').count()).toBe(0)
      },
    )

  it.skipIf(!isInstalled)('lets a course page of another origin show the page in a frame and hear it', async () => {
    const { address } = await open()
    const course = await serveCourse(documented(await smallAddress(`${address}?embed=https://course.example`)))
    opened.push(course)
    const page = await pages.open()
    await page.goto(course.address)
    const frame = page.frameLocator('iframe')
    await pressStep(frame)
    const { origin } = new URL(address)
    await expect.poll(() => heard(page)).toEqual([{ source: 'rlanything-playground', type: 'ready', origin }])
  })
})
