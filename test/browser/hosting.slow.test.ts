/** The built page in unfriendly places: works, or says in one sentence what does not and why. */
import { spawn } from 'node:child_process'
import { get } from 'node:http'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Page } from 'playwright-core'
import { afterEach, describe, expect, it } from 'vitest'
import { root } from '../../scripts/ensure.mjs'
import { blockStorage } from './blocked-storage.ts'
import { runOnShow } from './controls.ts'
import { documented, serveCourse } from './course-page.ts'
import { engines, walkInFirefox } from './engines/walker.ts'
import { EVERY_VIEW, openView } from './every-view.ts'
import { downloaded, usePages } from './harness.ts'
import { keptOffline } from './offline-copy.ts'
import { makeSmall, pressStep, smallAddress, stepOnce } from './small-run.ts'
import { otherAddress, serveStatic, type Changes, type StaticServer } from './static-server.ts'
import { goTo } from './views.ts'

const pages = usePages()
const servers: { close(): Promise<void> }[] = []
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close()
})

async function serve(changes: Changes = {}): Promise<StaticServer> {
  const server = await serveStatic(changes)
  servers.push(server)
  return server
}

describe('where the browser blocks storage', () => {
  it('the page says what it cannot keep, shows every view, and runs', async () => {
    const { address } = await serve()
    const context = await pages.newContext()
    await blockStorage(context)
    const page = await pages.open(context)
    await page.goto(await smallAddress(address))
    await page.getByText('does not let this page store anything').waitFor()
    await runOnShow(page).getByText('Recorded run').waitFor()
    await goTo(page, 'Models')
    await page.getByText('does not let this page keep model folders').waitFor()
    for (const view of EVERY_VIEW) await openView(page, view)
    await goTo(page, 'Loop')
    await pressStep(page)
  })
})

const { missing } = engines().find(({ name }) => name === 'Firefox')!

describe('in Firefox itself', () => {
  it.skipIf(missing !== null).each([
    [
      'with site data blocked',
      { 'network.cookie.cookieBehavior': 2 },
      'does not let this page store anything',
      'does not let this page keep runs',
    ],
    [
      'in private windows',
      { 'browser.privatebrowsing.autostart': true },
      'Household',
      'No runs in this browser yet. Press Run: your runs appear here and stay until you delete them, clear this site’s data or close a private window.',
    ],
  ])('%s the page runs, and says what it cannot keep', async (_, preferences, sentence, runs) => {
    const { address } = await serve()
    const walker = await walkInFirefox(preferences)
    try {
      await walker.goTo(await smallAddress(address))
      await walker.see(sentence)
      await walker.press('link', /^Compare$/)
      await walker.see(runs)
      await walker.press('link', /^Watch$/)
      await walker.press('button', /^Step$/)
      await walker.see('Paused')
      await walker.press('link', /^Set up$/)
      await walker.see('does not let this page keep model folders')
      expect(await walker.uncaught()).toEqual([])
    } finally {
      await walker.close()
    }
  })

  it.skipIf(missing !== null)(
    'without cookies of other sites, in a frame of one, the page runs and says that it keeps nothing',
    async () => {
      const { address } = await serve()
      const frame = documented(await smallAddress(`${address}?embed`))
      const course = await serveCourse(frame, 'localhost')
      servers.push(course)
      const walker = await walkInFirefox({ 'network.cookie.cookieBehavior': 1 })
      try {
        await walker.goTo(course.address)
        await walker.inFrame(async () => {
          await walker.see('does not let this page store anything')
          await walker.press('button', /^Step$/)
          await walker.see('Paused')
          await walker.press('link', /^Compare$/)
          await walker.see('does not let this page keep runs')
        })
        expect(await walker.uncaught()).toEqual([])
      } finally {
        await walker.close()
      }
    },
  )
})

describe('where its parts cannot load', () => {
  it.each([
    ['the server sends scripts as text', { headers: { 'Content-Type': 'text/plain' } }, 'as text/plain'],
    ['a script is missing', { status: 404, body: '' }, 'is missing on the server (404)'],
  ])('because %s, the page says so', async (_, answer, sentence) => {
    const { address } = await serve({ change: (path) => (path.startsWith('assets/index-') ? answer : undefined) })
    const page = await pages.open()
    await page.goto(`${address}#loop`)
    await page.getByRole('alert').getByText(sentence).waitFor()
  })

  it('because it was opened as a file, the page says so', async () => {
    const page = await pages.open()
    await page.goto(pathToFileURL(join(root, 'dist', 'index.html')).href)
    await page.getByRole('alert').getByText('was opened as a file').waitFor()
  })

  it('because a policy forbids WebAssembly, a run names the policy', async () => {
    const policy = { headers: { 'Content-Security-Policy': "script-src 'self' 'unsafe-inline'" } }
    const { address } = await serve({ change: (path) => (/\.(js|html)$/.test(path) ? policy : undefined) })
    const page = await pages.open()
    await page.goto(`${address}#loop`)
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    await page.getByRole('alert').getByText("'wasm-unsafe-eval'").waitFor()
  })
})

