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

/**
 * Milliseconds of CPU time of the longest task of each of several actions, one after the other, in one trace: to begin, end and read a
 * trace takes longer than most actions. Each leaves the page loaded.
 */
export async function longestTaskOfEach(
  browser: Browser,
  page: Page,
  actions: readonly (() => Promise<void>)[],
): Promise<number[]> {
  const endOf = (action: number) => `end-of-action-${action}`
  const events = await traceOf(browser, page, async () => {
    for (const [i, happens] of actions.entries()) {
      await happens()
      await page.evaluate((mark) => void performance.mark(mark), endOf(i))
    }
  })
  const tasks = mainTasks(events)
  let begin = -Infinity
  return actions.map((_, i) => {
    const end = markIn(events, endOf(i))?.ts
    if (end === undefined) throw new Error(`The trace lacks the end of action ${i}.`)
    const own = tasks.filter(({ ts }) => begin < ts && ts <= end)
    begin = end
    return Math.max(0, ...own.map(({ tdur }) => tdur / 1000))
  })
}

/**
 * Milliseconds of CPU time of the task in which a page calls `performance.mark(mark)`, once, while something happens. Null if the trace
 * lacks it, as on a busy machine where the page's process begins to trace too late.
 */
export async function markedTask(
  browser: Browser,
  page: Page,
  mark: string,
  happens: () => Promise<void>,
): Promise<number | null> {
  const events = await traceOf(browser, page, happens)
  const marked = markIn(events, mark)
  const task = mainTasks(events).find(
    ({ pid, tid, ts, dur }) => pid === marked?.pid && tid === marked.tid && ts <= marked.ts && marked.ts <= ts + dur,
  )
  return task === undefined ? null : task.tdur / 1000
}

async function traceOf(browser: Browser, page: Page, happens: () => Promise<void>): Promise<TraceEvent[]> {
  await browser.startTracing(page, { categories: CATEGORIES })
  await happens()
  return (JSON.parse((await browser.stopTracing()).toString()) as { traceEvents: TraceEvent[] }).traceEvents
}

const markIn = (events: readonly TraceEvent[], mark: string) =>
  events.find(({ name, cat }) => name === mark && cat.includes('blink.user_timing'))

function mainTasks(events: readonly TraceEvent[]): Task[] {
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
