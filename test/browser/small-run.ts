/** Settings for the shortest possible run of the shipped models. */
import type { Page } from 'playwright-core'

async function set(page: Page, name: RegExp, value: number): Promise<void> {
  const field = page.getByRole('textbox', { name })
  await field.fill(String(value))
  await field.press('Enter')
}

/** Two rollouts of five steps, one vote for each step, and no evaluation by default. */
export async function makeSmall(page: Page, { evaluateEvery = 0, evaluationTasks = 0 } = {}): Promise<void> {
  await set(page, /^m, votes/, 1)
  await set(page, /^G, rollouts/, 2)
  await page.locator('summary').getByText('Run', { exact: true }).click()
  await set(page, /^Tasks per iteration/, 1)
  await set(page, /^Task pool/, 2)
  await set(page, /^Steps per episode/, 5)
  await set(page, /^Evaluate every/, evaluateEvery)
  if (evaluateEvery > 0) await set(page, /^Evaluation tasks/, evaluationTasks)
}
