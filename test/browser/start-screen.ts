/** What the tests of the first screen look at, in the household's picture. */
import type { Page } from 'playwright-core'

export const sliderOf = (page: Page) => page.getByRole('slider', { name: 'λ, weight of the votes' })
export const stepsOf = (page: Page) => page.getByRole('list', { name: 'Steps of the episode' }).getByRole('button')
export const wastedStepOf = (page: Page) => stepsOf(page).filter({ hasText: 'cool mug 1 to fridge 1' })
/** Waits until the verdict contains the text. */
export const verdictSays = (page: Page, text: string) => page.getByRole('status').getByText(text).waitFor()
