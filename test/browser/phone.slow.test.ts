/** A phone: 390 × 844, touched, and with a sixth of this machine's clock. */
import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { afterEach, describe, expect, inject, it } from 'vitest'
import { processesOfPages } from '../../src/cli/experiments/page-processes.ts'
import { openSettings } from './controls.ts'
import { usePages } from './harness.ts'
import { withoutRecordings } from './made-up-runs.ts'
import { slowDown } from './slow-device.ts'
import { makeSmall, reach } from './small-run.ts'

const PHONE = { viewport: { width: 390, height: 844 }, deviceScaleFactor: 3, isMobile: true, hasTouch: true }

const pages = usePages({ isAlone: true })
let speedUp: (() => void) | null = null
afterEach(() => {
  speedUp?.()
  speedUp = null
})

/** Opens the page without a shipped run. Records how many wake locks it holds. */
async function visit(): Promise<Page> {
  const context = await pages.newContext(PHONE)
  await withoutRecordings(context)
  await context.addInitScript(() => {
    const scope = globalThis as unknown as { locksHeld: number }
    scope.locksHeld = 0
    const request = async () => {
      scope.locksHeld++
      return { released: false, release: async () => void scope.locksHeld-- }
    }
    Object.defineProperty(navigator, 'wakeLock', { value: { request } })
  })
  const page = await pages.open(context)
  await page.goto(new URL('#loop', inject('pageAddress')).href)
  return page
}

const locksHeld = (page: Page) => page.evaluate(() => (globalThis as unknown as { locksHeld: number }).locksHeld)
const offer = (page: Page) => page.getByRole('region', { name: 'This device' })
const tasks = (page: Page) => page.getByRole('textbox', { name: /^Tasks per iteration/ })
const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()
const sidewaysScroll = (page: Page) =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)

const closeSettings = (page: Page) =>
  page.getByRole('complementary', { name: 'Settings' }).getByRole('button', { name: 'Close' }).click()

async function openTasks(page: Page): Promise<void> {
  await openSettings(page)
  await page.locator('summary').getByText('Run', { exact: true }).click()
  await tasks(page).waitFor()
}

describe('a phone', () => {
  it('is asked whether to spare it, and keeps the usual settings until it is answered', async () => {
    const page = await visit()
    await offer(page).getByText('has 4 tasks an iteration instead of 16').waitFor()
    expect(await sidewaysScroll(page)).toBe(0)
    await openTasks(page)
    expect(await tasks(page).inputValue()).toBe('16')
    await closeSettings(page)
    await press(page, 'Use all of it')
    await page.goto('about:blank')
    await page.goto(new URL('#loop', inject('pageAddress')).href)
    await page.getByText('Nothing has run yet. Press Run').waitFor()
    expect(await offer(page).count()).toBe(0)
    await openTasks(page)
    await page.getByRole('checkbox', { name: 'Spare this device' }).check()
    expect(await tasks(page).inputValue()).toBe('4')
    await page.getByRole('checkbox', { name: 'Spare this device' }).uncheck()
    expect(await tasks(page).inputValue()).toBe('16')
  })

  it.each([
    ['held upright, keeps the controls of the run in sight', PHONE.viewport, true],
    [
      'on a page enlarged to 400 %, lets them scroll away instead of covering half of it',
      { width: 320, height: 256 },
      false,
    ],
  ])('%s', async (_, viewport, isKept) => {
    const page = await visit()
    await offer(page).getByRole('button', { name: 'Use all of it' }).click()
    await page.setViewportSize(viewport)
    const controls = page.getByRole('region', { name: 'Run controls' })
    await page.evaluate(() => scrollTo(0, document.body.scrollHeight))
    const inSight = () =>
      controls.evaluate(
        (bar) => bar.getBoundingClientRect().bottom > 0 && bar.getBoundingClientRect().top < innerHeight,
      )
    await expect.poll(inSight).toBe(isKept)
  })

  it('runs an iteration of the preset for phones at a sixth of the clock, with the screen kept awake', async () => {
    const page = await visit()
    speedUp = await slowDown(pages.browser, 6)
    await offer(page).getByRole('button', { name: 'Spare this device' }).click()
    expect(await locksHeld(page)).toBe(0)
    await press(page, 'Step')
    await expect.poll(() => locksHeld(page)).toBe(1)
    await page.getByText('Paused', { exact: true }).first().waitFor({ timeout: 0 })
    await page.getByRole('img', { name: /^Policy accuracy.* at iteration 1/ }).waitFor()
    await expect.poll(() => locksHeld(page)).toBe(0)
    expect(await sidewaysScroll(page)).toBe(0)
    await openTasks(page)
    expect(await tasks(page).inputValue()).toBe('4')
  })

  it.skipIf(process.platform !== 'linux')('takes less memory if it is spared', async () => {
    const megabytes: Record<string, number> = {}
    for (const answer of ['Use all of it', 'Spare this device']) {
      const before = await processesOfPages(pages.browser)
      const page = await visit()
      const session = await page.context().newCDPSession(page)
      // As many cores as workers that a model has at most.
      await session.send('Emulation.setHardwareConcurrencyOverride', { hardwareConcurrency: 4 })
      await offer(page).getByRole('button', { name: answer }).click()
      await press(page, 'Step')
      await page.getByText('Paused', { exact: true }).first().waitFor({ timeout: 0 })
      const own = (await processesOfPages(pages.browser)).filter((id) => !before.includes(id))
      const peaks = own.map(
        (id) => Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${id}/status`, 'utf8'))![1]) / 1000,
      )
      megabytes[answer] = Math.round(Math.max(...peaks))
      await page.context().close()
    }
    process.stderr.write(`Megabytes at most: ${JSON.stringify(megabytes)}\n`)
    expect(megabytes['Spare this device']).toBeLessThan(0.8 * megabytes['Use all of it']!)
  })

  it('lets the run rest when its clock falls to a sixth, and continues when asked to', async () => {
    const page = await visit()
    await offer(page).getByRole('button', { name: 'Spare this device' }).click()
    await makeSmall(page)
    await closeSettings(page)
    await press(page, 'Run')
    await reach(page, 6)
    speedUp = await slowDown(pages.browser, 6)
    const rest = page.getByRole('region', { name: 'Rest' })
    await rest.getByText('The run rests for a minute').waitFor({ timeout: 0 })
    expect(await locksHeld(page)).toBe(1)
    speedUp()
    const before = await reach(page, 6)
    await press(page, 'Resume')
    await rest.waitFor({ state: 'detached' })
    await reach(page, before + 1)
  })
})
