/** Swaps a model on the diagram of the loop: before a run, in a run that continues, and after the tab was closed. */
import type { Page } from 'playwright-core'
import { expect, inject, it } from 'vitest'
import { usePages } from './harness.ts'
import { axeViolations } from './looks.ts'
import { withoutRecordings } from './made-up-runs.ts'
import { smallLink } from './small-run.ts'

const pages = usePages()
const box = (page: Page, title: string) => page.locator('.node').filter({ hasText: title })
const iteration = async (page: Page) =>
  Number(/Iteration (\d+)/.exec((await page.locator('.sentence-now').textContent()) ?? '')?.[1] ?? 0)

it('gives a role another model before a run, and the run in this tab from its next iteration on', async () => {
  const page = await pages.open()
  await withoutRecordings(page)
  await page.goto(new URL(await smallLink(), inject('pageAddress')).href)
  await page.goto(new URL('#loop', page.url()).href)
  const reward = box(page, 'Reward model')
  const dialog = page.getByRole('dialog')

  // Before a run, the choice is all that there is to do.
  await reward.getByRole('button', { name: 'Swap the reward model' }).click()
  await dialog.getByLabel(/early reward model/).check()
  expect(await dialog.getByRole('button', { name: /^Swap in/ }).count()).toBe(0)
  // The keys of the page do nothing under a dialog.
  await dialog.getByRole('button', { name: 'Close' }).focus()
  await page.keyboard.press('3')
  expect(new URL(page.url()).hash).not.toContain('tasks')
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'hidden' })
  expect(await reward.getByRole('button').evaluate((button) => button === document.activeElement)).toBe(true)
  await page.getByRole('button', { name: 'Run', exact: true }).click()
  await expect.poll(() => iteration(page)).toBeGreaterThanOrEqual(2)
  expect(await reward.textContent()).toContain('household-reward-early')

  await reward.getByRole('button', { name: 'Swap the reward model' }).click()
  await dialog.getByLabel(/early reward model/).uncheck()
  await dialog.getByRole('button', { name: /^Swap in household-reward from iteration \d+$/ }).click()
  await dialog.getByText('Reward model: household-reward plays in the run.').waitFor()
  await dialog.getByRole('button', { name: 'Close' }).click()
  await expect.poll(() => reward.textContent()).not.toContain('early')
  const swappedAt = await iteration(page)
  await expect.poll(() => iteration(page)).toBeGreaterThan(swappedAt)
  // The mark on the curves names the model.
  const mark = page.locator('figure text').getByText('household-reward', { exact: true })
  await mark.first().waitFor()
  expect(await mark.first().locator('..').locator('title').textContent()).toMatch(
    /^Reward model: household-reward, from iteration \d+$/,
  )
  const charts = page.getByRole('img', { name: / Changed: .*Reward model: household-reward from iteration \d+/ })
  expect(await charts.count()).toBeGreaterThan(0)

  // A model that cannot learn is refused with the reason, and the run continues with its own.
  await box(page, 'Policy').getByRole('button', { name: 'Swap the policy’s model' }).click()
  await dialog.getByLabel(/Played by/).selectOption('openai')
  await dialog.getByLabel('Model, named as on the server').fill('m')
  await dialog.getByRole('button', { name: /^Swap in m from iteration/ }).click()
  await dialog.getByText('The run keeps its model.').waitFor()
  await dialog.getByRole('status').getByText('samples but does not train').waitFor()
  expect(await axeViolations(page, { within: 'dialog' })).toEqual([])
  await dialog.getByLabel(/Played by/).selectOption('built-in')
  await page.keyboard.press('Escape')

  // The tab is closed, and the run continues with the model that it was given.
  await page.reload()
  await page.getByRole('button', { name: /^Resume the run from/ }).click()
  await expect.poll(() => iteration(page)).toBeGreaterThan(swappedAt)
  expect(await reward.textContent()).toContain('household-reward v')
  await mark.first().waitFor()

  // What a role has learned in a kept run, here in this one, can be chosen too.
  await box(page, 'Policy').getByRole('button', { name: 'Swap the policy’s model' }).click()
  await dialog.getByRole('combobox', { name: 'From a kept run' }).selectOption({ index: 1 })
  await expect.poll(() => dialog.getByRole('combobox', { name: /Played by/ }).inputValue()).toBe('checkpoint')
  await dialog.getByRole('button', { name: /^Swap in/ }).click()
  await dialog.getByText(/^Policy: .* plays in the run\.$/).waitFor()
})

it.each(['Policy', 'Reward model', 'Environment'])(
  'passes axe and fits into 360 pixels, whatever plays, for the box %s',
  async (title) => {
    const page = await pages.open({ viewport: { width: 1280, height: 800 } })
    await page.goto(new URL('#loop', inject('pageAddress')).href)
    await box(page, title).getByRole('button', { name: /^Swap/ }).click()
    const dialog = page.getByRole('dialog')
    const kind = dialog.getByLabel(/Played by/)
    await kind.waitFor()
    const kinds = await kind
      .locator('option:enabled')
      .evaluateAll((all: HTMLOptionElement[]) => all.map(({ value }) => value))
    expect(kinds.length).toBeGreaterThan(1)
    for (const each of kinds) {
      await page.setViewportSize({ width: 1280, height: 800 })
      await kind.selectOption(each)
      // Everything that is folded is open.
      for (const fold of await dialog.locator('details:not([open]) > summary').all()) await fold.click()
      expect(await axeViolations(page, { within: 'dialog' }), each).toEqual([])
      await page.setViewportSize({ width: 360, height: 640 })
      const widths = () => dialog.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)
      await expect.poll(widths, { message: each, timeout: 10_000 }).toBeLessThanOrEqual(0)
    }
  },
)
