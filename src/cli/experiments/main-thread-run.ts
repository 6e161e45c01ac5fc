/**
 * Measures how long single tasks block the page's main thread, view by view, during a run with a log of many iterations: first in
 * the page that made it, then in a new page that continues the kept run.
 */
import { preview } from 'vite'
import type { BrowserContext, Page } from 'playwright-core'
import { launchBrowser } from '../../../scripts/browser.mjs'
import { buildIfStale } from '../../../scripts/start.mjs'
import { presetSettings } from '../../method/presets.ts'
import { heldMainThread, type HeldThread } from './main-thread.ts'

export interface MainThreadOptions {
  preset: string
  /** Iterations in the log before measuring. */
  after: number
  /** Seconds to watch each view. */
  seconds: number
}

export interface WatchedView extends HeldThread {
  view: string
  page: 'that made the run' | 'that went on with it'
}

/** Views that show the run. */
const VIEWS = ['Loop', 'Episodes', 'Tasks', 'Runs']
const PORT = 4400
const PATIENCE_MS = 7_200_000
/** Milliseconds for a view to load and draw, which is not measured. */
const ARRIVAL_MS = 2000

/** Calls `onView` after each view; prints nothing. */
export async function watchMainThread(
  { preset, after, seconds }: MainThreadOptions,
  onView: (watched: WatchedView) => void,
): Promise<void> {
  const { world } = presetSettings(preset)
  buildIfStale()
  const server = await preview({ logLevel: 'warn', preview: { host: '127.0.0.1', port: PORT } })
  const address = server.resolvedUrls!.local[0]!
  const browser = await launchBrowser()
  const watch = async (page: Page, which: WatchedView['page']) => {
    for (const view of VIEWS) {
      await page.getByRole('link', { name: view, exact: true }).click()
      await page.waitForTimeout(ARRIVAL_MS)
      onView({ view, page: which, ...(await heldMainThread(browser, page, () => page.waitForTimeout(seconds * 1000))) })
    }
  }
  try {
    const context = await browser.newContext({ serviceWorkers: 'block', viewport: { width: 1440, height: 900 } })
    const first = await openPage(context, address)
    await first.getByRole('radio', { name: new RegExp(`^${world}`, 'i') }).check()
    await first.getByRole('combobox', { name: 'Preset', exact: true }).selectOption(preset)
    await first.getByRole('button', { name: 'Run', exact: true }).click()
    await reached(first, after)
    await watch(first, 'that made the run')
    await first.close()
    const second = await openPage(context, address)
    await second.getByRole('button', { name: /^Resume the run/ }).click()
    await reached(second, after)
    await watch(second, 'that went on with it')
  } finally {
    await browser.close()
    await server.close()
  }
}

async function openPage(context: BrowserContext, address: string): Promise<Page> {
  const page = await context.newPage()
  page.setDefaultTimeout(300_000)
  await page.goto(address)
  return page
}

/** Waits until the run is computing an iteration from `iteration` on. */
async function reached(page: Page, iteration: number): Promise<void> {
  await page.waitForFunction(
    (least) => Number(/Iteration (\d+): /.exec(document.body.innerText)?.[1] ?? 0) >= least,
    iteration,
    { timeout: PATIENCE_MS, polling: 1000 },
  )
}
