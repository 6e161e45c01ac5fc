/** Settings with which a run of the shipped models is as short as a run can be. */
import type { Page } from 'playwright-core'

async function set(page: Page, name: RegExp, value: number): Promise<void> {
  const field = page.getByRole('textbox', { name })
  await field.fill(String(value))
  await field.press('Enter')
}

/** Two rollouts of five steps, one vote a step, no evaluation. */
export async function makeSmall(page: Page): Promise<void> {
  await set(page, /^m, votes/, 1)
  await set(page, /^G, rollouts/, 2)
  await page.locator('summary').getByText('Run', { exact: true }).click()
  await set(page, /^Tasks per iteration/, 1)
  await set(page, /^Task pool/, 2)
  await set(page, /^Steps per episode/, 5)
  await set(page, /^Evaluate every/, 0)
}
