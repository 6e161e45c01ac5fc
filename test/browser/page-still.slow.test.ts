/** Nothing in sight moves while a view opens from its address. */
import { expect, inject, it } from 'vitest'
import { readAddresses } from '../../src/cli/page/addresses.ts'
import { VIEWS, type View } from '../../src/playground/state/views.ts'
import { SHIPPED_WORLDS } from '../../src/worlds/index.ts'
import { usePages } from './harness.ts'
import { layoutShift, MOST_SHIFT, watchLayout } from './layout-shift.ts'
import { turns } from './settled.ts'

/** Views that differ between worlds in more than words. */
const OF_A_WORLD: readonly View[] = ['start', 'loop', 'episodes', 'tasks', 'theory']

const pages = usePages()

it.each([
  [1280, 800],
  [390, 844],
])('no view moves while it opens in %i × %i pixels', async (width, height) => {
  const page = await pages.open()
  const addresses = await readAddresses(page, inject('pageAddress'))
  await page.setViewportSize({ width, height })
  await watchLayout(page)
  for (const world of SHIPPED_WORLDS) {
    const line: string[] = []
    for (const view of world === SHIPPED_WORLDS[0] ? (Object.keys(VIEWS) as View[]) : OF_A_WORLD) {
      await page.goto('about:blank')
      await page.goto(addresses.of(view, world))
      await page.locator('main h2').first().waitFor()
      await page.waitForLoadState('networkidle')
      await turns(page)
      const { sum, moved } = await layoutShift(page)
      line.push(`${view} ${sum.toFixed(3)}`)
      expect.soft(sum, `${view} of ${world}: ${moved}`).toBeLessThan(MOST_SHIFT)
    }
    process.stdout.write(`layout shift at ${width} pixels, ${world}: ${line.join(', ')}\n`)
  }
})
