/** Measures how much of the browser's storage a run's log takes, an iteration, with each world's own preset. */
import type { Page } from 'playwright-core'
import { finishedIterations, newVisitor, openPage, pressRun, reached, withBuiltPage } from '../page/visitor.ts'

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
      const before = { iterations: await finishedIterations(page), bytes: await logBytes(page) }
      await reached(page, iterations)
      const after = { iterations: await finishedIterations(page), bytes: await logBytes(page) }
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

/** Bytes of all parts of the log as they are in the page's database. */
function logBytes(page: Page): Promise<number> {
  return page.evaluate(
    () =>
      new Promise<number>((resolve, reject) => {
        const opening = indexedDB.open('rlanything-playground')
        opening.onerror = () => reject(new Error('The page has not kept a run.'))
        opening.onsuccess = () => {
          let bytes = 0
          const reading = opening.result.transaction('chunks')
          reading.onerror = () => reject(new Error('The kept run cannot be read.'))
          reading.oncomplete = () => {
            opening.result.close()
            resolve(bytes)
          }
          const walk = reading.objectStore('chunks').openCursor()
          walk.onsuccess = () => {
            if (walk.result === null) return
            bytes += (walk.result.value as { packed: Uint8Array }).packed.byteLength
            walk.result.continue()
          }
        }
      }),
  )
}
