/** Tabs of one visitor, whose storage they share, on a page without a shipped run. */
import type { BrowserContext, Page } from 'playwright-core'
import { beforeEach, inject } from 'vitest'
import { usePages } from './harness.ts'
import { withoutRecordings } from './made-up-runs.ts'

/** Gives a function that opens a tab, by a link if there is one. Each test has another visitor. */
export function useTabs(): (link?: string) => Promise<Page> {
  const pages = usePages()
  let context: BrowserContext
  beforeEach(async () => {
    context = await pages.newContext()
    await withoutRecordings(context)
  })
  return async (link = '#loop') => {
    const page = await pages.open(context)
    await page.goto(new URL(link, inject('pageAddress')).href)
    await page.getByText('Nothing has run yet. Press Run').waitFor()
    return page
  }
}
