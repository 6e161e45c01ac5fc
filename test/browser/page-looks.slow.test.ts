/** The words about the runs that ship, and axe on a fired alarm. page-looks-open.slow.test.ts has every view with axe. */
import { describe, expect, inject, it } from 'vitest'
import { RECORDINGS } from '../../src/playground/state/recordings.ts'
import { openSettings, runOnShow } from './controls.ts'
import { MOST_WORDS, openView, wordsWhenStill } from './every-view.ts'
import { usePages } from './harness.ts'
import { expectSound } from './looks.ts'

const pages = usePages()

describe('every view', () => {
  it.each(['Household', 'Coding', 'Desktop'])('has few words about the run that ships, in %s', async (world) => {
    const page = await pages.open({ viewport: { width: 1280, height: 900 } })
    await page.goto(inject('pageAddress'))
    await page.getByRole('radio', { name: world, exact: true }).check()
    await runOnShow(page).getByText(world).waitFor()
    for (const view of ['loop', 'episodes', 'tasks'] as const) {
      await openView(page, view)
      expect.soft(await wordsWhenStill(page), `words of ${view}`).toBeLessThanOrEqual(MOST_WORDS)
    }
  })

  it('passes axe with the settings open, and with a fired alarm', async () => {
    const page = await pages.open()
    await page.goto(new URL(`#loop&run=${RECORDINGS.pleased}`, inject('pageAddress')).href)
    await page.getByText('Seen', { exact: true }).first().waitFor()
    await openSettings(page)
    await page.getByRole('complementary', { name: 'Settings' }).waitFor()
    await expectSound(page, [1280, 390])
  })
})
