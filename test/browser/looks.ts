/** Checks a page with axe in both colour schemes, and its layout in several window widths. */
import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'

/** Rules that depend on colours. The others find the same in both schemes, so they run once. */
const COLOUR_RULES = ['color-contrast', 'link-in-text-block']

export interface AxeChoice {
  /** Rules to skip. */
  without?: string[]
  /** Selector of the part to check; all of the page if undefined. */
  within?: string
}

/** Violations that axe finds in light and dark, each with its elements. */
export async function axeViolations(page: Page, { without = [], within }: AxeChoice = {}): Promise<string[]> {
  const found: string[] = []
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    const axe = new AxeBuilder({ page }).options({ resultTypes: ['violations'] }).setLegacyMode()
    if (within !== undefined) axe.include(within)
    const { violations } = await (
      colorScheme === 'dark' ? axe.withRules(COLOUR_RULES) : axe.disableRules(without)
    ).analyze()
    for (const { id, nodes } of violations) {
      // Browsers expose the symbols of a formula, and axe takes whatever is in one for a picture.
      const rest = id === 'nested-interactive' ? nodes.filter(({ html }) => !html.startsWith('<math')) : nodes
      if (rest.length > 0)
        found.push(`${colorScheme}: ${id}: ${rest.map(({ html }) => html.slice(0, 160)).join(' | ')}`)
    }
  }
  await page.emulateMedia({ colorScheme: null, reducedMotion: null })
  return found
}

/** Fails if the page is wider than its window. */
export async function expectInside(page: Page, widths: readonly number[]): Promise<void> {
  for (const width of widths) {
    await page.setViewportSize({ width, height: 800 })
    // Charts resize in a separate task.
    await expect
      .poll(() => page.evaluate(() => document.documentElement.scrollWidth), { message: `${width} pixels` })
      .toBeLessThanOrEqual(width)
  }
}

/** Checks both, then restores the window and the colours. */
export async function expectSound(page: Page, widths: readonly number[]): Promise<void> {
  const before = page.viewportSize()
  expect(await axeViolations(page)).toEqual([])
  await expectInside(page, widths)
  if (before) await page.setViewportSize(before)
}
