/** Small, deterministic runs of household and coding in place of the recorded ones. */
import type { BrowserContext, Page } from 'playwright-core'
import { fakeCodingRunLines } from '../playground/fake-coding-run.ts'
import { isLogged } from '../../src/method/events.ts'
import type { Settings } from '../../src/method/settings.ts'
import { metricRows } from '../../src/runs/metric-rows.ts'
import { writeRunArchive } from '../../src/runs/run-archive.ts'
import { newSummary } from '../../src/runs/run-store.ts'
import { fakeRun, fakeRunLines, fakeSettings } from '../playground/fake-run.ts'

export async function serveMadeUpRuns(page: Page): Promise<void> {
  await page.route('**/runs/**', (route) => {
    const name = new URL(route.request().url()).pathname.split('/').at(-1)
    if (name === 'household.jsonl') return route.fulfill({ body: fakeRunLines({ iterations: 12 }) })
    // The first screen shows the episode that ships.
    if (name?.endsWith('-episode.jsonl.gz')) return route.continue()
    // Small as it is.
    if (name === 'desktop.jsonl.gz') return route.continue()
    if (name === 'coding.jsonl') return route.fulfill({ body: fakeCodingRunLines() })
    return route.fulfill({ status: 404 })
  })
}

/** The page as if no run shipped with it. */
export async function withoutRecordings(visitor: Page | BrowserContext): Promise<void> {
  await visitor.route('**/runs/**', (route) => route.fulfill({ status: 404 }))
}

/** A made-up household run as the file that Export saves. */
export async function madeUpArchive(changes: Partial<Settings>): Promise<Buffer> {
  const settings = { ...fakeSettings, ...changes }
  const iterations = 4
  const events = [...fakeRun({ iterations, settings, seed: settings.seed + 1 })].filter(isLogged)
  const runId = `made-up-${settings.lambda}-${settings.seed}`
  const zip = await writeRunArchive({
    summary: newSummary({ runId, preset: 'household', settings, iterations }, 0),
    rows: metricRows(events),
    checkpoint: null,
    async *readEvents() {
      yield events
    },
  })
  return Buffer.from(await zip.arrayBuffer())
}
