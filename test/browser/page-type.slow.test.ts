/** At most six type styles in a view (type-styles.ts says what one is), and 300 words, in every world. */
import type { Page } from 'playwright-core'
import { expect, inject, it } from 'vitest'
import { STORY_STEPS, storyAddress } from '../../src/playground/state/story-steps.ts'
import { runOnShow } from './controls.ts'
import { EVERY_VIEW, MOST_WORDS, openView, wordsWhenStill } from './every-view.ts'
import { usePages } from './harness.ts'
import { turns } from './settled.ts'
import { MOST_TYPE_STYLES, typeStyles } from './type-styles.ts'

const pages = usePages()

const visit = (): Promise<Page> => pages.open({ viewport: { width: 1280, height: 900 }, reducedMotion: 'reduce' })

async function expectFewStyles(page: Page, where: string): Promise<void> {
  await turns(page)
  const styles = await typeStyles(page)
  const list = JSON.stringify(styles, null, 1)
  expect.soft(Object.keys(styles).length, `${where}: ${list}`).toBeLessThanOrEqual(MOST_TYPE_STYLES)
}

it.each(['Household', 'Coding', 'Desktop'])('has few type styles and few words in every view, in %s', async (world) => {
  const page = await visit()
  await page.goto(inject('pageAddress'))
  await page.getByRole('radio', { name: world, exact: true }).check()
  await runOnShow(page).getByText(world).waitFor()
  for (const view of EVERY_VIEW) {
    await openView(page, view)
    await expectFewStyles(page, view)
    expect.soft(await wordsWhenStill(page), `words of ${view}`).toBeLessThanOrEqual(MOST_WORDS)
  }
})

it('has at most six type styles in every step of the story, before and after its answer', async () => {
  const page = await visit()
  await page.goto(inject('pageAddress'))
  for (const { id } of STORY_STEPS) {
    await page.evaluate((hash) => (location.hash = hash), storyAddress(id))
    const choice = page.locator('.story .choices').getByRole('button').first()
    await choice.waitFor()
    await expectFewStyles(page, id)
    await choice.click()
    await page
      .getByRole('status')
      .getByText(/^(Right|No)\./)
      .waitFor()
    await expectFewStyles(page, `${id}, answered`)
  }
})
