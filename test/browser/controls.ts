/** Opens controls of the page that are folded at first, like a visitor does. */
import type { Page } from 'playwright-core'

/** No-op if the settings are open. */
export async function openSettings(page: Page): Promise<void> {
  const button = page.getByRole('button', { name: /^Settings/, expanded: false })
  if ((await button.count()) > 0) await button.click()
  await page.getByRole('heading', { name: 'Settings of your run' }).waitFor()
}

/** Unfolds the rarely used controls beside Run. No-op if there is room for them. */
export async function unfoldControls(page: Page): Promise<void> {
  const more = page.getByRole('button', { name: 'More', exact: true })
  if (await more.isVisible()) await more.click()
}

/** What the page says of the run on show. */
export function runOnShow(page: Page) {
  return page.getByRole('group', { name: 'Run on show' })
}

/** Presses the button in the details of the run on show that downloads its log. */
export async function pressDownload(page: Page): Promise<void> {
  await runOnShow(page).getByRole('button').first().click()
  await page.getByRole('button', { name: 'Download its log' }).click()
  await page.keyboard.press('Escape')
}

/** Opens a folded part of the episodes. No-op if it is open. */
export async function openPart(page: Page, part: 'theatre' | 'before-after'): Promise<void> {
  const folded = page.locator(`#${part} > details`)
  await folded.waitFor()
  if ((await folded.getAttribute('open')) === null) await folded.locator('summary').first().click()
}
