/** The Benchmark view: measures in a worker, cancels, finishes, and exports its results. */
import type { BrowserContextOptions, Page } from 'playwright-core'
import { describe, expect, inject, it } from 'vitest'
import type { Measurement } from '../../src/bench/suite.ts'
import { runOnShow } from './controls.ts'
import { downloaded, usePages } from './harness.ts'
import { goTo } from './views.ts'
import { expectSound } from './looks.ts'
import { expectFreeMainThread } from './free-main-thread.ts'

const pages = usePages({ isAlone: true })

async function visit(options: BrowserContextOptions = {}, hash = '#benchmark'): Promise<Page> {
  const page = await pages.open(options)
  await page.goto(new URL(hash, inject('pageAddress')).href)
  return page
}

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const status = (page: Page, text: string | RegExp) => page.getByRole('status').filter({ hasText: text })
const rows = (page: Page) => page.getByRole('region', { name: 'Measurements, environment' }).locator('tbody tr')

describe('the benchmark in the tab', () => {
  it('loads when it is first opened', async () => {
    const page = await visit({}, '#loop')
    const loaded: string[] = []
    page.on('response', (response) => loaded.push(response.url()))
    await runOnShow(page).getByText('Recorded run').waitFor()
    await page.waitForLoadState('networkidle')
    expect(loaded.filter((url) => /bench/i.test(url))).toEqual([])
    await goTo(page, 'Benchmark')
    await page.getByRole('heading', { name: 'Benchmark' }).waitFor()
    expect(await page.getByRole('heading', { name: 'The loop' }).isVisible()).toBe(false)
    expect(await page.title()).toMatch(/^Benchmark · /)
    await goTo(page, 'Loop')
    await page.getByRole('heading', { name: 'The loop' }).waitFor()
    expect(await page.getByRole('heading', { name: 'Benchmark' }).isVisible()).toBe(false)
  })

  it('names the machine, measures a suite while the page stays responsive, and exports the lines', async () => {
    const page = await visit({ permissions: ['clipboard-read', 'clipboard-write'] })
    await page.getByText(/^WebAssembly, /).waitFor()
    await page.getByText(await page.evaluate(() => navigator.userAgent)).waitFor()
    await button(page, 'Environment').click()
    await rows(page).first().waitFor()
    expect(await button(page, 'Train').isDisabled()).toBe(true)
    await expectFreeMainThread(pages.browser, page, () => page.waitForTimeout(2000))
    await status(page, 'Finished.').waitFor()
    const count = await rows(page).count()
    expect(count).toBeGreaterThan(5)
    const [name, subject, value] = await rows(page).first().locator('th, td').allTextContents()
    expect([name, subject]).toEqual(['steps', 'household engine'])
    expect(value).toMatch(/^[\d,]+ steps\/s$/)

    await button(page, 'Copy as JSON lines').click()
    await status(page, 'Copied.').waitFor()
    const copied = await page.evaluate(() => navigator.clipboard.readText())
    const measurements = copied
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Measurement)
    expect(measurements).toHaveLength(count)
    for (const { value } of measurements) expect(value).toBeGreaterThan(0)
    const [download] = await Promise.all([page.waitForEvent('download'), button(page, 'Download').click()])
    expect(String(await downloaded(download))).toBe(copied)
  })

  it('cancels at once, keeps its measurements, and starts again', async () => {
    const page = await visit()
    await button(page, 'Environment').click()
    await rows(page).first().waitFor()
    await button(page, 'Cancel').click()
    await status(page, 'Cancelled. The measurements so far are below.').waitFor()
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe('Environment')
    const count = await rows(page).count()
    expect(count).toBeGreaterThan(0)
    await button(page, 'All').click()
    await status(page, 'Generate: ').waitFor()
    expect(await rows(page).count()).toBe(count)
    await button(page, 'Cancel').click()
    await status(page, 'Cancelled').waitFor()
    await button(page, 'Judge').click()
    await page.getByRole('region', { name: 'Measurements, judge' }).locator('tbody tr').nth(2).waitFor()
    await button(page, 'Cancel').click()
  })

  it('passes axe and fits into windows of 360 to 1440 pixels', async () => {
    const page = await visit()
    await button(page, 'Environment').click()
    await rows(page).first().waitFor()
    await button(page, 'Cancel').click()
    await expectSound(page, [360, 768, 1440])
  })
})
