/**
 * Measures how long tasks block the page's main thread in Chromium: the browser's long tasks (PerformanceObserver, wall time) and,
 * from a trace, the CPU time of the longest tasks. Wall time grows on a busy machine but CPU time does not, so claims use the latter.
 */
import type { Browser, Page } from 'playwright-core'

export interface HeldThread {
  /** Milliseconds of wall time of each task over 50 ms, longest first. */
  longTasks: number[]
  /** Milliseconds of CPU time of the ten longest tasks, longest first. */
  cpu: number[]
}

interface TraceEvent {
  name: string
  cat: string
  ph: string
  pid: number
  tid: number
  /** CPU time of the thread, microseconds. */
  tdur?: number
  args?: { name?: string }
}

const CATEGORIES = ['toplevel', '__metadata']

/** Watches a loaded page while something happens in it. It has to be the only page of its browser. */
export async function heldMainThread(browser: Browser, page: Page, happens: () => Promise<void>): Promise<HeldThread> {
  const observer = await page.evaluateHandle(() => {
    const durations: number[] = []
    const watching = new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) durations.push(duration)
    })
    watching.observe({ type: 'longtask' })
    return { durations, watching }
  })
  const cpu = await mainThreadTasks(browser, page, happens)
  const longTasks = await observer.evaluate(({ durations, watching }) => {
    watching.disconnect()
    return durations
  })
  await observer.dispose()
  return { longTasks: descending(longTasks), cpu }
}

/**
 * Milliseconds of CPU time of the ten longest tasks while something happens, longest first. The page may be loaded meanwhile. It has to
 * be the only page of its browser.
 */
export async function mainThreadTasks(browser: Browser, page: Page, happens: () => Promise<void>): Promise<number[]> {
  await browser.startTracing(page, { categories: CATEGORIES })
  await happens()
  const trace = JSON.parse((await browser.stopTracing()).toString()) as { traceEvents: TraceEvent[] }
  return descending(cpuOfTasks(trace.traceEvents)).slice(0, 10)
}

/** Milliseconds of CPU time of every task on the renderer's main thread; there is one page. */
function cpuOfTasks(events: readonly TraceEvent[]): number[] {
  const threadOf = ({ pid, tid }: TraceEvent) => `${pid}/${tid}`
  const main = new Set(
    events.filter(({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain').map(threadOf),
  )
  return events.flatMap((event) =>
    event.ph === 'X' && event.name.endsWith('RunTask') && event.tdur !== undefined && main.has(threadOf(event))
      ? [event.tdur / 1000]
      : [],
  )
}

function descending(durations: readonly number[]): number[] {
  return durations.toSorted((a, b) => b - a)
}
