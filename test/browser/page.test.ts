/** The page as a visitor uses it, found by role and label. A made-up recording replaces the shipped one. */
import type { BrowserContextOptions, Locator, Page } from 'playwright-core'
import { describe, expect, inject, it } from 'vitest'
import { fakeRunLines, type FakeRunOptions } from '../playground/fake-run.ts'
import { openSettings, runOnShow, unfoldControls } from './controls.ts'
import { usePages } from './harness.ts'
import { expectSound } from './looks.ts'
import { goTo } from './views.ts'

const pages = usePages()
let page: Page

interface Visit extends BrowserContextOptions {
  recording?: FakeRunOptions | null
}

async function visit({ recording = { iterations: 12 }, ...options }: Visit = {}): Promise<Page> {
  page = await pages.open(options)
  await page.route('**/runs/**', (route) =>
    route.request().url().endsWith('.gz') || recording === null
      ? route.fulfill({ status: 404 })
      : route.fulfill({ body: fakeRunLines(recording), contentType: 'application/jsonl' }),
  )
  await page.goto(inject('pageAddress'))
  await page.getByRole('heading', { name: 'RLAnything Playground' }).waitFor()
  if (recording !== null) await runOnShow(page).getByText('Recorded run').waitFor()
  return page
}

describe('before you start a run', () => {
  it('a recorded run is shown and labelled as recorded', async () => {
    await visit()
    await runOnShow(page).getByText('Recorded run').waitFor()
    const scrubber = page.getByRole('slider', { name: 'Iteration of the recorded run' })
    expect(await scrubber.inputValue()).toBe('12')
    await page.getByRole('img', { name: /Policy accuracy\. in distribution \d/ }).waitFor()
    await goTo(page, 'Episodes')
    await page.getByRole('grid', { name: 'Rollouts of this task, step by step' }).waitFor()
  })

  it('what is known of it closes by Escape and returns the focus', async () => {
    await visit()
    const chip = runOnShow(page).getByRole('button', { name: /^Recorded run/ })
    await chip.focus()
    await page.keyboard.press('Enter')
    await page.getByRole('link', { name: 'All your runs' }).waitFor()
    await page.keyboard.press('Tab')
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('All your runs')
    await page.keyboard.press('Escape')
    await page.getByRole('link', { name: 'All your runs' }).waitFor({ state: 'detached' })
    expect(await page.evaluate(() => document.activeElement?.textContent)).toMatch(/^Recorded run/)
  })

  it('its controls fit beside the navigation on a projector', async () => {
    await visit()
    await page.setViewportSize({ width: 1024, height: 768 })
    const box = async (part: Locator) => (await part.boundingBox())!
    const run = await box(page.getByRole('button', { name: 'Run', exact: true }))
    const settings = await box(page.getByRole('button', { name: /^Settings/ }))
    expect(settings.y).toBe(run.y)
    expect((await box(page.getByRole('slider', { name: /^λ, weight/ }))).width).toBeGreaterThan(60)
    const chip = await box(runOnShow(page))
    const scrubber = await box(page.getByRole('slider', { name: 'Iteration of the recorded run' }))
    expect(scrubber.y).toBeLessThan(chip.y + chip.height)
  })

  it('a phone chooses the world and opens a log in the settings', async () => {
    await visit({ viewport: { width: 390, height: 844 } })
    await openSettings(page)
    await page.getByRole('radio', { name: 'Coding' }).check()
    const choosing = page.waitForEvent('filechooser')
    await page.getByRole('button', { name: 'Open a run log…' }).click()
    const buffer = Buffer.from(fakeRunLines({ iterations: 3 }))
    await (await choosing).setFiles({ name: 'mine.jsonl', mimeType: 'application/jsonl', buffer })
    await runOnShow(page).getByText('Run from a file').waitFor()
    await page.getByRole('heading', { name: 'Settings of your run' }).waitFor({ state: 'detached' })
  })

  it('scrubbing goes back in the run and its charts', async () => {
    await visit()
    await page.getByRole('slider', { name: 'Iteration of the recorded run' }).fill('3')
    await page.getByRole('img', { name: /^Policy accuracy\. .*training .* \(iterations 1 to 3\)/ }).waitFor()
    await page.keyboard.press('Escape')
    await page.locator('body').click({ position: { x: 2, y: 2 } })
    await page.keyboard.press('.')
    await page.getByRole('img', { name: /^Policy accuracy\. .*training .* \(iterations 1 to 4\)/ }).waitFor()
  })

  it('a replay advances by itself and highlights the current phase', async () => {
    await visit()
    await unfoldControls(page)
    await page.getByLabel('Replay speed').selectOption('0.5')
    await page.getByRole('button', { name: 'Replay', exact: true }).click()
    await page.getByText(/^Iteration 1: /).waitFor()
    await page.getByRole('button', { name: 'Pause replay' }).click()
  })

  it('a missing recording is reported with what to do', async () => {
    await visit({ recording: null })
    await page.getByText('Nothing has run yet. Press Run').waitFor()
    await goTo(page, 'Episodes')
    await page.getByText('No rollouts yet.').waitFor()
  })
})

