/** Checks every view with axe, in several window widths, and for the number of its words. */
import type { BrowserContextOptions, Page } from 'playwright-core'
import { describe, expect, inject, it } from 'vitest'
import { VIEWS, type View } from '../../src/playground/state/views.ts'
import { LESSONS } from '../../src/playground/views/learn/lessons.ts'
import { runOnShow } from './controls.ts'
import { usePages } from './harness.ts'
import { expectSound } from './looks.ts'
import { serveMadeUpRuns } from './made-up-runs.ts'
import { turns } from './settled.ts'
import { goTo } from './views.ts'
import { visibleWords } from './words.ts'

const pages = usePages()
let page: Page

async function visit(options: BrowserContextOptions = {}): Promise<void> {
  page = await pages.open(options)
  await serveMadeUpRuns(page)
  await page.goto(inject('pageAddress'))
  await page.getByText(/^Iteration \d+ of \d+$/).waitFor()
}

/** The most words that a view has before anything is opened. */
const MOST_WORDS = 300

/** Parts of a view are drawn one after another, so this waits until nothing more comes. */
async function wordsWhenStill(): Promise<number> {
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

describe('every view', () => {
  const settled: Record<View, string> = {
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
  it.each(['Household', 'Coding'])('has few words about the run that ships, in %s', async (world) => {
    page = await pages.open({ viewport: { width: 1280, height: 900 } })
    await page.goto(inject('pageAddress'))
    await page.getByRole('radio', { name: world, exact: true }).check()
    await runOnShow(page).getByText(world).waitFor()
    for (const view of ['loop', 'episodes', 'tasks'] as const) {
      await goTo(page, VIEWS[view])
      await page.locator(settled[view]).first().waitFor()
      expect.soft(await wordsWhenStill(), `words of ${view}`).toBeLessThanOrEqual(MOST_WORDS)
    }
  })

  it('has few words in every lesson, and where an alarm has fired', async () => {
    page = await pages.open({ viewport: { width: 1280, height: 900 } })
    await page.goto(new URL('#loop&run=household-full-lambda-5', inject('pageAddress')).href)
    await page.getByText('Votes rise while outcomes fall').first().waitFor()
    expect.soft(await wordsWhenStill(), 'words of a fired alarm').toBeLessThanOrEqual(MOST_WORDS)
    await goTo(page, 'Lessons')
    for (const { id, title } of LESSONS) {
      await page.evaluate((hash) => (location.hash = hash), `#learn&lesson=${id}`)
      await page.getByRole('group', { name: title, exact: true }).waitFor()
      expect.soft(await visibleWords(page), `words of the lesson ${id}`).toBeLessThanOrEqual(MOST_WORDS)
    }
  })

  it.each(['Household', 'Coding', 'Desktop'])('passes axe and fits into 360 pixels, in %s', async (world) => {
    await visit()
    await page.getByRole('radio', { name: world, exact: true }).check()
    await runOnShow(page).getByText(world).waitFor()
    for (const view of Object.keys(VIEWS) as View[]) {
      await goTo(page, VIEWS[view])
      await page.locator(settled[view]).first().waitFor()
      await expectSound(page, [360])
    }
  })

  it.each([360, 1280])('fits into %i pixels, with all controls reachable', async (width) => {
    await visit({ viewport: { width, height: 740 } })
    for (const view of Object.keys(VIEWS) as View[]) {
      await goTo(page, VIEWS[view])
      await page.locator(settled[view]).first().waitFor()
      expect(await page.evaluate(() => document.documentElement.scrollWidth), view).toBeLessThanOrEqual(width)
      expect.soft(await visibleWords(page), `words of ${view}`).toBeLessThanOrEqual(MOST_WORDS)
      if (['start', 'story', 'judge'].includes(view)) continue
      expect(await page.getByRole('button', { name: 'Run', exact: true }).isVisible()).toBe(true)
      expect(await page.getByRole('button', { name: /^Settings/ }).isVisible()).toBe(true)
    }
  })
})
