/** A run of one's own, with the shipped models in the page's real workers, as small as a run can be. */
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest'
import { launchBrowser } from '../../scripts/browser.mjs'

let browser: Browser
let page: Page
const problems: string[] = []

beforeAll(async () => {
  browser = await launchBrowser()
})
afterAll(() => browser.close())
afterEach(async () => {
  await page.context().close()
  expect(problems.splice(0)).toEqual([])
})

async function visit(): Promise<void> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } })
  context.setDefaultTimeout(120_000)
  page = await context.newPage()
  page.on('pageerror', (error) => problems.push(error.message))
  await page.route('**/runs/**', (route) => route.fulfill({ status: 404 }))
  await page.goto(inject('pageAddress'))
  await page.getByText('Nothing has run yet. Press Run').waitFor()
}

async function set(name: RegExp, value: number): Promise<void> {
  const field = page.getByRole('textbox', { name })
  await field.fill(String(value))
  await field.press('Enter')
}

/** Two rollouts of five steps, one vote a step, no evaluation. */
async function makeSmall(): Promise<void> {
  await set(/^m, votes/, 1)
  await set(/^G, rollouts/, 2)
  await page.locator('summary').getByText('Run', { exact: true }).click()
  await set(/^Tasks per iteration/, 1)
  await set(/^Task pool/, 2)
  await set(/^Steps per episode/, 5)
  await set(/^Evaluate every/, 0)
}

describe('a run of one’s own', () => {
  it('steps one iteration, then another of one component alone', async () => {
    await visit()
    await makeSmall()
    await page.getByRole('button', { name: 'Step', exact: true }).click()
    await page.getByText('Paused', { exact: true }).first().waitFor()
    await page.getByRole('img', { name: /Policy accuracy\. .*training \d.* at iteration 1/ }).waitFor()
    await page.getByRole('gridcell', { name: /^Rollout 1, step 1/ }).click()
    await page.getByText('Judged by the reward model').waitFor()

    await page.getByRole('button', { name: 'Step environment alone' }).click()
    await page.getByRole('img', { name: /training .* \(iterations 1 to 2\)/ }).waitFor()
    await page.getByRole('button', { name: 'Stop' }).click()
    await page.getByText('Stopped', { exact: true }).first().waitFor()
  })

  it('goes on when a model’s worker dies: another takes over with the weights of the last update', async () => {
    await visit()
    // The built worker, with a line more by which the test makes it throw.
    await page.context().route('**/assets/policy-*.js', async (route) => {
      const response = await route.fetch()
      const fault = `new BroadcastChannel('fault').onmessage = () => { throw new Error('A fault of the test.') }`
      await route.fulfill({ response, body: `${await response.text()}\n${fault}` })
    })
    await makeSmall()
    await page.getByRole('button', { name: 'Step', exact: true }).click()
    await page.getByRole('img', { name: /Policy accuracy\. .*training \d.* at iteration 1/ }).waitFor()
    await page.getByText('Paused', { exact: true }).first().waitFor()
    await page.getByRole('button', { name: 'Step', exact: true }).click()
    await page.evaluate(() => new BroadcastChannel('fault').postMessage('now'))
    await page.getByText(/The policy worker stopped .*A fault of the test.* was started again/).waitFor()
    await page.getByRole('img', { name: /training .* \(iterations 1 to 2\)/ }).waitFor()
  })

  it('says what happened when a model cannot be loaded', async () => {
    await visit()
    await page.context().route('**/models/household-policy/**', (route) => route.fulfill({ status: 404 }))
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    await page.getByRole('alert').getByText('The models could not be loaded.').waitFor()
    await page.getByRole('button', { name: 'Run', exact: true }).waitFor()
  })
})
