/**
 * The page stays responsive while it opens and during a run, because models, environment and loop compute in workers. Nothing in sight
 * moves while a view opens in a wide window; page-still.slow.test.ts has a narrow one.
 */
import { describe, expect, inject, it } from 'vitest'
import { readAddresses } from '../../src/cli/page/addresses.ts'
import { SHIPPED_WORLDS } from '../../src/worlds/index.ts'
import { viewsIn, EVERY_VIEW } from './every-view.ts'
import { usePages } from './harness.ts'
import { expectFreeMainThread, LONGEST_TASK_MS, longestTask, longestTaskOfEach } from './free-main-thread.ts'
import { layoutShift, MOST_SHIFT, watchLayout } from './layout-shift.ts'
import { turns } from './settled.ts'
import { sliderOf, stepsOf } from './start-screen.ts'

const pages = usePages({ isAlone: true })

describe('the main thread', () => {
  it('is never blocked for 50 ms of CPU time during a run', async () => {
    const page = await pages.open({ viewport: { width: 1440, height: 900 } })
    await page.goto(inject('pageAddress'))
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    // Loading ends when the first rollout starts.
    await page.getByText(/^Before iteration 1: /).waitFor()
    await expectFreeMainThread(pages.browser, page, () => page.waitForTimeout(15_000))
  })

  it('is never blocked for 50 ms of CPU time while the first screen opens and λ moves', async () => {
    const page = await pages.open({ viewport: { width: 1280, height: 800 } })
    const openAndDrag = async () => {
      await page.goto('about:blank')
      await page.goto(new URL('', inject('pageAddress')).href)
      await stepsOf(page).first().waitFor()
      await page.getByRole('img', { name: /^Held-out accuracy/ }).waitFor()
      for (let stop = 0; stop < 4; stop++) await sliderOf(page).press('ArrowRight')
      await turns(page)
    }
    await expectFreeMainThread(pages.browser, page, openAndDrag, 5)
  })

  it('is never blocked for 50 ms of CPU time, and nothing moves, while a link opens a view of any world', async () => {
    const page = await pages.open({ viewport: { width: 1280, height: 800 } })
    const addresses = await readAddresses(page, inject('pageAddress'))
    expect(addresses.views.toSorted()).toEqual(EVERY_VIEW.toSorted())
    await page.goto('about:blank')
    await watchLayout(page)
    for (const world of SHIPPED_WORLDS) {
      const views = viewsIn(world)
      const shifts: Awaited<ReturnType<typeof layoutShift>>[] = []
      const openings = views.map((view, i) => async () => {
        await page.goto(addresses.of(view, world))
        await page.locator('main h2').first().waitFor()
        await page.waitForLoadState('networkidle')
        await turns(page)
        shifts[i] = await layoutShift(page)
        await page.goto('about:blank')
      })
      const first = await longestTaskOfEach(pages.browser, page, openings)
      const line: string[] = []
      for (const [i, view] of views.entries()) {
        const { sum, moved } = shifts[i]!
        expect.soft(sum, `${view} of ${world}: ${moved}`).toBeLessThan(MOST_SHIFT)
        // A view without a task would be one that the trace missed.
        expect.soft(first[i], `${view} of ${world}`).toBeGreaterThan(0)
        const longest =
          first[i]! < LONGEST_TASK_MS ? first[i]! : await longestTask(pages.browser, page, openings[i]!, 4)
        line.push(`${view} ${Math.round(longest)}, shift ${sum.toFixed(3)}`)
        expect.soft(longest, `${view} of ${world}`).toBeLessThan(LONGEST_TASK_MS)
      }
      process.stdout.write(`milliseconds of the longest task and layout shift, ${world}: ${line.join('; ')}\n`)
    }
  })
})
