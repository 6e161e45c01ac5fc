/** A person makes a game of the household, plays it, and trains on it. */
import { expect, inject, it } from 'vitest'
import { openView } from './every-view.ts'
import { usePages } from './harness.ts'
import { withoutRecordings } from './made-up-runs.ts'
import { smallLink } from './small-run.ts'

const pages = usePages()

it('lets a person make a game and win it within a minute, keep it, and train the next run on it', async () => {
  const page = await pages.open()
  await withoutRecordings(page)
  await page.goto(new URL(await smallLink(), inject('pageAddress')).href)
  await openView(page, 'games')
  const start = Date.now()
  const form = page.locator('details').filter({ hasText: 'A game of your own' })
  await form.locator('summary').first().click()

  // A goal that makes no sense is refused with what to choose instead.
  await form.getByRole('combobox', { name: 'Room' }).selectOption({ label: 'Kitchen' })
  await form.getByRole('combobox', { name: 'Goal' }).selectOption({ label: 'Heat it, then put it somewhere' })
  await form.getByRole('combobox', { name: 'Thing' }).selectOption('knife')
  await form.getByText(/^You cannot heat a knife\. Choose apple/).waitFor()
  expect(await form.getByRole('button', { name: 'Play it' }).isDisabled()).toBe(true)
  await form.getByRole('combobox', { name: 'Thing' }).selectOption('potato')
  await form.getByRole('combobox', { name: 'Place' }).selectOption('countertop')
  await form.getByText('put a hot potato in countertop.').first().waitFor()

  await form.getByRole('button', { name: 'Play it' }).click()
  const best = form.getByRole('button', { name: 'Play the best command' })
  const won = form.getByText(/^Won in \d+ commands?\.$/)
  while (!(await won.isVisible())) await best.click()
  expect(Date.now() - start).toBeLessThan(60_000)

  await form.getByRole('button', { name: 'Keep it' }).click()
  // The keyboard focus stays on what was pressed.
  const kept = form.getByRole('button', { name: 'Kept', exact: true })
  expect(await kept.evaluate((button) => button === document.activeElement)).toBe(true)
  await form.getByRole('button', { name: 'Train the next run on your games' }).click()
  expect(await page.getByRole('radio', { name: 'Your games' }).isChecked()).toBe(true)
  await page.getByRole('button', { name: 'Run', exact: true }).click()
  await openView(page, 'episodes')
  await page
    .getByText(/put a hot potato in countertop/)
    .first()
    .waitFor()

  // Without a game there is nothing to choose.
  await openView(page, 'games')
  await form.getByRole('button', { name: /^Delete/ }).click()
  await form.getByRole('button', { name: 'Delete permanently' }).click()
  await expect.poll(() => page.getByRole('radio', { name: 'Small rooms' }).isChecked()).toBe(true)
  expect(await page.getByRole('radio', { name: 'Your games' }).isDisabled()).toBe(true)
})
