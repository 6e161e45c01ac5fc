/** The built page in Chromium, as somebody has it who opens it, changes a few settings and presses Run. */
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { preview } from 'vite'
import { launchBrowser } from '../../../scripts/browser.mjs'
import { buildIfStale } from '../../../scripts/start.mjs'
import { presetSettings } from '../../method/presets.ts'
import type { RunSummary } from '../../runs/run-store.ts'

const PORT = 4400
const PATIENCE_MS = 7_200_000

/** Views that show the run, as the address names them. */
export const VIEWS_OF_A_RUN = ['loop', 'episodes', 'tasks', 'runs'] as const

/** Fields of the settings, by the start of their labels. */
export type Fields = readonly (readonly [label: RegExp, value: number])[]

/** Serves the page, and keeps server and browser open while `use` runs. `flags` are the browser's. */
export async function withBuiltPage<Result>(
  use: (browser: Browser, address: string) => Promise<Result>,
  flags: readonly string[] = [],
): Promise<Result> {
  buildIfStale()
  const server = await preview({ logLevel: 'warn', preview: { host: '127.0.0.1', port: PORT } })
  const browser = await launchBrowser({ flags })
  try {
    return await use(browser, `${server.resolvedUrls!.local[0]!}#loop`)
  } finally {
    await browser.close()
    await server.close()
  }
}

/** A first-time visitor's window. */
export function newVisitor(browser: Browser): Promise<BrowserContext> {
  return browser.newContext({ serviceWorkers: 'block', viewport: { width: 1440, height: 900 } })
}

/** Opens the page, with patience for a busy machine. */
export async function openPage(visitor: BrowserContext, address: string): Promise<Page> {
  const page = await visitor.newPage()
  page.setDefaultTimeout(300_000)
  await page.goto(address)
  return page
}

/** Chooses the preset and its world, sets the fields, and presses Run. */
export async function pressRun(page: Page, preset: string, fields: Fields = []): Promise<void> {
  const { world } = presetSettings(preset)
  await page.getByRole('radio', { name: new RegExp(`^${world}`, 'i') }).check()
  await page.getByRole('button', { name: /^Settings/, expanded: false }).click()
  await page.getByRole('combobox', { name: 'Preset', exact: true }).selectOption(preset)
  for (const [label, value] of fields) {
    const field = page.getByRole('textbox', { name: label })
    if (!(await field.isVisible())) await page.locator('summary').getByText('Run', { exact: true }).click()
    await field.fill(String(value))
    await field.press('Enter')
  }
  await page.getByRole('button', { name: 'Run', exact: true }).click()
}

/** Throws an Error with what the page says of the run, if it failed. */
export async function throwIfRefused(page: Page): Promise<void> {
  const alert = page.locator('.notice').getByRole('alert').first()
  if (await alert.isVisible()) throw new Error(`The page says: ${await alert.innerText()}`)
}

/** Waits until the kept run has so many iterations. Throws an Error if the page reports one, or nothing happens for hours. */
export async function reached(page: Page, iterations: number): Promise<void> {
  const endsAt = performance.now() + PATIENCE_MS
  while ((await finishedIterations(page)) < iterations) {
    await throwIfRefused(page)
    if (performance.now() > endsAt) throw new Error(`The run did not finish iteration ${iterations} within two hours.`)
    await page.waitForTimeout(1000)
  }
}

/** Iterations of the run that the page keeps; zero before its first. */
export async function finishedIterations(page: Page): Promise<number> {
  const [run] = await stored<RunSummary>(page, 'runs')
  return run?.finishedIterations ?? 0
}

/** Shows a view of a run, as its entry in the navigation does. */
export async function showView(page: Page, view: (typeof VIEWS_OF_A_RUN)[number]): Promise<void> {
  await page.evaluate((hash) => (location.hash = hash), view)
}

type StoreName = 'runs' | 'chunks'

/** Everything in a store of the page's database. */
export async function stored<Value>(page: Page, store: StoreName): Promise<Value[]> {
  const [values] = await storedTogether(page, [store])
  return values as Value[]
}

/** Everything in several stores at one moment, in their order. */
export async function storedTogether(page: Page, stores: readonly StoreName[]): Promise<unknown[][]> {
  return page.evaluate(async (stores) => {
    const name = 'rlanything-playground'
    // Opening a missing database would create an empty one before the page does.
    if (!(await indexedDB.databases()).some((database) => database.name === name)) return stores.map(() => [])
    return new Promise<unknown[][]>((resolve, reject) => {
      const opening = indexedDB.open(name)
      opening.onerror = () => reject(new Error('The page has not kept a run.'))
      opening.onsuccess = () => {
        const reading = opening.result.transaction([...stores])
        const requests = stores.map((store) => reading.objectStore(store).getAll())
        reading.onerror = () => reject(new Error('The kept run cannot be read.'))
        reading.oncomplete = () => {
          opening.result.close()
          resolve(requests.map(({ result }) => result as unknown[]))
        }
      }
    })
  }, stores)
}
