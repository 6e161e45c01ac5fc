/** Two real tabs and the runs that they keep: they race for them, are reloaded, closed and killed, and every log stays whole. */
import type { BrowserContext, Page } from 'playwright-core'
import { expect, inject, it } from 'vitest'
import { uniformStream } from '../../src/method/random.ts'
import { parseRunLog } from '../../src/runs/run-log.ts'
import { finishedIterations, logFaults } from '../sessions/log-faults.ts'
import { pressDownload } from './controls.ts'
import { downloaded } from './harness.ts'
import { keptLogs } from './kept-logs.ts'
import { makeSmall, reach, smallLink } from './small-run.ts'
import { useTabs } from './tabs.ts'
import { goTo } from './views.ts'

const visit = useTabs()

const resume = (page: Page) => page.getByRole('button', { name: /^Resume the run from iteration \d+$/ })
const isRunning = (page: Page) => page.getByRole('button', { name: 'Pause', exact: true }).isVisible()

it('gives the run to one of two tabs that resume it, and to another once that one is reloaded or closed', async () => {
  let running = await visit()
  await makeSmall(running)
  await running.getByRole('button', { name: 'Run', exact: true }).click()
  let reached = await reach(running, 3)

  for (const end of ['closed', 'reloaded'] as const) {
    const [left, right] = [await visit(), await visit()]
    expect(await resume(left).count()).toBe(0)
    if (end === 'closed') await running.close()
    else await running.reload()
    await Promise.all([resume(left).waitFor(), resume(right).waitFor()])
    // One click may come too late: then the offer is gone already.
    await Promise.all(
      [left, right].map((page) =>
        resume(page)
          .click({ timeout: 10_000 })
          .catch(() => undefined),
      ),
    )
    await expect.poll(async () => [await isRunning(left), await isRunning(right)].filter(Boolean).length).toBe(1)
    const waiting = (await isRunning(left)) ? right : left
    if (end === 'reloaded') await running.close()
    running = waiting === left ? right : left
    reached = await reach(running, reached + 1)

    await goTo(waiting, 'Runs')
    await waiting.getByText('running in another tab', { exact: true }).waitFor()
    expect(await waiting.getByRole('button', { name: 'Delete', exact: true }).isDisabled()).toBe(true)
    await waiting.close()
  }

  await running.getByRole('button', { name: 'Pause', exact: true }).click()
  await running.getByText('Paused', { exact: true }).first().waitFor()
  const downloading = running.waitForEvent('download')
  await pressDownload(running)
  const log = parseRunLog(String(await downloaded(await downloading)))
  expect(logFaults('the run', log)).toEqual([])
  expect(finishedIterations(log).length).toBeGreaterThanOrEqual(reached)
})

const STEPS = 24
const GESTURES = ['run', 'resume', 'resume', 'discard', 'delete', 'reload', 'kill'] as const

/** A press that may come too late, as of a person who races another tab. */
const press = (page: Page, name: string | RegExp) =>
  page
    .getByRole('button', { name, exact: true })
    .first()
    .click({ timeout: 1000 })
    .catch(() => undefined)

/** Lets both tabs go on for a while that depends on how busy they are. */
async function goOn(tabs: readonly Page[], turns: number): Promise<void> {
  for (let i = 0; i < turns; i++) await tabs[i % tabs.length]!.evaluate('0')
}

/** Ends the tab's process. Neither the page nor its workers learn of it. */
async function kill(page: Page): Promise<void> {
  const gone = page.waitForEvent('crash')
  const session = await page.context().newCDPSession(page)
  session.send('Page.crash').catch(() => undefined)
  await gone
  await page.close()
}

it('keeps every log whole, whatever is pressed in either tab, reloaded or killed', async () => {
  const link = `${await smallLink()}&view=loop`
  const uniform = uniformStream(Number(process.env.TEST_SEED ?? 1))
  const below = (count: number) => Math.floor(uniform() * count)
  let context: BrowserContext
  const open = async (page: Page) => {
    context = page.context()
    await page.goto(new URL(link, inject('pageAddress')).href)
    return page
  }
  const tabs = [await open(await visit()), await open(await visit())]
  for (let step = 0; step < STEPS; step++) {
    const place = below(tabs.length)
    const tab = tabs[place]!
    const gesture = step < 2 ? 'run' : GESTURES[below(GESTURES.length)]!
    if (gesture === 'run') await press(tab, 'Run')
    if (gesture === 'resume') await press(tab, /^Resume the run from iteration \d+$/)
    if (gesture === 'discard') await press(tab, 'Discard')
    if (gesture === 'delete') {
      await goTo(tab, 'Runs')
      await press(tab, 'Delete')
      await press(tab, 'Delete permanently')
      await goTo(tab, 'Loop')
    }
    if (gesture === 'reload') await tab.reload()
    if (gesture === 'kill') {
      await kill(tab)
      tabs[place] = await open(await context!.newPage())
    }
    await goOn(tabs, below(60))
  }
  // The schedule may have deleted everything.
  for (const tab of tabs) await press(tab, 'Run')
  const finished = async () => [...(await keptLogs(tabs[0]!)).logs.values()].flatMap(finishedIterations).length
  await expect.poll(finished).toBeGreaterThan(1)
  const { logs, unlisted } = await keptLogs(tabs[0]!)
  expect(unlisted).toEqual([])
  expect([...logs].flatMap(([runId, log]) => logFaults(runId, log))).toEqual([])
})
