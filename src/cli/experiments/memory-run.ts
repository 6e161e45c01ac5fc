/**
 * Measures the memory of a page during a long run, while its visitor looks at one view after another: what the page and its workers
 * still use, which the browser reports only after it has collected garbage, and what their process holds.
 */
import type { Page } from 'playwright-core'
import { memoryParts, type MemoryParts } from './memory-parts.ts'
import { residentMemory } from './page-processes.ts'
import {
  type Fields,
  finishedIterations,
  newVisitor,
  openPage,
  pressRun,
  reached,
  showView,
  VIEWS_OF_A_RUN,
  withBuiltPage,
} from '../page/visitor.ts'

export interface MemoryOptions {
  preset: string
  /** Settings to change. */
  fields?: Fields
  iterations: number
  /** Iterations between samples. */
  every: number
}

export interface MemorySample {
  iteration: number
  /** The view that was open before the sample. */
  view: string
  /** Bytes that the page and its workers still use. */
  live: number
  /** Bytes of memory that their process holds, before and after that garbage was collected. */
  resident: number
  collected: number
  /** The part of `collected` that is read from files, nearly all of it the browser's program; null on macOS. */
  program: number | null
  /**
   * What the rest consists of; null if the browser did not tell in time. What is left are WebAssembly's memories and machine code.
   */
  parts: MemoryParts | null
  /** Bytes that the page keeps in the browser's storage, the run above all. */
  stored: number
}

/** Without it, Chromium measures `live` only at its next collection of garbage, which may be minutes away. */
const MEASURES_AT_ONCE = '--enable-blink-features=ForceEagerMeasureMemory'

/** Calls `onSample` after each sample; prints nothing. Throws an Error with the page's words if it refuses the run. */
export async function watchMemory(
  { preset, fields, iterations, every }: MemoryOptions,
  onSample: (sample: MemorySample) => void,
): Promise<void> {
  await withBuiltPage(
    async (browser, address) => {
      const page = await openPage(await newVisitor(browser), address)
      await pressRun(page, preset, fields)
      for (let sample = 1; (sample - 1) * every < iterations; sample++) {
        const view = VIEWS_OF_A_RUN[(sample - 1) % VIEWS_OF_A_RUN.length]!
        await showView(page, view)
        await reached(page, Math.min(sample * every, iterations))
        const { all: resident } = await residentMemory(browser)
        const live = await liveBytes(page)
        const { all: collected, files: program } = await residentMemory(browser)
        onSample({
          iteration: await finishedIterations(page),
          view,
          live,
          resident,
          collected,
          program,
          parts: await memoryParts(browser),
          stored: await page.evaluate(async () => (await navigator.storage.estimate()).usage ?? 0),
        })
      }
    },
    [MEASURES_AT_ONCE],
  )
}

/** Throws an Error if the page is not isolated, because the browser then does not measure. */
function liveBytes(page: Page): Promise<number> {
  return page.evaluate(async () => {
    const { measureUserAgentSpecificMemory: measure } = performance as unknown as {
      measureUserAgentSpecificMemory?: () => Promise<{ bytes: number }>
    }
    if (measure === undefined) throw new Error('This browser does not measure the memory of a page.')
    return (await measure.call(performance)).bytes
  })
}
