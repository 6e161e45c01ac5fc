/**
 * Fails a test if a task holds the page's main thread for 50 ms of CPU time. The limit is for a quiet machine with two cores: where a
 * neighbour takes turns at a core, the same task takes up to twice as long, even in CPU time. So a fixed piece of work is timed beside it.
 */
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { expect } from 'vitest'
import { mainTasks, mainThreadTasks, traceOf, type TraceEvent } from '../../src/cli/experiments/main-thread.ts'

/** Milliseconds of CPU time that no task may take on a quiet machine. */
export const LONGEST_TASK_MS = 50
/** Milliseconds: less CPU time than the fixed work took in any run seen on two cores (31.8). Limits rise only where it takes more. */
const QUIET_WORK_MS = 30
const WORK_MARK = 'fixed-work'

/**
 * Lets something happen, again and again until no task of the main thread was too long, at most `tries` times. Returns the milliseconds of
 * CPU time of the longest task in the best try, divided by how much slower than a quiet machine this one is.
 */
export async function longestTask(
  browser: Browser,
  page: Page,
  happens: () => Promise<void>,
  tries = 3,
): Promise<number> {
  let longest = Infinity
  let work = Infinity
  for (let attempt = 0; attempt < tries; attempt++) {
    const cpu = await mainThreadTasks(browser, page, happens)
    expect(cpu.length, 'tasks in the trace').toBeGreaterThan(0)
    longest = Math.min(longest, cpu[0]!)
    if (longest < LONGEST_TASK_MS) return longest
    work = Math.min(work, await fixedWork(browser, page))
    if (longest / slowness(work) < LONGEST_TASK_MS) break
  }
  process.stdout.write(`longest task ${longest.toFixed(1)} ms of CPU time, fixed work ${work.toFixed(1)} ms\n`)
  return longest / slowness(work)
}

/** Fails if, in every one of several tries, a task of the main thread takes 50 ms of CPU time during an action. */
export async function expectFreeMainThread(...action: Parameters<typeof longestTask>): Promise<void> {
  expect(await longestTask(...action)).toBeLessThan(LONGEST_TASK_MS)
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

const slowness = (work: number) => Math.max(1, work / QUIET_WORK_MS)

/** How many times as long as on a quiet machine a page works now, by the clock: in the shortest of several runs of the fixed work. */
export async function slownessByClock(context: BrowserContext): Promise<number> {
  const page = await context.newPage()
  const runs: number[] = []
  for (let run = 0; run < 4; run++) runs.push(await page.evaluate(openLikeAPage, WORK_MARK))
  await page.close()
  return slowness(Math.min(...runs))
}

/** Milliseconds of CPU time of the shortest of several runs of the fixed work, in a page of its own beside the measured one. */
async function fixedWork(browser: Browser, page: Page): Promise<number> {
  const beside = await page.context().newPage()
  const runs: number[] = []
  for (let traces = 0; traces < 20 && runs.length < 4; traces++) {
    const work = async () => void (await beside.evaluate(openLikeAPage, WORK_MARK))
    const took = await markedTask(browser, beside, WORK_MARK, work)
    if (took !== null) runs.push(took)
  }
  expect(runs.length, 'runs of the fixed work in the traces').toBeGreaterThan(0)
  await beside.close()
  await page.bringToFront()
  return Math.min(...runs)
}

/**
 * Milliseconds of CPU time of the task in which a page calls `performance.mark(mark)`, once, while something happens. Null if the trace
 * lacks it, as on a busy machine where the page's process begins to trace too late.
 */
async function markedTask(
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

const markIn = (events: readonly TraceEvent[], mark: string) =>
  events.find(({ name, cat }) => name === mark && cat.includes('blink.user_timing'))

/**
 * What a page does while it opens: compiles functions, makes elements, styles them and lays them out. Returns milliseconds of the clock.
 * Runs in the page.
 */
function openLikeAPage(mark: string): number {
  const { startTime } = performance.mark(mark)
  const rows = Array.from({ length: 300 }, (_, i) => {
    // oxlint-disable-next-line typescript/no-implied-eval -- a new function each time, which V8 has not compiled before
    const values = new Function('xs', `return xs.map((x) => x * ${Math.random()} + ${i})`) as (xs: number[]) => number[]
    const row = document.createElement('div')
    row.style.width = `${i}px`
    row.append(
      ...values([1, 2, 3, 4, 5, 6]).map((value) => {
        const cell = document.createElement('span')
        cell.className = `cell-${i % 7}`
        cell.textContent = value.toFixed(3)
        return cell
      }),
    )
    return row
  })
  document.body.replaceChildren(...rows)
  document.body.getBoundingClientRect()
  document.body.replaceChildren()
  return performance.now() - startTime
}
