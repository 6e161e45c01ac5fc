/**
 * A phone's clock for the processes of a browser's pages. Chromium's own throttling (Emulation.setCPUThrottlingRate)
 * reaches the thread of the page and no worker, and runs compute in workers; so here the processes stand still for most of the time.
 */
import type { Browser } from 'playwright-core'
import { processesOfPages } from '../../src/cli/experiments/page-processes.ts'

/** Milliseconds of a turn of running and standing still. */
const TURN_MS = 60

/** Lets the pages of a browser of this machine run for one part in `factor` of the time. Returns what ends that. */
export async function slowDown(browser: Browser, factor: number): Promise<() => void> {
  const pages = await processesOfPages(browser)
  if (pages.length === 0) throw new Error('The browser has no page to slow down.')
  const tell = (signal: NodeJS.Signals) => {
    for (const id of pages) {
      try {
        process.kill(id, signal)
      } catch {
        // The page was closed meanwhile.
      }
    }
  }
  let timer = setTimeout(stand)
  function stand(): void {
    tell('SIGSTOP')
    timer = setTimeout(go, TURN_MS * (1 - 1 / factor))
  }
  function go(): void {
    tell('SIGCONT')
    timer = setTimeout(stand, TURN_MS / factor)
  }
  return () => {
    clearTimeout(timer)
    tell('SIGCONT')
  }
}
