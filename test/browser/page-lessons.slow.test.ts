/** A lesson in a run of the shipped models turns green when its observation is made, not before. */
import type { Page } from 'playwright-core'
import { describe, expect, inject, it } from 'vitest'
import { openPart, openSettings, unfoldControls } from './controls.ts'
import { usePages } from './harness.ts'
import { makeSmall } from './small-run.ts'
import { goTo } from './views.ts'

const pages = usePages()
let page: Page

async function open(lesson: string): Promise<void> {
  page = await pages.open()
  await page.goto(inject('pageAddress'))
  await goTo(page, 'Lessons')
  await page.getByRole('button', { name: lesson }).click()
}
const lesson = () => page.locator('#lessons')

async function fill(name: RegExp, value: number): Promise<void> {
  await openSettings(page)
  if (!(await page.getByRole('textbox', { name }).isVisible()))
    await page.locator('summary').getByText('Run', { exact: true }).click()
  const field = page.getByRole('textbox', { name })
  await field.fill(String(value))
  await field.press('Enter')
}

describe('a lesson', () => {
  it('turns green once each component has changed alone, and then shows its tokens', async () => {
    await open('One component at a time')
    // The recorded run never counts.
    await lesson().getByText('You have not started a run yet.').waitFor()
    await page.getByRole('button', { name: 'Set up this lesson' }).click()
    await fill(/^Tasks per iteration/, 2)
    await fill(/^Steps per episode/, 12)
    await fill(/^Evaluate every/, 0)
    // A component is updated only if groups differ, which may fail in a small batch: then try again.
    let iteration = 0
    const stepAlone = async (component: string, until: RegExp) => {
      for (let tries = 0; tries < 8; tries++) {
        await unfoldControls(page)
        await page.getByRole('button', { name: `Step ${component} alone` }).click()
        iteration++
        const done = iteration === 1 ? 'at iteration 1' : String.raw`iterations 1 to ${iteration}\)`
        await goTo(page, 'Loop')
        await page.getByRole('img', { name: new RegExp(String.raw`^Policy accuracy\. .*training .*${done}`) }).waitFor()
        await goTo(page, 'Lessons')
        await page.getByText('Paused', { exact: true }).first().waitFor()
        if ((await lesson().getByText(until).count()) > 0) return
      }
    }
    await stepAlone('policy', /^Only the policy: in iteration \d+\. Only the reward model: not yet\.$/)
    await lesson().getByText('To be observed').waitFor()
    expect(await lesson().getByText('0 of 14 observed').count()).toBe(1)
    await stepAlone('reward model', /^Only the policy: in iteration \d+\. Only the reward model: in iteration \d+\.$/)
    await lesson().getByText('1 of 14 observed').waitFor()
    await lesson().getByText('Observed', { exact: true }).waitFor()

    await goTo(page, 'Episodes')
    await openPart(page, 'theatre')
    await page.getByRole('slider', { name: 'Step of the episode' }).fill('1')
    await page.getByRole('button', { name: 'Show its tokens' }).click()
    // The reward model alone learned last.
    await page
      .locator('#theatre')
      .getByText(/^Masked: /)
      .waitFor()
    await page.locator('#theatre').getByLabel('entropy').check()
    await page.locator('#theatre summary').getByText('As a table').click()
    expect(await page.locator('#theatre tbody tr').count()).toBeGreaterThan(1)

    // Observations last beyond the visit, until they are forgotten.
    await page.goto('about:blank')
    await page.goto(new URL('#learn', inject('pageAddress')).href)
    await lesson().getByText('1 of 14 observed').waitFor()
    await lesson().getByRole('group', { name: 'An outcome alone says little' }).waitFor()
    await page.getByRole('button', { name: 'Forget observations' }).click()
    await page.getByRole('button', { name: 'Forget permanently' }).click()
    await lesson().getByText('0 of 14 observed').waitFor()
  })

  it('keeps the focus on the button that starts its run', async () => {
    await open('What λ does, up to reward hacking')
    await page.getByRole('button', { name: 'Set up this lesson' }).click()
    await makeSmall(page)
    await page.keyboard.press('Escape')
    await lesson().getByRole('button', { name: 'Start the run' }).press('Enter')
    await page.getByRole('button', { name: 'Pause', exact: true }).waitFor()
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Start the run')
    await page.getByRole('button', { name: 'Stop', exact: true }).click()
    await page.getByText('Stopped', { exact: true }).first().waitFor()
  })

  it('opens from its link with its settings, continues in other views, and reports a run with other settings', async () => {
    await open('What λ does')
    await lesson().getByText('Link to this lesson', { exact: true }).click()
    const link = await page.getByRole('textbox', { name: 'Link to this lesson' }).inputValue()
    expect(link).toMatch(/#v1\..*&hide=world,.*&view=learn&lesson=lambda$/)
    expect(link).toMatch(/,alphaLow,/)
    expect(link).not.toMatch(/,lambda,/)
    await page.goto('about:blank')
    await page.goto(link)
    await lesson().getByRole('group', { name: 'What λ does, up to reward hacking' }).waitFor()
    await expect.poll(() => page.getByRole('textbox', { name: /^λ/ }).inputValue()).toBe('0')
    expect(await page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name: 'Tasks' }).count()).toBe(0)
    await goTo(page, 'Loop')
    const strip = page.getByRole('complementary', { name: 'Lesson', exact: true })
    await strip.getByText('Step 2 of 4').waitFor()
    expect(await strip.getByRole('button', { name: 'Start the run' }).isEnabled()).toBe(true)
    await strip.getByRole('link', { name: 'Go to lesson' }).click()
    await page.getByRole('button', { name: /^Set λ ?, weight of the votes: 8/ }).click()
    expect(await page.getByRole('textbox', { name: /^λ/ }).inputValue()).toBe('8')
    expect(await page.getByRole('textbox', { name: /^m, votes/ }).count()).toBe(0)
    await page.getByRole('button', { name: 'Show everything' }).click()
    await makeSmall(page)
    await page.getByRole('button', { name: 'Step', exact: true }).click()
    await lesson().getByText('The current run has other settings.').waitFor()
  })
})