describe('trajectories', () => {
  it('show the chosen step with its votes and arithmetic', async () => {
    await visit()
    await goTo(page, 'Episodes')
    const cell = page.getByRole('gridcell', { name: /^Rollout 2, step 2,/ })
    await cell.click()
    const equation = page.locator('#equation')
    await equation.getByRole('button', { name: /^∑S, votes of the reward model: \(/ }).waitFor()
    await page.getByText('Judged by the reward model').waitFor()
    await page.keyboard.press('ArrowDown')
    expect(await page.getByRole('gridcell', { name: /^Rollout 3, step 2,/ }).getAttribute('aria-selected')).toBe('true')
  })

  it('show markup from a model as plain text', async () => {
    const thought = '<img src=x onerror="document.title=\'owned\'"><b id="injected">bold</b>'
    await visit({ recording: { iterations: 2, thought } })
    await goTo(page, 'Episodes')
    await page.getByRole('gridcell', { name: /^Rollout 1, step 1,/ }).click()
    await page.getByText(thought).first().waitFor()
    expect(await page.locator('#injected').count()).toBe(0)
    expect(await page.title()).toBe('Episodes · RLAnything Playground')
  })
})

describe('settings', () => {
  it('change by slider and by number, and reset', async () => {
    await visit()
    const lambda = page.getByRole('textbox', { name: /^λ/ })
    await page.getByRole('slider', { name: /^λ.*slider/ }).fill('2')
    expect(await lambda.inputValue()).toBe('2')
    await page.getByRole('button', { name: /^Reset λ/ }).click()
    expect(await lambda.inputValue()).toBe('1')
  })

  it('report invalid values', async () => {
    await visit()
    const lambda = page.getByRole('textbox', { name: /^λ/ })
    await lambda.fill('99')
    await lambda.press('Enter')
    await page.getByRole('alert').getByText('a number from 0 to 10').waitFor()
  })

  it('show their source', async () => {
    await visit()
    await page.getByRole('button', { name: /^About λ/ }).click()
    await page.getByText('alfworld_rl_reward.py:288', { exact: false }).waitFor()
  })

  it('follow a preset', async () => {
    await visit()
    await openSettings(page)
    await page.getByLabel('Preset').selectOption('Outcome alone (GRPO)')
    expect(await page.getByLabel('Policy signal', { exact: true }).inputValue()).toBe('outcome')
  })
})

describe('appearance', () => {
  it('the chosen theme persists', async () => {
    await visit({ colorScheme: 'light' })
    const paper = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor)
    const light = await paper()
    await page.getByLabel('Theme').selectOption('dark')
    const dark = await paper()
    expect(dark).not.toBe(light)
    await page.reload()
    await runOnShow(page).getByText('Recorded run').waitFor()
    expect(await paper()).toBe(dark)
  })

  it('the page passes axe and fits into windows of 360 to 1440 pixels', async () => {
    await visit()
    await expectSound(page, [360, 768, 1440])
  })
})
