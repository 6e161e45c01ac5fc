/** Opens another view of the page, or of a page in a frame, like a visitor does. */
import type { FrameLocator, Page } from 'playwright-core'
import { expect } from 'vitest'
import { GROUPS, VIEWS } from '../../src/playground/state/views.ts'

export type ViewTitle = (typeof VIEWS)[keyof typeof VIEWS]

export async function goTo(page: Page | FrameLocator, title: ViewTitle): Promise<void> {
  const group = GROUPS.find(({ views }) => views.some((view) => VIEWS[view] === title))!
  const navigation = page.getByRole('navigation', { name: 'Views' })
  // A group may have the name of its first view, whose link comes after it.
  const groupLink = navigation.getByRole('link', { name: group.title, exact: true }).first()
  const link = group.views.length > 1 ? navigation.getByRole('link', { name: title, exact: true }).last() : groupLink
  // Again if the page was still being created when it was clicked.
  await expect
    .poll(async () => {
      if (!(await link.isVisible())) await groupLink.click()
      await link.click()
      return link.getAttribute('aria-current')
    })
    .toBe('page')
}
