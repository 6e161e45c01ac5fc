/** The model chooser of the page: what is chosen is what a run is started with, forms say what they lack, keys are not kept. */
import AxeBuilder from '@axe-core/playwright'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
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

async function visit(options: BrowserContextOptions = {}): Promise<void> {
  const context = await browser.newContext({
    serviceWorkers: 'block',
    viewport: { width: 1280, height: 900 },
    ...options,
  })
  context.setDefaultTimeout(10_000)
  page = await context.newPage()
  page.on('pageerror', (error) => problems.push(error.message))
  await page.goto(new URL('#models', inject('pageAddress')).href)
  await page
    .getByText(/Graphics adapter |offers no graphics adapter\./)
    .first()
    .waitFor()
}

const role = (name: string) => page.getByRole('region', { name })

describe('the model chooser', () => {
  it('starts a run with what is chosen, and keeps no key', async () => {
    await visit()
    await page.getByText('The next run plays with the built-in models.').waitFor()
    const author = role('Author of tasks')
    await author.getByLabel('Played by').selectOption('openai')
    await page.getByText(/Not ready: Author of tasks. Name the model/).waitFor()
    await author.getByRole('textbox', { name: 'Server', exact: true }).fill('http://127.0.0.1:9/v1')
    await author.getByLabel('Model, as the server names it').fill('qwen')
    await author.getByLabel(/^Key/).fill('a-key-of-the-test')
    await page.getByText('The next run plays with what is chosen here.').waitFor()
    expect(await page.evaluate(() => JSON.stringify(localStorage))).not.toContain('a-key-of-the-test')
    await page.getByRole('link', { name: 'Loop' }).click()
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    // The server is not there, and the run says so: it was asked for.
    await page
      .getByRole('alert')
      .getByText(/127\.0\.0\.1:9/)
      .first()
      .waitFor({ timeout: 60_000 })
    await page.reload()
    await page.getByRole('link', { name: 'Models' }).click()
    expect(await author.getByLabel(/^Key/).inputValue()).toBe('')
    expect(await author.getByRole('textbox', { name: 'Server', exact: true }).inputValue()).toBe(
      'http://127.0.0.1:9/v1',
    )
  })

  it.each([
    ['light', 1280],
    ['dark', 360],
  ] as const)(
    'has nothing that axe objects to in %s, and does not stick out at %i pixels',
    async (colorScheme, width) => {
      await visit({ colorScheme, viewport: { width, height: 900 } })
      await role('Policy').getByLabel('Played by').selectOption('checkpoint')
      await role('Reward model').getByLabel('Played by').selectOption('webllm')
      await role('Author of tasks').getByLabel('Played by').selectOption('tinker')
      const { violations } = await new AxeBuilder({ page }).analyze()
      expect(
        violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html.slice(0, 120)).join(' | ')}`),
      ).toEqual([])
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width)
    },
  )
})
