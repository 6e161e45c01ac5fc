/** Unfolds what is folded in the view on show. */
import type { Page } from 'playwright-core'
import { turns } from './settled.ts'

/** Opens all collapsed parts, including nested ones. */
export async function openEverything(page: Page): Promise<void> {
  for (let round = 0; round < 3; round++) {
    const opened = await page.evaluate(() => {
      const folded = [
        ...document.querySelectorAll<HTMLDetailsElement>('.content .view:not([hidden]) details:not([open])'),
      ]
      for (const details of folded) details.open = true
      return folded.length
    })
    if (opened === 0) return
    // Opened parts are drawn in separate tasks.
    await turns(page)
  }
}
