/** The page without a network, and after an update. It is served from a folder that a test can change. */
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { root } from '../../scripts/ensure.mjs'
import { runOnShow } from './controls.ts'
import { openBrowser } from './harness.ts'
import { keptOffline, nextVersionKept } from './offline-copy.ts'
import { makeSmall } from './small-run.ts'
import { serveStatic, type StaticServer } from './static-server.ts'
import { goTo } from './views.ts'

let browser: Browser
let context: BrowserContext
let server: StaticServer
/** Content that replaces the built file; null for 404. */
let replaced: Map<string, string | null>
let asked: string[]
const problems: string[] = []

beforeAll(async () => {
  browser = await openBrowser()
})
afterAll(() => browser.close())
beforeEach(async () => {
  replaced = new Map()
  asked = []
  server = await serveStatic({
    folders: ['/'],
    change(path) {
      asked.push(path)
      const body = replaced.get(path)
      return body === null ? { status: 404, body: '' } : body === undefined ? undefined : { body }
    },
  })
  context = await browser.newContext({ viewport: { width: 1280, height: 900 } })
  context.setDefaultTimeout(120_000)
})
afterEach(async () => {
  await context.close()
  await server.close()
  expect(problems.splice(0)).toEqual([])
})

async function visit(): Promise<Page> {
  const page = await context.newPage()
  page.on('pageerror', (error) => problems.push(error.message))
  await page.goto(`${server.address}#loop`)
  await runOnShow(page).getByText('Recorded run').waitFor()
  return page
}

const version = (page: Page) => page.evaluate(() => document.documentElement.dataset['version'] ?? 'first')
/** Whether the page comes to show the second version soon. */
const becomesSecond = (page: Page) =>
  page
    .waitForFunction(() => document.documentElement.dataset['version'] === 'second', null, { timeout: 20_000 })
    .then(
      () => true,
      () => false,
    )

describe('without a network', () => {
  it('the page opens again, shows its recorded run and trains', async () => {
    const page = await visit()
    await keptOffline(page)
    await server.close()
    await context.setOffline(true)
    await page.reload()
    await runOnShow(page).getByText('Recorded run').waitFor()
    expect(await page.evaluate(() => crossOriginIsolated)).toBe(true)
    await goTo(page, 'Start')
    await page.getByRole('list', { name: 'Steps of the episode' }).waitFor()
    await goTo(page, 'Episodes')
    await page.getByRole('grid', { name: 'Rollouts of this task, step by step' }).waitFor()
    await makeSmall(page)
    await page.getByRole('button', { name: 'Step', exact: true }).click()
    await page.getByText('Paused', { exact: true }).first().waitFor()
    await goTo(page, 'Loop')
    await page.getByRole('img', { name: /Policy accuracy\. .*training \d.* at iteration 1/ }).waitFor()
  })
})

describe('a host that inserts a script into index.html', () => {
  it('lets the page be kept, which then opens without a network', async () => {
    const index = await readFile(join(root, 'dist', 'index.html'), 'utf8')
    replaced.set('index.html', index.replace('</head>', '<script>globalThis.isInserted = true</script></head>'))
    const page = await visit()
    expect(await page.evaluate('globalThis.isInserted')).toBe(true)
    await keptOffline(page)
    await server.close()
    await page.reload()
    await runOnShow(page).getByText('Recorded run').waitFor()
    expect(await page.evaluate('globalThis.isInserted')).toBe(true)
  })
})

describe('a browser without room for the page', () => {
  /** Bytes of room for what this site keeps; all of it again without a number. */
  async function giveRoom(page: Page, bytes?: number): Promise<void> {
    const session = await context.newCDPSession(page)
    const { origin } = new URL(server.address)
    await session.send('Storage.overrideQuotaForOrigin', { origin, ...(bytes !== undefined && { quotaSize: bytes }) })
  }
  const filesKept = (page: Page) =>
    page.evaluate(async () => {
      let files = 0
      for (const name of await caches.keys()) files += (await (await caches.open(name)).keys()).length
      return files
    })

  it('keeps nothing of it', async () => {
    const page = await context.newPage()
    // Here there is no page that installs it by itself.
    replaced.set('empty.html', '')
    await page.goto(`${server.address}empty.html`)
    await giveRoom(page, 4e6)
    const state = await page.evaluate(async () => {
      const { installing } = await navigator.serviceWorker.register('./service-worker.js')
      await new Promise<void>((resolve) => {
        installing!.addEventListener('statechange', () => resolve())
      })
      return installing!.state
    })
    expect(state).toBe('redundant')
    // Some fitted before one did not.
    expect(asked.length).toBeGreaterThan(10)
    expect(await filesKept(page)).toBe(0)
  })

  it('still gets the files that are kept at their first use', async () => {
    const page = await visit()
    await keptOffline(page)
    const script = await readFile(join(root, 'dist', 'service-worker.js'), 'utf8')
    const shipped = JSON.parse(/^self\.shipped=(\{.*?\}\});/.exec(script)![1]!) as Record<string, { bytes: number }>
    const [[large, { bytes }]] = Object.entries(shipped).sort(([, a], [, b]) => b.bytes - a.bytes) as [
      [string, { bytes: number }],
    ]
    await page.reload()
    await runOnShow(page).getByText('Recorded run').waitFor()
    const before = await filesKept(page)
    const read = () => page.evaluate(async (path) => (await (await fetch(path)).arrayBuffer()).byteLength, large)
    await giveRoom(page, 1e6)
    expect(await read()).toBe(bytes)
    expect(await filesKept(page)).toBe(before)
    await giveRoom(page)
    expect(await read()).toBe(bytes)
    expect(await filesKept(page)).toBe(before + 1)
  })
})

