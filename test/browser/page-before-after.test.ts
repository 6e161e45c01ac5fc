/** The same held-out task before and after training, in the recorded run and in one's own. */
import type { Page } from 'playwright-core'
import { expect, inject, it } from 'vitest'
import { usePages } from './harness.ts'
import { expectSound } from './looks.ts'
import { withoutRecordings } from './made-up-runs.ts'
import { makeSmall } from './small-run.ts'
import { goTo } from './views.ts'

const pages = usePages()
let page: Page

const panel = () => page.getByRole('region', { name: 'Before and after' })
const task = () => panel().getByRole('combobox', { name: 'Task' })

it('says what became of all tasks, and plays any of them side by side', async () => {
  page = await pages.open({ reducedMotion: 'reduce' })
  await page.goto(new URL('#before-after', inject('pageAddress')).href)
  const summary = panel().getByText(/^Of 200 held-out tasks, \d+ got better, \d+ got worse and \d+ stayed as they were/)
  await summary.waitFor()
  const counts = (/(\d+) got better, (\d+) got worse and (\d+) stayed/.exec(await summary.innerText()) ?? []).slice(1)
  expect(counts.map(Number).reduce((sum, count) => sum + count, 0)).toBe(200)
  expect(await task().locator('option').count()).toBe(200)
  expect(await task().locator('option:checked').locator('..').getAttribute('label')).toMatch(/^Only solved after/)
  await panel().getByText('The first task in the log that got better is shown first').waitFor()

  const heading = (name: RegExp) => panel().getByRole('heading', { name })
  // Opened again by a reload.
  await expect.poll(() => page.evaluate(() => (history.state === null ? '' : location.hash))).toBe('#before-after')
  await page.reload()
  await heading(/^Version 0, before training −1 not solved/).waitFor()
  await heading(/^Version 40, after iteration 40 \+1 solved/).waitFor()
  await panel().getByRole('slider', { name: 'Step of both' }).press('End')
  // The pictures are loaded on their own.
  await expect
    .poll(() =>
      panel()
        .getByText(/^Over: /)
        .count(),
    )
    .toBe(2)

  await task().selectOption({ index: 199 })
  expect(await task().locator('option:checked').locator('..').getAttribute('label')).toMatch(/^Solved by neither/)
  await panel().getByText('Step 0 of').first().waitFor()
  await panel().getByRole('button', { name: 'Play both' }).press('Enter')
  await panel().getByRole('button', { name: 'Pause' }).waitFor()
  await panel().getByRole('button', { name: 'Pause' }).press('Enter')
  await expectSound(page, [360])
})

it('shows programs before and after', async () => {
  page = await pages.open()
  await page.goto(new URL('#before-after', inject('pageAddress')).href)
  await page.getByRole('radio', { name: 'Coding', exact: true }).check()
  await panel()
    .getByText(/^Of 200 held-out tasks/)
    .waitFor()
  await panel().getByText('function f(x)').first().waitFor()
  const programs = panel().locator('.sides pre')
  // Both in one look: a second look once found neither.
  let shown: string[] = []
  await expect.poll(async () => (shown = await programs.allInnerTexts()).length).toBe(2)
  const [before, after] = shown
  expect(before).not.toBe(after)
  expect(await panel().getByRole('button', { name: /Play/ }).count()).toBe(0)
})

/** Notes each place at which the theatre is drawn while the panel above it is open. */
async function watchTheatre(): Promise<() => Promise<number[]>> {
  await page.evaluate(() => {
    const tops: number[] = []
    Object.assign(window, { tops })
    const note = () => {
      const top = Math.round(document.querySelector('#theatre')!.getBoundingClientRect().top + scrollY)
      if (document.querySelector('#before-after details[open] .body') && tops.at(-1) !== top) tops.push(top)
      requestAnimationFrame(note)
    }
    note()
  })
  return () => page.evaluate(() => (window as unknown as { tops: number[] }).tops)
}
/** A shift of 8 of 800 pixels counts as 0.01. */
async function expectStill(tops: () => Promise<number[]>): Promise<void> {
  const seen = await tops()
  expect(Math.max(...seen) - Math.min(...seen), seen.join(', ')).toBeLessThan(8)
}
const bothDrawn = () => expect.poll(() => panel().locator('.side svg').count()).toBe(2)

it.each([1280, 390])('does not move the theatre below it at %i pixels', async (width) => {
  page = await pages.open({ viewport: { width, height: 800 }, reducedMotion: 'reduce' })
  await page.goto(new URL('#theatre', inject('pageAddress')).href)
  await page.getByRole('list', { name: 'What is where' }).waitFor()
  const tops = await watchTheatre()
  await panel().getByText('Before and after').click()
  await bothDrawn()
  await expectStill(tops)
})

it('compares the evaluations of a run in this tab', async () => {
  page = await pages.open()
  await withoutRecordings(page)
  await page.goto(inject('pageAddress'))
  await page.getByText('Nothing has run yet. Press Run').waitFor()
  await makeSmall(page, { evaluateEvery: 1, evaluationTasks: 3 })
  await page.getByRole('button', { name: 'Step', exact: true }).press('Enter')
  await page.getByText('Paused', { exact: true }).first().waitFor()
  await goTo(page, 'Episodes')
  await panel().getByText('Before and after').click()
  await panel()
    .getByText(/^Of 6 held-out tasks/)
    .waitFor()
  await panel()
    .getByRole('heading', { name: /^Version 0, before training/ })
    .waitFor()
  await panel()
    .getByRole('heading', { name: /, after iteration 1/ })
    .waitFor()
  // Read again, it stays in its place.
  await bothDrawn()
  const tops = await watchTheatre()
  await panel().getByRole('button', { name: 'Look again' }).press('Enter')
  await panel().getByRole('button', { name: 'Look again' }).waitFor()
  await bothDrawn()
  await expectStill(tops)
})
