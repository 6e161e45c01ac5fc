/** Every view: what shows that it is drawn, and the most words that it has before anything is opened. */
import type { FrameLocator, Page } from 'playwright-core'
import { expect } from 'vitest'
import { VIEWS, type View } from '../../src/playground/state/views.ts'
import { expectSound } from './looks.ts'
import { turns } from './settled.ts'
import { goTo } from './views.ts'
import { visibleWords } from './words.ts'

export const EVERY_VIEW = Object.keys(VIEWS) as View[]
export const MOST_WORDS = 300

const DRAWN: Record<View, string> = {
  start: '.ribbon',
  loop: 'h2#loop-title',
  episodes: '#equation',
  tasks: '#thresholds',
  story: '.story .choices',
  judge: '.judge .votes',
  learn: '#lessons',
  theory: '#theory',
  games: '#games details, #games button',
  runs: '#runs-title',
  results: '#unpublished-title',
  models: '#models-title',
  cluster: '#cluster-title',
  benchmark: '#benchmark-title',
}

export async function openView(page: Page | FrameLocator, view: View): Promise<void> {
  await goTo(page, VIEWS[view])
  await page.locator(DRAWN[view]).first().waitFor()
}

/** The view on show as it is drawn, without the numbers that Svelte gives to elements while the page is open. */
export const drawing = (page: Page) =>
  page.locator('main').evaluate((main) => {
    const shown = main.querySelector('.content')!.cloneNode(true) as Element
    for (const hidden of shown.querySelectorAll('[hidden]')) hidden.remove()
    return `${main.className}\n${shown.outerHTML.replaceAll(/(?<=[="\s#-])c\d+(?=["\s-])/g, '')}`
  })

/**
 * Checks each with axe, in both colour schemes, and in 360 pixels. Leaves out those that `checked` has, as they are drawn: many are the
 * same in every world.
 */
export async function expectEveryViewSound(page: Page, checked: Set<string>): Promise<void> {
  for (const view of EVERY_VIEW) {
    await openView(page, view)
    await turns(page)
    const drawn = await drawing(page)
    if (checked.has(drawn)) continue
    await expectSound(page, [360])
    checked.add(drawn)
  }
}

/** Parts of a view are drawn one after another, so this waits until nothing more comes. */
export async function wordsWhenStill(page: Page): Promise<number> {
  let words = -1
  await expect
    .poll(async () => {
      const before = words
      await turns(page)
      words = await visibleWords(page)
      return words === before
    })
    .toBe(true)
  return words
}
