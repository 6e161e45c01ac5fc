/** A person makes a task of the desktop, does it, and trains on it. */
import { expect, inject, it } from 'vitest'
import { openView } from './every-view.ts'
import { usePages } from './harness.ts'
import { withoutRecordings } from './made-up-runs.ts'
import { smallLink } from './small-run.ts'

const pages = usePages()

it('lets a person make a task and win it within a minute, keep it, and train the next run on it', async () => {
  const page = await pages.open()
  await withoutRecordings(page)
  await page.goto(new URL(await smallLink({ world: 'desktop', maxSteps: 20 }), inject('pageAddress')).href)
  await openView(page, 'games')
  const start = Date.now()
  const form = page.locator('details').filter({ hasText: 'A task of your own' })
  await form.locator('summary').first().click()

  const name = form.getByRole('combobox', { name: 'Other name' })
  await name.fill('Zebra')
  await name.press('Tab')
  await form.getByText('Zebra is no name for this task.').waitFor()
  expect(await form.getByRole('button', { name: 'Do it' }).isDisabled()).toBe(true)
  await name.fill('zebra.txt')
  await name.press('Tab')
  const goal = form.getByText(/^rename \w+\.txt.* to zebra\.txt\.$/)
  await goal.first().waitFor()
  const sentence = await goal.first().innerText()

  await form.getByRole('button', { name: 'Do it' }).click()
  const best = form.getByRole('button', { name: 'Play the best step' })
  const won = form.getByText(/^Won in \d+ steps?\.$/)
  while (!(await won.isVisible())) await best.click()
  expect(Date.now() - start).toBeLessThan(60_000)

  await form.getByRole('button', { name: 'Keep it' }).click()
  // The keyboard focus stays on what was pressed.
  const kept = form.getByRole('button', { name: 'Kept', exact: true })
  expect(await kept.evaluate((button) => button === document.activeElement)).toBe(true)
  await form.getByRole('button', { name: 'Train the next run on your tasks' }).click()
  expect(await page.getByRole('radio', { name: 'Your tasks' }).isChecked()).toBe(true)

  // The choice and what was kept outlive the page.
  await page.reload()
  await openView(page, 'games')
  await form.locator('summary').first().click()
  expect(await name.inputValue()).toBe('zebra.txt')
  await form.getByRole('button', { name: `Play “${sentence}”` }).waitFor()
  if (!(await page.getByRole('radio', { name: 'Your tasks' }).isChecked()))
    await form.getByRole('button', { name: 'Train the next run on your tasks' }).click()
  await page.getByRole('button', { name: 'Run', exact: true }).click()
  await openView(page, 'episodes')
  await page.getByText(sentence).first().waitFor()

  // Without a task there is nothing to choose.
  await openView(page, 'games')
  await form.getByRole('button', { name: /^Delete/ }).click()
  await form.getByRole('button', { name: 'Delete permanently' }).click()
  await expect.poll(() => page.getByRole('radio', { name: 'Generated tasks' }).isChecked()).toBe(true)
  expect(await page.getByRole('radio', { name: 'Your tasks' }).isDisabled()).toBe(true)
})