/** Serves a version with another index.html, in which every part of the page has a new name. Returns its list of files. */
async function shipSecond(): Promise<Record<string, { hash: string; bytes: number }>> {
  const index = (await readFile(join(root, 'dist', 'index.html'), 'utf8')).replace(
    '<html',
    '<html data-version="second"',
  )
  const script = await readFile(join(root, 'dist', 'service-worker.js'), 'utf8')
  const [, list] = /^self\.shipped=(\{.*?\}\});/.exec(script)!
  const shipped = JSON.parse(list!) as Record<string, { hash: string; bytes: number }>
  const hash = createHash('sha256').update(index).digest('hex')
  shipped['index.html'] = { hash, bytes: Buffer.byteLength(index) }
  const old = Object.keys(shipped).filter((path) => /EpisodesView/.test(path))
  expect(old.length).toBeGreaterThan(0)
  for (const path of old) {
    delete shipped[path]
    replaced.set(path, null)
  }
  replaced.set('index.html', index)
  replaced.set('service-worker.js', script.replace(list!, JSON.stringify(shipped)))
  return shipped
}

describe('a new version', () => {
  it('waits until pages of the old version close, which keep working; then fetches only changed files', async () => {
    const first = await visit()
    await keptOffline(first)
    await first.reload()
    await runOnShow(first).getByText('Recorded run').waitFor()
    expect(asked.filter((path) => path.startsWith('models/')).length).toBeGreaterThan(0)

    const shipped = await shipSecond()
    asked.length = 0
    await nextVersionKept(first)
    expect([...new Set(asked)].sort()).toEqual(['index.html', 'service-worker.js'])

    const second = await visit()
    expect(await version(second)).toBe('first')
    await goTo(second, 'Episodes')
    await second.getByRole('grid', { name: 'Rollouts of this task, step by step' }).waitFor()
    await second.close()
    expect(await version(first)).toBe('first')

    // On a busy machine the closed page may still count when the reloaded one asks; then the next load asks again. The page
    // also reloads by itself once the new version has taken over, which ends a reload from outside.
    const openAgain = async () => {
      await first.reload().catch((error: Error) => expect(error.message).toContain('ERR_ABORTED'))
      return becomesSecond(first)
    }
    await expect.poll(openAgain, { interval: 100 }).toBe(true)
    await runOnShow(first).getByText('Recorded run').waitFor()
    const left = await first.evaluate(async () => (await (await caches.open('rlanything-shipped /')).keys()).length)
    expect(left).toBeLessThanOrEqual(new Set(Object.values(shipped).map((file) => file.hash)).size)
  })

  it('is offered to the page that is open, and loaded unless another one shows the old version', async () => {
    const page = await visit()
    await keptOffline(page)
    await page.reload()
    await runOnShow(page).getByText('Recorded run').waitFor()
    expect(await page.getByRole('region', { name: 'New version' }).count()).toBe(0)
    await shipSecond()
    await nextVersionKept(page)
    const load = page.getByRole('region', { name: 'New version' }).getByRole('button', { name: 'Load it' })
    const other = await visit()
    await load.click()
    await page.getByText('Another tab still shows the old version of this page.').waitFor()
    expect(await version(page)).toBe('first')
    await other.close()
    // The closed page may still count for a moment.
    const loadAgain = async () => {
      await load.click()
      return becomesSecond(page)
    }
    await expect.poll(loadAgain, { interval: 100 }).toBe(true)
    await runOnShow(page).getByText('Recorded run').waitFor()
  })
})
