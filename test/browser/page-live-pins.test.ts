/** A live run leaves alone whatever a person opened, clicked or plays by hand. */
import type { Page } from 'playwright-core'
import { expect, inject, it } from 'vitest'
import { openPart, openSettings, runOnShow } from './controls.ts'
import { usePages } from './harness.ts'
import { withoutRecordings } from './made-up-runs.ts'
import { makeSmall } from './small-run.ts'
import { goTo } from './views.ts'

const pages = usePages()

/** Waits until the run has an iteration with this number or a later one. */
async function reach(page: Page, iteration: number): Promise<void> {
  await expect
    .poll(async () => Number(/Iteration (\d+):/.exec(await page.locator('.sentence-now').innerText())?.[1] ?? 0))
    .toBeGreaterThanOrEqual(iteration)
}

it('keeps a clicked step and a game played by hand while a run continues, until you leave them', async () => {
  const page = await pages.open()
  await withoutRecordings(page)
  await page.goto(new URL('#episodes', inject('pageAddress')).href)
  await makeSmall(page)
  await page.getByRole('button', { name: 'Run', exact: true }).click()
  await reach(page, 2)
  const chip = runOnShow(page)
  const shown = async () => Number(/Iteration (\d+)/.exec(await chip.innerText())![1])
  // What is opened stays, too.
  await page.getByText('All steps of rollout 1').click()
  const opened = await shown()
  await reach(page, opened + 2)
  expect(await shown()).toBe(opened)
  await page.getByText('All steps of rollout 1').click()
  await page.getByRole('button', { name: 'Follow the newest' }).click()
  await page.getByRole('button', { name: 'Copy this moment' }).click()
  const copied = await shown()
  await reach(page, copied + 2)
  expect(await shown()).toBe(copied)
  expect(await page.getByRole('button', { name: 'Save a loop of λ as GIF' }).isVisible()).toBe(true)
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Follow the newest' }).click()
  await openPart(page, 'before-after')
  const beside = await shown()
  await reach(page, beside + 2)
  expect(await shown()).toBe(beside)
  const cell = page.getByRole('gridcell', { name: /^Rollout 2, step 1/ })
  await cell.click()
  const iteration = /Iteration (\d+)/.exec(await chip.innerText())![1]!
  await openPart(page, 'theatre')
  await page.getByRole('button', { name: 'Play this task by hand' }).click()
  const theatre = page.locator('#theatre')
  const command = theatre.getByRole('textbox', { name: 'Command' })
  await command.fill('look')
  await command.press('Enter')
  await command.fill('inventory')
  const opening = await theatre.getByRole('log').innerText()

  await reach(page, Number(iteration) + 3)
  expect(await chip.innerText()).toContain(`Iteration ${iteration}`)
  expect(await cell.getAttribute('aria-selected')).toBe('true')
  expect(await theatre.getByRole('log').innerText()).toBe(opening)
  expect(await command.inputValue()).toBe('inventory')
  expect(await page.evaluate(() => document.activeElement?.getAttribute('placeholder'))).toBe('go to cabinet 1')

  await theatre.getByRole('button', { name: 'Leave the game' }).click()
  expect(await theatre.getByRole('textbox', { name: 'Command' }).count()).toBe(0)
  expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Play this task by hand')
  await chip.getByRole('button', { name: /^\d+ newer iterations$/ }).click()
  await expect
    .poll(async () => Number(/Iteration (\d+)/.exec(await chip.innerText())![1]))
    .toBeGreaterThan(Number(iteration))
  await page.getByRole('button', { name: 'Stop' }).click()
  await goTo(page, 'Loop')
  await page.getByText('Stopped', { exact: true }).first().waitFor()
})

it('moves nothing when the run takes a setting over, and marks it inside the charts', async () => {
  const page = await pages.open()
  await withoutRecordings(page)
  await page.goto(new URL('#loop', inject('pageAddress')).href)
  await makeSmall(page)
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Run', exact: true }).click()
  await reach(page, 3)
  // Both settings are taken over at once.
  await page.getByRole('button', { name: 'Pause', exact: true }).click()
  await page.getByRole('button', { name: 'Resume', exact: true }).waitFor()
  await openSettings(page)
  for (const [name, value] of [
    [/^λ, weight/, '2'],
    [/^m, votes/, '2'],
  ] as const) {
    const field = page.getByRole('textbox', { name })
    await field.fill(value)
    await field.press('Enter')
  }
  await page.keyboard.press('Escape')
  await page.getByText('Your run takes it over at its next iteration.').waitFor()
  const title = page.getByRole('heading', { name: 'The loop' })
  const before = await title.boundingBox()
  await page.getByRole('button', { name: 'Resume', exact: true }).click()
  await page.getByText(/^Your run has λ = 2 since iteration \d+\.$/).waitFor()
  expect(await title.boundingBox()).toEqual(before)
  await page.getByRole('button', { name: 'Close', exact: true }).click()
  await page.getByText(/^Your run has λ = 2/).waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Stop' }).click()
  await page.getByText('Stopped', { exact: true }).first().waitFor()
  const marks = page.locator('svg text').getByText('2 settings', { exact: true })
  await marks.first().waitFor()
  // Near the right edge a mark has its words on its left, where there is room.
  const outside = await marks.evaluateAll(
    (texts) =>
      texts.filter((text) => {
        const chart = text.closest('svg')!.getBoundingClientRect()
        const line = text.previousElementSibling!.getBoundingClientRect()
        const isRight = line.left > chart.left + chart.width / 2
        return isRight && text.getBoundingClientRect().right > line.left
      }).length,
  )
  expect(outside).toBe(0)
})
