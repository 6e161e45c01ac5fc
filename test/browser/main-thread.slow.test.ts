/** The page stays responsive during a run, because models, environment and loop compute in workers. */
import { describe, inject, it } from 'vitest'
import { launchBrowser } from '../../scripts/browser.mjs'
import { expectFreeMainThread, turns } from './settled.ts'
import { sliderOf, stepsOf } from './start-screen.ts'

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

  it('is never blocked for 50 ms of CPU time while the first screen opens and λ moves', async () => {
    const browser = await launchBrowser()
    try {
      const context = await browser.newContext({ serviceWorkers: 'block', viewport: { width: 1280, height: 800 } })
      context.setDefaultTimeout(120_000)
      const page = await context.newPage()
      const openAndDrag = async () => {
        await page.goto('about:blank')
        await page.goto(new URL('', inject('pageAddress')).href)
        await stepsOf(page).first().waitFor()
        await page.getByRole('img', { name: /^Held-out accuracy/ }).waitFor()
        for (let stop = 0; stop < 4; stop++) await sliderOf(page).press('ArrowRight')
        await turns(page)
      }
      await expectFreeMainThread(browser, page, openAndDrag, 5)
    } finally {
      await browser.close()
    }
  })
})
