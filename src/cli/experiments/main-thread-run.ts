/**
 * Measures how long single tasks block the page's main thread, view by view: while the page opens by a link, in every world, and during
 * a run with a log of many iterations, first in the page that made it, then in a new page that continues the kept run.
 */
import type { Page } from 'playwright-core'
import type { ShippedWorld } from '../../method/settings.ts'
import { SHIPPED_WORLDS } from '../../worlds/index.ts'
import { readAddresses } from '../page/addresses.ts'
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
} from '../page/visitor.ts'

export interface MainThreadOptions {
  preset: string
  /** Iterations in the log before measuring. */
  after: number
  /** Seconds to watch each view. */
  seconds: number
  /** How often each view is opened. */
  openings: number
  /** Milliseconds for a view to load and draw before it is watched. */
  arrivalMs?: number
  /** Whose views are opened by a link; all if undefined. */
  worlds?: readonly ShippedWorld[]
  /** Which views are opened by a link; all if undefined. */
  views?: readonly string[]
}

export interface WatchedView extends Pick<HeldThread, 'cpu'>, Partial<Pick<HeldThread, 'longTasks'>> {
  view: string
  /** Missing for a run, which has its preset's. */
  world?: string
  page: 'that opens' | 'that made the run' | 'that went on with it'
}

/** Calls `onView` after each view; prints nothing. */
export async function watchMainThread(
  { preset, after, seconds, openings, arrivalMs = 2000, worlds = SHIPPED_WORLDS, views }: MainThreadOptions,
  onView: (watched: WatchedView) => void,
): Promise<void> {
  await withBuiltPage(async (browser, address) => {
    const watch = async (page: Page, which: WatchedView['page']) => {
      for (const view of VIEWS_OF_A_RUN) {
        await showView(page, view)
        await page.waitForTimeout(arrivalMs)
        const held = await heldMainThread(browser, page, () => page.waitForTimeout(seconds * 1000))
        onView({ view, page: which, ...held })
      }
    }
    const visitor = await newVisitor(browser)
    const opening = await openPage(visitor, 'about:blank')
    const addresses = await readAddresses(opening, address)
    await opening.goto('about:blank')
    for (const world of worlds) {
      for (const view of views ?? addresses.views) {
        const longest: number[] = []
        for (let count = 0; count < openings; count++) {
          const [cpu = 0] = await mainThreadTasks(browser, opening, async () => {
            await opening.goto(addresses.of(view, world))
            await opening.waitForTimeout(arrivalMs)
          })
          longest.push(cpu)
          await opening.goto('about:blank')
        }
        onView({ view, world, page: 'that opens', cpu: longest })
      }
    }
    await opening.close()
    const first = await openPage(visitor, address)
    await pressRun(first, preset)
    await reached(first, after)
    await watch(first, 'that made the run')
    // A run is continued from a checkpoint. The first is kept after an iteration, before a second is.
    await reached(first, 2)
    await first.close()
    const second = await openPage(visitor, address)
    const before = await finishedIterations(second)
    await second.getByRole('button', { name: /^Resume the run/ }).click()
    await reached(second, before + 1)
    await watch(second, 'that went on with it')
  })
}
