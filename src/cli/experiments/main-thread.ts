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

export interface TraceEvent {
  name: string
  cat: string
  ph: string
  pid: number
  tid: number
  /** Beginning and wall time, microseconds. */
  ts: number
  dur?: number
  /** CPU time of the thread, microseconds. */
  tdur?: number
  args?: { name?: string }
}

/** A task of a renderer's main thread, with its CPU time. */
type Task = TraceEvent & Required<Pick<TraceEvent, 'dur' | 'tdur'>>

const CATEGORIES = ['toplevel', '__metadata', 'blink.user_timing']

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
  const tasks = mainTasks(await traceOf(browser, page, happens))
  return descending(tasks.map(({ tdur }) => tdur / 1000)).slice(0, 10)
}

/** What Chromium records of a page while something happens, with the marks that the page sets. */
export async function traceOf(browser: Browser, page: Page, happens: () => Promise<void>): Promise<TraceEvent[]> {
  await browser.startTracing(page, { categories: CATEGORIES })
  await happens()
  return (JSON.parse((await browser.stopTracing()).toString()) as { traceEvents: TraceEvent[] }).traceEvents
}

/** Those of the renderers' main threads. */
export function mainTasks(events: readonly TraceEvent[]): Task[] {
  const threadOf = ({ pid, tid }: TraceEvent) => `${pid}/${tid}`
  const main = new Set(
    events.filter(({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain').map(threadOf),
  )
  return events.filter(
    (event): event is Task =>
      event.ph === 'X' && event.name.endsWith('RunTask') && event.tdur !== undefined && main.has(threadOf(event)),
  )
}

function descending(durations: readonly number[]): number[] {
  return durations.toSorted((a, b) => b - a)
}
