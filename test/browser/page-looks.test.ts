/** Every view in two window widths, and the numbers of its words and type styles; page-looks-open.slow.test.ts has axe, and other worlds. */
import { describe, expect, inject, it } from 'vitest'
import { LESSONS } from '../../src/playground/views/learn/lessons.ts'
import { EVERY_VIEW, MOST_WORDS, openView, wordsWhenStill } from './every-view.ts'
import { usePages } from './harness.ts'
import { serveMadeUpRuns } from './made-up-runs.ts'
import { goTo } from './views.ts'
import { MOST_TYPE_STYLES, typeStyles } from './type-styles.ts'
import { visibleWords } from './words.ts'

const pages = usePages()

describe('every view', () => {
  it('has few words in every lesson, and where an alarm has fired', async () => {
    const page = await pages.open({ viewport: { width: 1280, height: 900 } })
    await page.goto(new URL('#loop&run=household-full-lambda-5', inject('pageAddress')).href)
    await page.getByText('Votes rise while outcomes fall').first().waitFor()
    expect.soft(await wordsWhenStill(page), 'words of a fired alarm').toBeLessThanOrEqual(MOST_WORDS)
    await goTo(page, 'Lessons')
    for (const { id, title } of LESSONS) {
      await page.evaluate((hash) => (location.hash = hash), `#learn&lesson=${id}`)
      await page.getByRole('group', { name: title, exact: true }).waitFor()
      expect.soft(await visibleWords(page), `words of the lesson ${id}`).toBeLessThanOrEqual(MOST_WORDS)
    }
  })

  it.each([360, 1280])('fits into %i pixels, with all controls reachable', async (width) => {
    const page = await pages.open({ viewport: { width, height: 740 } })
    await serveMadeUpRuns(page)
    await page.goto(inject('pageAddress'))
    await page.getByText(/^Iteration \d+ of \d+$/).waitFor()
    for (const view of EVERY_VIEW) {
      await openView(page, view)
      expect(await page.evaluate(() => document.documentElement.scrollWidth), view).toBeLessThanOrEqual(width)
      expect.soft(await visibleWords(page), `words of ${view}`).toBeLessThanOrEqual(MOST_WORDS)
      const styles = await typeStyles(page)
      expect
        .soft(Object.keys(styles).length, `${view}: ${JSON.stringify(styles, null, 1)}`)
        .toBeLessThanOrEqual(MOST_TYPE_STYLES)
      if (['start', 'story', 'judge'].includes(view)) continue
      expect(await page.getByRole('button', { name: 'Run', exact: true }).isVisible()).toBe(true)
      expect(await page.getByRole('button', { name: /^Settings/ }).isVisible()).toBe(true)
    }
  })
})
