/** The page stays responsive during a run, because models, environment and loop compute in workers. */
import { describe, inject, it } from 'vitest'
import { launchBrowser } from '../../scripts/browser.mjs'
import { expectFreeMainThread } from './settled.ts'

describe('the main thread', () => {
  it('is never blocked for 50 ms of CPU time during a run', async () => {
    const browser = await launchBrowser()
    try {
      const context = await browser.newContext({ serviceWorkers: 'block', viewport: { width: 1440, height: 900 } })
      context.setDefaultTimeout(120_000)
      const page = await context.newPage()
      await page.goto(inject('pageAddress'))
      await page.getByRole('button', { name: 'Run', exact: true }).click()
      // Loading ends when the first rollout starts.
      await page.getByText(/^Iteration 1: /).waitFor()
      await expectFreeMainThread(browser, page, () => page.waitForTimeout(15_000))
    } finally {
      await browser.close()
    }
  })
})
