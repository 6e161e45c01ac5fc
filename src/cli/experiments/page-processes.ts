/** The processes of a browser's pages, and the memory that they hold. */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import type { Browser } from 'playwright-core'

/** Ids of the processes that compute the pages of a browser of this machine, with their workers. */
export async function processesOfPages(browser: Browser): Promise<number[]> {
  const session = await browser.newBrowserCDPSession()
  const { processInfo } = await session.send('SystemInfo.getProcessInfo')
  await session.detach()
  return processInfo.filter(({ type }) => type === 'renderer').map(({ id }) => id)
}

/** What a page, with its workers, has in memory, in bytes. Shared memory counts in full. */
export interface ResidentMemory {
  all: number
  /** The part that is read from files, nearly all of it the browser's program; null where the system does not say, as on macOS. */
  files: number | null
}

/**
 * Memory of the browser's largest page, the one that computes a run: the browser has processes for pages of its own, which hold
 * 220 MB. Linux and macOS; throws where there is no `ps`.
 */
export async function residentMemory(browser: Browser): Promise<ResidentMemory> {
  const ids = await processesOfPages(browser)
  const table = execFileSync('ps', ['-o', 'pid=,rss=', '-p', ids.join(',')], { encoding: 'utf8' })
  const processes = table
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number) as [number, number])
  const [id, kibibytes] = processes.reduce((largest, each) => (each[1] > largest[1] ? each : largest))
  return { all: kibibytes * 1024, files: filesOf(id) }
}

function filesOf(id: number): number | null {
  const path = `/proc/${id}/status`
  const kibibytes = existsSync(path) ? /^RssFile:\s+(\d+) kB/m.exec(readFileSync(path, 'utf8'))?.[1] : undefined
  return kibibytes === undefined ? null : Number(kibibytes) * 1024
}
