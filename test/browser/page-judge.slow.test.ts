/** A visitor judges recorded steps with the keyboard, and sees how the reward model did beside them. */
import { expect, inject, it } from 'vitest'
import { usePages } from './harness.ts'
import { axeViolations } from './looks.ts'

const pages = usePages()

it('eight votes lead to a table of votes and truths, which has the focus', async () => {
  const page = await pages.open()
  await page.goto(new URL('#judge', inject('pageAddress')).href)
  const useful = page.getByRole('button', { name: '+1 useful' })
  await useful.focus()
  for (let step = 1; step <= 8; step++) {
    await page.getByRole('group', { name: `Your vote on step ${step}` }).waitFor()
    expect(await useful.evaluate((button) => button === document.activeElement), `step ${step}`).toBe(true)
    await page.keyboard.press('Enter')
  }
  const focused = () => page.evaluate(() => document.activeElement?.textContent?.trim().replace(/\s+/g, ' '))
  // Half of the steps are useful.
  await expect.poll(focused).toMatch(/^You judged 50 % of 8 steps right, the reward model \d+ %\./)
  const rows = page.getByRole('table').getByRole('row')
  expect(await rows.count()).toBe(9)
  expect(await page.getByRole('cell', { name: 'useful', exact: true }).count()).toBe(4)
  expect(await axeViolations(page)).toEqual([])
  await page.getByRole('button', { name: 'Judge them again' }).click()
  await page.getByRole('group', { name: 'Your vote on step 1' }).waitFor()
})
