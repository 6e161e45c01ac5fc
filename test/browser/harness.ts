/** A browser and pages in it for the page tests; the address of the served page comes from server.ts. */
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, inject } from 'vitest'
import { launchBrowser } from '../../scripts/browser.mjs'

export interface OpenedPage {
  page: Page
  /** Uncaught errors and console errors of the page so far. */
  errors: string[]
}

/** One browser for the tests of a file. Gives a function that opens a fresh page, with storage of its own. */
export function useBrowser(flags: readonly string[] = []): (path?: string) => Promise<OpenedPage> {
  let browser: Browser
  beforeAll(async () => {
    browser = await launchBrowser({ flags })
  })
  afterAll(() => browser.close())
  return async (path = '') => {
    const context = await browser.newContext({ serviceWorkers: 'block' })
    context.setDefaultTimeout(120_000)
    const page = await context.newPage()
    const errors: string[] = []
    page.on('pageerror', (error) => errors.push(error.message))
    page.on('console', (message) => {
      if (message.type() === 'error') errors.push(message.text())
    })
    await page.goto(new URL(path, inject('pageAddress')).href)
    return { page, errors }
  }
}
