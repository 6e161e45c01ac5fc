/** Runs the built page in Chromium like a visitor: a fresh profile, a preset, Run. */
import type { Page } from 'playwright-core'
import type { LoggedEvent } from '../../method/events.ts'
import { chunkEvents, type PackedChunk } from '../../runs/event-chunk.ts'
import type { RunSummary } from '../../runs/run-store.ts'
import { isReported, summarise, type LearningResult, type Progress } from './learning-report.ts'
import { pressRun, stored, throwIfRefused, withBuiltPage } from '../page/visitor.ts'

export interface LearningOptions {
  preset: string
  minutes: number
  /** Number of held-out tasks of each split. */
  evaluationTasks: number
  evaluateEvery: number
  /** Ends a run before its time is up. */
  iterations?: number
}

/** Keeps the page open while `use` runs. Throws an Error with the page's words if a run is refused. */
export async function learnInChromium(
  options: LearningOptions,
  use: (learn: (seed: number) => Promise<LearningResult>) => Promise<void>,
): Promise<void> {
  await withBuiltPage((browser, address) =>
    use(async (seed) => {
      const context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
      try {
        const page = await context.newPage()
        await page.goto(address)
        return await learn(page, seed, options)
      } finally {
        await context.close()
      }
    }),
  )
}

async function learn(page: Page, seed: number, options: LearningOptions): Promise<LearningResult> {
  await pressRun(page, options.preset, [
    [/^Seed$/, seed],
    [/^Evaluation (tasks|problems)/, options.evaluationTasks],
    [/^Evaluate every/, options.evaluateEvery],
  ])
  const progress = await watched(page, options)
  if (progress.length === 0) throw new Error('No iteration finished in time; increase --minutes.')
  return summarise(seed, await keptEvents(page), progress)
}

/** When iterations were seen to be finished, until the run is long enough. */
async function watched(page: Page, { minutes, iterations = Infinity }: LearningOptions): Promise<Progress[]> {
  const progress: Progress[] = []
  const started = performance.now()
  const seconds = () => (performance.now() - started) / 1000
  while (seconds() < minutes * 60 && (progress.at(-1)?.iterations ?? 0) < iterations) {
    await page.waitForTimeout(500)
    const [run] = await stored<RunSummary>(page, 'runs')
    const finished = run?.finishedIterations ?? 0
    if (finished > (progress.at(-1)?.iterations ?? 0)) progress.push({ iterations: finished, seconds: seconds() })
    else await throwIfRefused(page)
  }
  return progress
}

/** What a report reads of the events that the page has stored in IndexedDB so far. */
async function keptEvents(page: Page): Promise<LoggedEvent[]> {
  const chunks = await stored<PackedChunk>(page, 'chunks')
  const events = await Promise.all(chunks.map(chunkEvents))
  return events.flat().filter(isReported)
}
