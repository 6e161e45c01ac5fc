/** Axe on a fired alarm. page-looks-open.slow.test.ts has every view with axe. */
import { inject, it } from 'vitest'
import { RECORDINGS } from '../../src/playground/state/recordings.ts'
import { openSettings } from './controls.ts'
import { usePages } from './harness.ts'
import { expectSound } from './looks.ts'

const pages = usePages()

it('the page passes axe with the settings open, and with a fired alarm', async () => {
  const page = await pages.open()
  await page.goto(new URL(`#loop&run=${RECORDINGS.pleased}`, inject('pageAddress')).href)
  await page.getByText('Seen', { exact: true }).first().waitFor()
  await openSettings(page)
  await page.getByRole('complementary', { name: 'Settings' }).waitFor()
  await expectSound(page, [1280, 390])
})
