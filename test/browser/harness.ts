/** Pages in a real Chromium. server.ts serves the page and starts the browser that all test files share. */
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  chromium,
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type Download,
  type Page,
} from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, inject } from 'vitest'
import { launchBrowser } from '../../scripts/browser.mjs'

const VIEWPORT = { width: 1280, height: 900 }
/** Milliseconds that a control or an address may take to appear on a busy machine. */
const PATIENCE = 120_000

export interface BrowserChoice {
  /** Command-line flags; they need a browser of their own. */
  flags?: readonly string[]
  /** A browser without other tests' pages: a trace records all of them. */
  isAlone?: boolean
}

/**
 * The browser of a test file: a connection to the shared one, or its own. Closing either closes the pages opened
 * through it.
 */
export function openBrowser({ flags = [], isAlone = false }: BrowserChoice = {}): Promise<Browser> {
  return isAlone || flags.length > 0 ? launchBrowser({ flags }) : chromium.connect(inject('browserAddress'))
}

export interface OpenedPage {
  page: Page
  /** Uncaught errors and console errors of the page so far. */
  errors: string[]
}

/** Gives a function that opens a fresh page, with its own storage. */
export function useBrowser(flags: readonly string[] = []): (path?: string) => Promise<OpenedPage> {
  let browser: Browser
  beforeAll(async () => {
    browser = await openBrowser({ flags })
  })
  afterAll(() => browser.close())
  return async (path = '#loop') => {
    const context = await browser.newContext({ serviceWorkers: 'block' })
    context.setDefaultTimeout(PATIENCE)
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
  /** A first-time visitor, with their own storage. */
  newContext(options?: BrowserContextOptions): Promise<BrowserContext>
  /** A blank page of a first-time or returning visitor. The test navigates. */
  open(who?: BrowserContextOptions | BrowserContext): Promise<Page>
}

/** After each test, closes what it opened, and fails it if one of its pages had an uncaught error. */
export function usePages(choice: BrowserChoice = {}): Pages {
  let browser: Browser
  const contexts: BrowserContext[] = []
  const errors: string[] = []
  beforeAll(async () => {
    browser = await openBrowser(choice)
  })
  afterAll(() => browser.close())
  afterEach(async () => {
    await Promise.all(contexts.splice(0).map((context) => context.close()))
    expect(errors.splice(0)).toEqual([])
  })
  const newContext: Pages['newContext'] = async (options) => {
    const context = await browser.newContext({ serviceWorkers: 'block', viewport: VIEWPORT, ...options })
    context.setDefaultTimeout(PATIENCE)
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

/** Content of a download. The shared browser's files are not accessible here, so the download is saved first. */
export async function downloaded(download: Download): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), 'download-'))
  try {
    const file = join(folder, 'file')
    await download.saveAs(file)
    return await readFile(file)
  } finally {
    await rm(folder, { recursive: true })
  }
}
