/** What the tests of the story press and read. */
import type { BrowserContextOptions, Page } from 'playwright-core'
import { inject } from 'vitest'
import { STORY_STEPS, storyAddress, type StoryStepId } from '../../src/playground/state/story-steps.ts'
import { sliderOf, wastedStepOf } from './start-screen.ts'

export const pageAt = (hash: string) => new URL(hash, inject('pageAddress')).href
export const heading = (page: Page, name: string) => page.getByRole('heading', { name, exact: true, level: 2 })
export const choices = (page: Page) => page.locator('.story fieldset').getByRole('button')
export const answerOf = (page: Page) => page.locator('.story').getByText(/^(Right|No)\./)
export const exercisesOf = (page: Page) => page.getByRole('list', { name: 'Try it in a lesson' }).getByRole('link')

export async function openStory(
  pages: { open(options: BrowserContextOptions): Promise<Page> },
  id: StoryStepId,
  width = 1280,
  height = 800,
): Promise<Page> {
  const page = await pages.open({ viewport: { width, height } })
  await page.goto(pageAt(storyAddress(id)))
  await choices(page).first().waitFor()
  return page
}

export async function turnTo(page: Page, id: StoryStepId): Promise<void> {
  await page.evaluate((hash) => (location.hash = hash), storyAddress(id))
  await heading(page, STORY_STEPS.find((step) => step.id === id)!.title).waitFor()
  await choices(page).first().waitFor()
}

/** Answers the question on show, if nobody has. */
export async function answer(page: Page): Promise<void> {
  await choices(page).first().click()
  await answerOf(page).waitFor()
}

/** What the figure of a step shows only once its question is answered; the loop has nothing to hide. */
export const REVEALED: Record<StoryStepId, ((page: Page) => ReturnType<Page['locator']>) | null> = {
  outcome: (page) => wastedStepOf(page).getByText(', encouraged'),
  votes: sliderOf,
  judge: (page) => page.getByRole('button', { name: /^Turn the truth of step 4,/ }),
  tasks: (page) => page.getByRole('heading', { name: /^After,/ }),
  loop: null,
  breaks: (page) => page.getByRole('row', { name: /^Votes alone, trained judge −\d/ }),
}
