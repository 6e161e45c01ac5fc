/** Opens another view of the page like a visitor does. */
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import type { VIEWS } from '../../src/playground/state/views.ts'

export type ViewTitle = (typeof VIEWS)[keyof typeof VIEWS]

export async function goTo(page: Page, title: ViewTitle): Promise<void> {
  const link = page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name: title, exact: true })
  // Again if the page was still being created when it was clicked.
  await expect
    .poll(async () => {
      await link.click()
      return link.getAttribute('aria-current')
    })
    .toBe('page')
}
