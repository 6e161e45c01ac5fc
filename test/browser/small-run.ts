/** The shortest possible run of the shipped models. */
import type { FrameLocator, Page } from 'playwright-core'
import { expect } from 'vitest'
import { presetSettings } from '../../src/method/presets.ts'
import type { Settings } from '../../src/method/settings.ts'
import type { BackendWish } from '../../src/sessions/messages.ts'
import { writeLink } from '../../src/playground/state/link.ts'
import { openSettings } from './controls.ts'

async function set(page: Page, name: RegExp, value: number): Promise<void> {
  const field = page.getByRole('textbox', { name })
  await field.fill(String(value))
  await field.press('Enter')
}

/** Two rollouts of five steps, one vote for each step, and no evaluation by default. */
export async function makeSmall(page: Page, { evaluateEvery = 0, evaluationTasks = 0 } = {}): Promise<void> {
  await openSettings(page)
  await set(page, /^m, votes/, 1)
  await set(page, /^G, rollouts/, 2)
  await page.locator('summary').getByText('Run', { exact: true }).click()
  await set(page, /^Tasks per iteration/, 1)
  await set(page, /^Task pool/, 2)
  await set(page, /^Steps per episode/, 5)
  await set(page, /^Evaluate every/, evaluateEvery)
  if (evaluateEvery > 0) await set(page, /^Evaluation tasks/, evaluationTasks)
}

/** The same run as the hash of a link, `#` included, in any world that ships with models. */
export function smallLink(
  settings: Partial<Settings> = {},
  backend: BackendWish = 'auto',
  iterations = 1000,
): Promise<string> {
  const preset = settings.world ?? 'household'
  const small = {
    evaluationsPerStep: 1,
    groupSize: 2,
    tasksPerIteration: 1,
    taskPoolSize: 2,
    // A program is one step.
    maxSteps: preset === 'coding' ? 1 : 5,
    evaluateEvery: 0,
  }
  const whole = { ...presetSettings(preset), ...small, ...settings }
  return writeLink({ preset, settings: whole, backend, iterations })
}

/** Opens the page at an address, and runs one iteration of the smallest run. */
export async function stepOnce(page: Page, address: string): Promise<void> {
  await page.goto(await smallAddress(address))
  await pressStep(page)
}

/** The loop of the page at an address, with the smallest run set up. The processor runs it: nobody waits for a GPU to be measured. */
export const smallAddress = async (address: string): Promise<string> =>
  `${address}${await smallLink({}, 'cpu')}&view=loop`

/** Runs one iteration, and waits until it has finished. */
export async function pressStep(page: Page | FrameLocator): Promise<void> {
  await page.getByRole('button', { name: 'Step', exact: true }).click()
  await page.getByText('Paused', { exact: true }).first().waitFor()
}

/** Waits until the training curve has reached an iteration. Returns the last one that it has reached. */
export async function reach(page: Page, iteration: number): Promise<number> {
  const chart = page.getByRole('img', { name: /^Policy accuracy/ })
  let reached = 0
  await expect
    .poll(
      async () => {
        const name = await chart.getAttribute('aria-label')
        return (reached = Number(/training .* \(iterations 1 to (\d+)\)/.exec(name ?? '')?.[1] ?? 0))
      },
      { timeout: 180_000 },
    )
    .toBeGreaterThanOrEqual(iteration)
  return reached
}
