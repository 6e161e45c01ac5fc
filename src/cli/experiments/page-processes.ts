/** The processes of a browser's pages, and the memory that they hold. */
import { execFileSync } from 'node:child_process'
import type { Browser } from 'playwright-core'

/** Ids of the processes that compute the pages of a browser of this machine, with their workers. */
export async function processesOfPages(browser: Browser): Promise<number[]> {
  const session = await browser.newBrowserCDPSession()
  const { processInfo } = await session.send('SystemInfo.getProcessInfo')
  await session.detach()
  return processInfo.filter(({ type }) => type === 'renderer').map(({ id }) => id)
}

/**
 * Bytes of a browser's pages and workers that are in memory, JavaScript, WebAssembly and what they share with other processes
 * included. Linux and macOS; throws where there is no `ps`.
 */
export async function residentBytes(browser: Browser): Promise<number> {
  const ids = await processesOfPages(browser)
  const kibibytes = execFileSync('ps', ['-o', 'rss=', '-p', ids.join(',')], { encoding: 'utf8' })
  return kibibytes
    .trim()
    .split(/\s+/)
    .reduce((sum, text) => sum + Number(text) * 1024, 0)
}
