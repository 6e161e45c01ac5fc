/** Measures the memory of a page during a long run, while its visitor looks at one view after another. */
import { residentBytes } from './page-processes.ts'
import { finishedIterations, pressRun, reached, VIEWS_OF_A_RUN, withBuiltPage } from './visitor.ts'

export interface MemoryOptions {
  preset: string
  iterations: number
  /** Iterations between samples. */
  every: number
}

export interface MemorySample {
  iteration: number
  /** The view that was open before the sample. */
  view: string
  /** Bytes of the page and its workers that are in memory. */
  resident: number
  /** Bytes that the page keeps in the browser's storage, the run above all. */
  stored: number
}

/** Calls `onSample` after each sample; prints nothing. Throws an Error with the page's words if it refuses the run. */
export async function watchMemory(
  { preset, iterations, every }: MemoryOptions,
  onSample: (sample: MemorySample) => void,
): Promise<void> {
  await withBuiltPage(async (browser, address) => {
    const context = await browser.newContext({ serviceWorkers: 'block', viewport: { width: 1440, height: 900 } })
    const page = await context.newPage()
    page.setDefaultTimeout(300_000)
    await page.goto(address)
    await pressRun(page, preset)
    for (let sample = 1; (sample - 1) * every < iterations; sample++) {
      const view = VIEWS_OF_A_RUN[(sample - 1) % VIEWS_OF_A_RUN.length]!
      await page.evaluate((hash) => (location.hash = hash), view)
      await reached(page, Math.min(sample * every, iterations))
      onSample({
        iteration: await finishedIterations(page),
        view,
        resident: await residentBytes(browser),
        stored: await page.evaluate(async () => (await navigator.storage.estimate()).usage ?? 0),
      })
    }
  })
}
