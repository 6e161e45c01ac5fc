/** Nothing in sight moves on a phone while a view opens from its address; main-thread.slow.test.ts has a wide window. */
import { expect, inject, it } from 'vitest'
import { readAddresses } from '../../src/cli/page/addresses.ts'
import { SHIPPED_WORLDS } from '../../src/worlds/index.ts'
import { viewsIn } from './every-view.ts'
import { usePages } from './harness.ts'
import { layoutShift, MOST_SHIFT, watchLayout } from './layout-shift.ts'
import { turns } from './settled.ts'

const pages = usePages()

it('no view moves while it opens in 390 × 844 pixels', async () => {
  const page = await pages.open()
  const addresses = await readAddresses(page, inject('pageAddress'))
  await page.setViewportSize({ width: 390, height: 844 })
  await watchLayout(page)
  for (const world of SHIPPED_WORLDS) {
    const line: string[] = []
    for (const view of viewsIn(world)) {
      await page.goto('about:blank')
      await page.goto(addresses.of(view, world))
      await page.locator('main h2').first().waitFor()
      await page.waitForLoadState('networkidle')
      await turns(page)
      const { sum, moved } = await layoutShift(page)
      line.push(`${view} ${sum.toFixed(3)}`)
      expect.soft(sum, `${view} of ${world}: ${moved}`).toBeLessThan(MOST_SHIFT)
    }
    process.stdout.write(`layout shift at 390 pixels, ${world}: ${line.join(', ')}\n`)
  }
})