describe('under the policy of docs/hosting.md', () => {
  const policy = /`(default-src [^`]*)`/.exec(readFileSync(join(root, 'docs', 'hosting.md'), 'utf8'))![1]!
  const headers = { 'Content-Security-Policy': policy }

  /** A picture of the first screen's moment, saved. */
  async function picture(page: Page, address: string): Promise<Buffer> {
    await page.goto(address)
    await page.getByRole('button', { name: 'Copy this moment' }).click()
    const downloading = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Save as PNG', exact: true }).click()
    return downloaded(await downloading)
  }

  it('the page runs and saves the same pictures as without one, and only the inline scripts of index.html are refused', async () => {
    const { address } = await serve({ change: () => ({ headers }) })
    const free = await serve()
    const context = await pages.newContext({ reducedMotion: 'reduce' })
    await context.addInitScript(() => {
      const refused: string[] = []
      Object.assign(globalThis, { refused })
      addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI }) => {
        refused.push(`${effectiveDirective} ${blockedURI}`)
      })
    })
    const page = await pages.open(context)
    const saved = await picture(page, address)
    expect(saved.equals(await picture(await pages.open(context), free.address))).toBe(true)
    await page.getByRole('button', { name: 'Save a loop of λ as GIF' }).click()
    await page.getByText(/^Saved as GIF/).waitFor()
    await page.keyboard.press('Escape')
    await goTo(page, 'Loop')
    await makeSmall(page)
    await pressStep(page)
    const refused = await page.evaluate(() => (globalThis as unknown as { refused: string[] }).refused)
    expect(new Set(refused)).toEqual(new Set(['script-src-elem inline']))
  })
})

describe('under a policy that forbids images made of data', () => {
  it('a picture that cannot be saved names the policy', async () => {
    const headers = { 'Content-Security-Policy': "img-src 'self'" }
    const { address } = await serve({ change: () => ({ headers }) })
    const page = await pages.open()
    await page.goto(address)
    await page.getByRole('button', { name: 'Copy this moment' }).click()
    await page.getByRole('button', { name: 'Save as PNG', exact: true }).click()
    await page.getByText('it has to allow img-src data:').waitFor()
  })
})

describe('over plain http from another machine', () => {
  it.skipIf(otherAddress === undefined)('the page runs and keeps runs, and says what needs https', async () => {
    const server = await serve({ host: otherAddress! })
    const page = await pages.open()
    await stepOnce(page, server.address)
    expect(await page.evaluate(() => isSecureContext)).toBe(false)
    await goTo(page, 'Runs')
    await page.getByText('1 run in this browser').waitFor()
    await goTo(page, 'Models')
    await page.getByText('served over https or from localhost').first().waitFor()
  })
})

describe('npm start -- --host 0.0.0.0', () => {
  it('prints the addresses of this machine, and answers under any name', async () => {
    const started = spawn(process.execPath, [join(root, 'scripts', 'start.mjs'), '--host', '0.0.0.0'])
    servers.push({ close: async () => void started.kill() })
    let said = ''
    started.stdout.on('data', (text) => (said += String(text)))
    await expect.poll(() => said).toContain('Ctrl-C')
    const port = /^RLAnything Playground: http:\/\/localhost:(\d+)\/$/m.exec(said)![1]!
    if (otherAddress !== undefined) expect(said).toContain(`From other machines: http://${otherAddress}:${port}/`)
    const status = await new Promise((resolve) => {
      get({ host: '127.0.0.1', port, headers: { host: `playground.intranet:${port}` } }, (response) => {
        response.resume()
        resolve(response.statusCode)
      })
    })
    expect(status).toBe(200)
  })
})

describe('two deployments on one host', () => {
  it('keep their own runs and offline files, and ask for lasting room once there is a run', async () => {
    const context = await pages.newContext({ serviceWorkers: 'allow' })
    await context.addInitScript(() => {
      const scope = globalThis as unknown as { timesAsked: number }
      scope.timesAsked = 0
      navigator.storage.persist = async () => ++scope.timesAsked > 0
    })
    const timesAsked = (page: Page) => page.evaluate(() => (globalThis as unknown as { timesAsked: number }).timesAsked)
    const { origin } = await serve({ folders: ['/a/', '/b/'] })
    const visit = async (folder: string) => {
      const page = await pages.open(context)
      await page.goto(await smallAddress(`${origin}${folder}`))
      await runOnShow(page).getByText('Recorded run').waitFor()
      await keptOffline(page)
      return page
    }
    const first = await visit('a/')
    await pressStep(first)
    // That the browser may not remove it by itself.
    await expect.poll(() => timesAsked(first)).toBe(1)
    const second = await visit('b/')
    await goTo(second, 'Runs')
    await second.getByText('No runs in this browser yet').waitFor()
    await goTo(first, 'Runs')
    await first.getByText('1 run in this browser').waitFor()
    const kept = await second.evaluate(async () => {
      const sizes: Record<string, number> = {}
      for (const name of await caches.keys()) sizes[name] = (await (await caches.open(name)).keys()).length
      return sizes
    })
    expect(await timesAsked(second)).toBe(0)
    expect(Object.keys(kept).sort()).toEqual(['rlanything-shipped /a/', 'rlanything-shipped /b/'])
    expect(kept['rlanything-shipped /a/']).toBe(kept['rlanything-shipped /b/'])
  })
})
