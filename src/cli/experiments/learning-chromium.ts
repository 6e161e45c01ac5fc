/** Runs the built page in Chromium like a visitor: a fresh profile, a preset, Run. */
import type { Page } from 'playwright-core'
import { preview } from 'vite'
import { launchBrowser } from '../../../scripts/browser.mjs'
import { buildIfStale } from '../../../scripts/start.mjs'
import type { LoggedEvent } from '../../method/events.ts'
import { presetSettings } from '../../method/presets.ts'
import { chunkEvents, type PackedChunk } from '../../runs/event-chunk.ts'
import type { RunSummary } from '../../runs/run-store.ts'
import { summarise, type LearningResult } from './learning-report.ts'

export interface LearningOptions {
  preset: string
  minutes: number
  /** Number of held-out tasks of each split. */
  evaluationTasks: number
  evaluateEvery: number
}

/** Serves the page and keeps a browser open while `use` runs. */
export async function learnInChromium(
  options: LearningOptions,
  use: (learn: (seed: number) => Promise<LearningResult>) => Promise<void>,
): Promise<void> {
  buildIfStale()
  const server = await preview({ logLevel: 'warn', preview: { host: '127.0.0.1', port: 4400 } })
  const browser = await launchBrowser()
  try {
    await use(async (seed) => {
      const context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
      try {
        const page = await context.newPage()
        await page.goto(server.resolvedUrls!.local[0]!)
        return await learn(page, seed, options)
      } finally {
        await context.close()
      }
    })
  } finally {
    await browser.close()
    await server.close()
  }
}

async function learn(page: Page, seed: number, options: LearningOptions): Promise<LearningResult> {
  const { world } = presetSettings(options.preset)
  await page.getByRole('radio', { name: new RegExp(`^${world}`, 'i') }).check()
  await page.getByRole('combobox', { name: 'Preset', exact: true }).selectOption(options.preset)
  for (const fold of await page.locator('.settings summary').all()) await fold.click()
  const set = async (label: RegExp, value: number) => {
    const field = page.getByRole('textbox', { name: label })
    await field.fill(String(value))
    await field.blur()
  }
  await set(/^Seed$/, seed)
  await set(/^Evaluation (tasks|problems)$/, options.evaluationTasks)
  await set(/^Evaluate every$/, options.evaluateEvery)
  await page.getByRole('button', { name: 'Run', exact: true }).click()
  const started = performance.now()
  const endsAt = started + options.minutes * 60_000
  const firstIterationSeconds = await secondsToFirstIteration(page, endsAt)
  await page.waitForTimeout(Math.max(0, endsAt - performance.now()))
  return summarise(seed, await keptEvents(page), firstIterationSeconds)
}

/** Throws an Error if the run or its time ends without an iteration. */
async function secondsToFirstIteration(page: Page, endsAt: number): Promise<number> {
  const started = performance.now()
  while (performance.now() < endsAt) {
    await page.waitForTimeout(500)
    const runs = await stored<RunSummary>(page, 'runs')
    if (runs.some(({ finishedIterations }) => finishedIterations > 0)) return (performance.now() - started) / 1000
    const alert = page.getByRole('alert').first()
    if (await alert.isVisible()) throw new Error(`The page says: ${await alert.innerText()}`)
  }
  throw new Error('No iteration finished in time; increase --minutes.')
}

/** The run's evaluations and metrics that the page has stored in IndexedDB so far. */
async function keptEvents(page: Page): Promise<LoggedEvent[]> {
  const chunks = await stored<PackedChunk>(page, 'chunks')
  const events = await Promise.all(chunks.map(chunkEvents))
  return events
    .flat()
    .filter(({ type }) => type === 'evaluation' || type === 'judge-evaluation' || type === 'iteration-finished')
}

/** Everything in a store of the page's database. */
async function stored<Value>(page: Page, store: 'runs' | 'chunks'): Promise<Value[]> {
  const values = await page.evaluate(async (store) => {
    const name = 'rlanything-playground'
    // Opening a missing database would create an empty one before the page does.
    if (!(await indexedDB.databases()).some((database) => database.name === name)) return []
    return new Promise<unknown[]>((resolve, reject) => {
      const opening = indexedDB.open(name)
      opening.onerror = () => reject(new Error('The page has not kept a run.'))
      opening.onsuccess = () => {
        const reading = opening.result.transaction(store).objectStore(store).getAll()
        reading.onerror = () => reject(new Error('The kept run cannot be read.'))
        reading.onsuccess = () => {
          opening.result.close()
          resolve(reading.result)
        }
      }
    })
  }, store)
  return values as Value[]
}
