/**
 * Measures how long single tasks block the page's main thread, view by view: while the page opens, and during a run with a log of many
 * iterations, first in the page that made it, then in a new page that continues the kept run.
 */
import type { Page } from 'playwright-core'
import { heldMainThread, mainThreadTasks, type HeldThread } from './main-thread.ts'
import {
  finishedIterations,
  newVisitor,
  openPage,
  pressRun,
  reached,
  showView,
  VIEWS_OF_A_RUN,
  withBuiltPage,
} from './visitor.ts'

export interface MainThreadOptions {
  preset: string
  /** Iterations in the log before measuring. */
  after: number
  /** Seconds to watch each view. */
  seconds: number
}

export interface WatchedView extends Pick<HeldThread, 'cpu'>, Partial<Pick<HeldThread, 'longTasks'>> {
  view: string
  page: 'that opens' | 'that made the run' | 'that went on with it'
}

/** Milliseconds for a view to load and draw. */
const ARRIVAL_MS = 2000

/** Calls `onView` after each view; prints nothing. */
export async function watchMainThread(
  { preset, after, seconds }: MainThreadOptions,
  onView: (watched: WatchedView) => void,
): Promise<void> {
  await withBuiltPage(async (browser, address) => {
    const watch = async (page: Page, which: WatchedView['page']) => {
      for (const view of VIEWS_OF_A_RUN) {
        await showView(page, view)
        await page.waitForTimeout(ARRIVAL_MS)
        const held = await heldMainThread(browser, page, () => page.waitForTimeout(seconds * 1000))
        onView({ view, page: which, ...held })
      }
    }
    const visitor = await newVisitor(browser)
    const opening = await openPage(visitor, 'about:blank')
    for (const view of ['start', ...VIEWS_OF_A_RUN]) {
      const cpu = await mainThreadTasks(browser, opening, async () => {
        await opening.goto(new URL(`#${view}`, address).href)
        await opening.waitForTimeout(ARRIVAL_MS)
      })
      onView({ view, page: 'that opens', cpu })
      await opening.goto('about:blank')
    }
    await opening.close()
    const first = await openPage(visitor, address)
    await pressRun(first, preset)
    await reached(first, after)
    await watch(first, 'that made the run')
    await first.close()
    const second = await openPage(visitor, address)
    const before = await finishedIterations(second)
    await second.getByRole('button', { name: /^Resume the run/ }).click()
    await reached(second, before + 1)
    await watch(second, 'that went on with it')
  })
}
