/** Checks every view with axe and in several window widths. */
import type { BrowserContextOptions, Page } from 'playwright-core'
import { describe, expect, inject, it } from 'vitest'
import { VIEWS, type View } from '../../src/playground/state/views.ts'
import { runOnShow } from './controls.ts'
import { usePages } from './harness.ts'
import { expectSound } from './looks.ts'
import { serveMadeUpRuns } from './made-up-runs.ts'
import { goTo } from './views.ts'
import { visibleWords } from './words.ts'

const pages = usePages()
let page: Page

async function visit(options: BrowserContextOptions = {}): Promise<void> {
  page = await pages.open(options)
  await serveMadeUpRuns(page)
  await page.goto(inject('pageAddress'))
  await page.getByText(/^Iteration \d+ of \d+$/).waitFor()
}

/** Views that have more than 300 words so far. None of them may grow. */
const WORDY: Partial<Record<View, number>> = { loop: 330, tasks: 360, learn: 320 }

describe('every view', () => {
  const settled: Record<View, string> = {
    start: '.ribbon',
    loop: 'h2#loop-title',
    episodes: '#equation',
    tasks: '#thresholds',
    story: '.story .choices',
    judge: '.judge .votes',
    learn: '#lessons',
    theory: '#theory',
    games: '#games details, #games button',
    runs: '#runs-title',
    results: '#unpublished-title',
    models: '#models-title',
    cluster: '#cluster-title',
    benchmark: '#benchmark-title',
  }
  it.each(['Household', 'Coding'])('passes axe and fits into 360 pixels, in %s', async (world) => {
    await visit()
    await page.getByRole('radio', { name: world, exact: true }).check()
    await runOnShow(page).getByText(world).waitFor()
    for (const view of Object.keys(VIEWS) as View[]) {
      await goTo(page, VIEWS[view])
      await page.locator(settled[view]).first().waitFor()
      await expectSound(page, [360])
    }
  })

  it.each([360, 1280])('fits into %i pixels, with all controls reachable', async (width) => {
    await visit({ viewport: { width, height: 740 } })
    for (const view of Object.keys(VIEWS) as View[]) {
      await goTo(page, VIEWS[view])
      await page.locator(settled[view]).first().waitFor()
      expect(await page.evaluate(() => document.documentElement.scrollWidth), view).toBeLessThanOrEqual(width)
      expect.soft(await visibleWords(page), `words of ${view}`).toBeLessThanOrEqual(WORDY[view] ?? 300)
      if (['start', 'story', 'judge'].includes(view)) continue
      expect(await page.getByRole('button', { name: 'Run', exact: true }).isVisible()).toBe(true)
      expect(await page.getByRole('button', { name: /^Settings/ }).isVisible()).toBe(true)
    }
  })
})
