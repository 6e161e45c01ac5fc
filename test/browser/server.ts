/** Builds the page if it is out of date, serves it, and starts the Chromium that the page tests share. */
import type { TestProject } from 'vitest/node'
import { preview } from 'vite'
import { launchSharedBrowser } from '../../scripts/browser.mjs'
import { buildIfStale } from '../../scripts/start.mjs'

declare module 'vitest' {
  export interface ProvidedContext {
    /** Address of the loop on the served page. A test of the first screen opens `new URL('', pageAddress)`. */
    pageAddress: string
    /** Address at which test files connect to the browser. */
    browserAddress: string
  }
}

export interface ServedPage {
  /** Ends in a slash. */
  address: string
  close: () => Promise<void>
}

export async function servePage(): Promise<ServedPage> {
  buildIfStale()
  const server = await preview({ logLevel: 'warn', preview: { host: '127.0.0.1', port: 4300, strictPort: false } })
  const address = server.resolvedUrls?.local[0]
  if (address === undefined) throw new Error('The preview server of the page tests has no local address.')
  return { address, close: () => server.close() }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const browser = await launchSharedBrowser()
  const page = await servePage()
  project.provide('pageAddress', `${page.address}#loop`)
  project.provide('browserAddress', browser.wsEndpoint())
  return async () => {
    await browser.close()
    await page.close()
  }
}
