/** Small, deterministic runs of household and coding in place of the recorded ones. */
import type { Page } from 'playwright-core'
import { fakeCodingRunLines } from '../playground/fake-coding-run.ts'
import { fakeRunLines } from '../playground/fake-run.ts'

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
