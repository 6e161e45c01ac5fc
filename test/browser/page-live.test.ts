/** Your own run, as small as possible, with the shipped models in the page's real workers. */
import type { Page } from 'playwright-core'
import { describe, expect, inject, it } from 'vitest'
import { unfoldControls } from './controls.ts'
import { usePages } from './harness.ts'
import { withoutRecordings } from './made-up-runs.ts'
import { makeSmall } from './small-run.ts'
import { goTo } from './views.ts'

const pages = usePages()
let page: Page

async function visit(): Promise<void> {
  page = await pages.open()
  await withoutRecordings(page)
  await page.goto(inject('pageAddress'))
  await page.getByText('Nothing has run yet. Press Run').waitFor()
}

describe('your own run', () => {
  it('steps one iteration, then another in which only one component is updated', async () => {
    await visit()
    await makeSmall(page)
    await page.getByRole('button', { name: 'Step', exact: true }).press('Enter')
    await page.getByText('Paused', { exact: true }).first().waitFor()
    await page.getByRole('img', { name: /Policy accuracy\. .*training \d.* at iteration 1/ }).waitFor()
    // The keyboard focus survives buttons that are disabled during the step or removed after it.
    const focused = () => page.evaluate(() => document.activeElement?.textContent.trim())
    expect(await focused()).toBe('Step')
    await goTo(page, 'Episodes')
    await page.getByRole('gridcell', { name: /^Rollout 1, step 1/ }).click()
    await page.getByText('Judged by the reward model').waitFor()
    await goTo(page, 'Loop')

    await unfoldControls(page)
    await page.getByRole('button', { name: 'Step environment alone' }).click()
    await page.getByRole('img', { name: /^Policy accuracy\. .*training .* \(iterations 1 to 2\)/ }).waitFor()
    await page.getByRole('button', { name: 'Stop' }).press('Enter')
    await page.getByText('Stopped', { exact: true }).first().waitFor()
    expect(await focused()).toBe('Run')
  })

  it('continues with the weights of the last update in a new worker if a model’s worker dies', async () => {
    await visit()
    await makeSmall(page)
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    await page.getByRole('img', { name: /Policy accuracy\. .*training \d/ }).waitFor()
    const models = page.workers().filter((worker) => /\/model\.worker-[\w-]+\.js$/.test(worker.url()))
    const names = await Promise.all(
      models.map((worker) => worker.evaluate(() => (globalThis as unknown as { name: string }).name)),
    )
    const policy = models[names.indexOf('policy')]!
    const died = new Promise((resolve) => policy.once('close', resolve))
    await policy.evaluate(() => {
      setTimeout(() => {
        throw new Error('A fault of the test.')
      }, 0)
    })
    await died
    await page.getByText(/The policy worker stopped .*A fault of the test.* was started again/).waitFor()
    await page.getByRole('img', { name: /^Policy accuracy\. .*training .* \(iterations 1 to ([5-9]|\d\d)\)/ }).waitFor()
    await page.getByRole('button', { name: 'Stop' }).click()
    await page.getByText('Stopped', { exact: true }).first().waitFor()
  })

  it('reports why a model cannot be loaded', async () => {
    await visit()
    await page.context().route('**/models/household-policy/**', (route) => route.fulfill({ status: 404 }))
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    await page.getByRole('alert').getByText('The models could not be loaded.').waitFor()
    await page.getByRole('button', { name: 'Run', exact: true }).waitFor()
  })
})
