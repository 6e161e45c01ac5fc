/** Measures how much of the browser's storage a run's log takes, an iteration, with each world's own preset. */
import type { Page } from 'playwright-core'
import type { RunSummary } from '../../runs/run-store.ts'
import { newVisitor, openPage, pressRun, reached, stored, withBuiltPage } from '../page/visitor.ts'

export interface LogSize {
  preset: string
  iterations: number
  /** Bytes of the log up to the end of the first iteration, with the tasks and the first evaluation. */
  first: number
  /** Mean bytes of each later iteration. */
  later: number
  /** Bytes that the browser reports for all that the page keeps, models at checkpoints included. */
  stored: number
}

/** Calls `onSize` after each preset; prints nothing. At least two iterations. */
export async function watchLogSize(
  { presets, iterations }: { presets: readonly string[]; iterations: number },
  onSize: (size: LogSize) => void,
): Promise<void> {
  await withBuiltPage(async (browser, address) => {
    for (const preset of presets) {
      const page = await openPage(await newVisitor(browser), address)
      await pressRun(page, preset)
      await reached(page, 1)
      const before = await keptLog(page)
      await reached(page, iterations)
      const after = await keptLog(page)
      onSize({
        preset,
        iterations: after.iterations,
        first: before.bytes / before.iterations,
        later: (after.bytes - before.bytes) / (after.iterations - before.iterations),
        stored: await page.evaluate(async () => (await navigator.storage.estimate()).usage ?? 0),
      })
      await page.context().close()
    }
  })
}

/** How far the kept run is, and the bytes of its log in the page's database, at one moment. */
async function keptLog(page: Page): Promise<{ iterations: number; bytes: number }> {
  const [run] = await stored<RunSummary>(page, 'runs')
  if (!run) throw new Error('The page has not kept a run.')
  return { iterations: run.finishedIterations, bytes: run.logBytes }
}
