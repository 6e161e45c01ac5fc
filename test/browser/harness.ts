/** A browser and pages in it for the page tests; the address of the served page comes from server.ts. */
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, inject } from 'vitest'
import { launchBrowser } from '../../scripts/browser.mjs'

const VIEWPORT = { width: 1280, height: 900 }

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

export interface Pages {
  /** The browser of the file, once its tests run. */
  readonly browser: Browser
  /** A person who has never been here, with storage of their own. */
  newContext(options?: BrowserContextOptions): Promise<BrowserContext>
  /** A blank page of such a person, or of one who has been here. Where it goes is up to the test. */
  open(who?: BrowserContextOptions | BrowserContext): Promise<Page>
}

/**
 * One browser for the tests of a file. What a test has opened is closed after it, and an uncaught error of any page fails it.
 * `patience` is how many milliseconds may pass before a control is there.
 */
export function usePages(patience: number): Pages {
  let browser: Browser
  const contexts: BrowserContext[] = []
  const errors: string[] = []
  beforeAll(async () => {
    browser = await launchBrowser()
  })
  afterAll(() => browser.close())
  afterEach(async () => {
    await Promise.all(contexts.splice(0).map((context) => context.close()))
    expect(errors.splice(0)).toEqual([])
  })
  const newContext: Pages['newContext'] = async (options) => {
    const context = await browser.newContext({ serviceWorkers: 'block', viewport: VIEWPORT, ...options })
    context.setDefaultTimeout(patience)
    contexts.push(context)
    return context
  }
  return {
    get browser() {
      return browser
    },
    newContext,
    async open(who = {}) {
      const page = await ('newPage' in who ? who : await newContext(who)).newPage()
      page.on('pageerror', (error) => errors.push(error.message))
      return page
    },
  }
}
