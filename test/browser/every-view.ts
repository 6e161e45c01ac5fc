/** Every view: what shows that it is drawn, and the most words that it has before anything is opened. */
import type { FrameLocator, Page } from 'playwright-core'
import { expect } from 'vitest'
import type { ShippedWorld } from '../../src/method/settings.ts'
import { VIEWS, type View } from '../../src/playground/state/views.ts'
import { SHIPPED_WORLDS } from '../../src/worlds/index.ts'
import { turns } from './settled.ts'
import { goTo } from './views.ts'
import { visibleWords } from './words.ts'

export const EVERY_VIEW = Object.keys(VIEWS) as View[]
/** Views that differ between worlds in more than words. */
const OF_A_WORLD: readonly View[] = ['start', 'loop', 'episodes', 'tasks', 'theory']
/** All views in the first world; in the others, those that differ from the first. */
export const viewsIn = (world: ShippedWorld): readonly View[] => (world === SHIPPED_WORLDS[0] ? EVERY_VIEW : OF_A_WORLD)

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
  results: 'section[aria-labelledby="results-title"] .legend',
  models: '#models-title',
  cluster: '#cluster-title',
  benchmark: '#benchmark-title',
}

export async function openView(page: Page | FrameLocator, view: View): Promise<void> {
  await goTo(page, VIEWS[view])
  await page.locator(DRAWN[view]).first().waitFor()
}

/** HTML without the numbers that Svelte gives to elements while the page is open. */
const withoutNumbers = (html: string) => html.replaceAll(/(?<=[="\s#-])c\d+(?=["\s-])/g, '')

/** The view on show as it is drawn. */
export const drawing = async (page: Page) =>
  withoutNumbers(
    await page.locator('main').evaluate((main) => {
      const shown = main.querySelector('.content')!.cloneNode(true) as Element
      for (const hidden of shown.querySelectorAll('[hidden]')) hidden.remove()
      return `${main.className}\n${shown.outerHTML}`
    }),
  )

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
