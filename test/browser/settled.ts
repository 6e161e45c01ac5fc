/** Waits for tasks of the page's main thread instead of a fixed time, so it takes as long as a busy machine needs. */
import type { Locator, Page } from 'playwright-core'

/** More than the longest chain of tasks that draw panels. */
const TURNS = 12

/** Waits until the main thread has repeatedly run all pending tasks. */
export async function turns(page: Page, count = TURNS): Promise<void> {
  await page.evaluate(async (count) => {
    for (let turn = 0; turn < count; turn++) {
      await new Promise((resolve) => setTimeout(resolve, 10))
      // Runs when nothing more urgent waits. An idle callback would need a frame, which a page behind another or with an animation
      // rarely has to spare.
      await scheduler.postTask(() => {}, { priority: 'background' })
    }
  }, count)
}

/** Text of a completely drawn region, which several turns do not change. */
export async function settledText(region: Locator): Promise<string> {
  // Behind another page, its timers run once a second.
  await region.page().bringToFront()
  let text = await region.innerText()
  for (let before = ''; before !== text;) {
    before = text
    await turns(region.page())
    text = await region.innerText()
  }
  return text
}
