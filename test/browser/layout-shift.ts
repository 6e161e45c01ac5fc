/** How far what is in sight has moved while a page opened. */
import type { Page } from 'playwright-core'

/** Cumulative layout shift that no page exceeds. 0.1 is usually called good. */
export const MOST_SHIFT = 0.02

interface Watched extends Window {
  shifts: { value: number; moved: string[] }[]
}

/** Records every layout shift of the pages that are opened from now on. */
export async function watchLayout(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const shifts: Watched['shifts'] = []
    Object.assign(window, { shifts })
    const nameOf = (node: Node | null | undefined) =>
      node instanceof Element ? `${node.tagName}.${node.getAttribute('class')}` : `“${node?.textContent?.slice(0, 30)}”`
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) {
        const { value, sources } = entry as PerformanceEntry & { value: number; sources: { node?: Node | null }[] }
        shifts.push({ value, moved: sources.map(({ node }) => nameOf(node)) })
      }
    }).observe({ type: 'layout-shift', buffered: true })
  })
}

/** The sum since the page was opened, with the elements that moved most. */
export async function layoutShift(page: Page): Promise<{ sum: number; moved: string }> {
  const shifts = await page.evaluate(() => (window as unknown as Watched).shifts)
  const worst = shifts.toSorted((a, b) => b.value - a.value)[0]
  return { sum: shifts.reduce((sum, { value }) => sum + value, 0), moved: worst?.moved.join(', ') ?? '' }
}
