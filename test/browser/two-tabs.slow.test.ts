/** Two real tabs and the runs that they keep: they race for them, are reloaded, closed and killed, and every log stays whole. */
import type { Page } from 'playwright-core'
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

/** `TAB_GESTURES=200 TEST_SEED=7` plays a longer schedule, and another. */
const STEPS = Number(process.env.TAB_GESTURES ?? 24)
/** The logs are read this often, since a later gesture may delete them. */
const STEPS_BETWEEN_LOOKS = 6
const GESTURES = ['run', 'resume', 'resume', 'discard', 'delete', 'reload', 'kill'] as const

/** A press that may come too late, as of a person who races another tab. Returns whether it came in time. */
const press = (page: Page, name: string | RegExp): Promise<boolean> =>
  page
    .getByRole('button', { name, exact: true })
    .first()
    .click({ timeout: 1000 })
    .then(
      () => true,
      () => false,
    )

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

type Gesture = (typeof GESTURES)[number]

/** Returns whether the gesture did something: there may be nothing to resume, or the other tab was faster. */
async function play(gesture: Exclude<Gesture, 'kill'>, tab: Page): Promise<boolean> {
  if (gesture === 'run') return press(tab, 'Run')
  if (gesture === 'resume') return press(tab, /^Resume the run from iteration \d+$/)
  if (gesture === 'discard') return press(tab, 'Discard')
  if (gesture === 'reload') return tab.reload().then(() => true)
  await goTo(tab, 'Runs')
  const isDeleted = (await press(tab, 'Delete')) && (await press(tab, 'Delete permanently'))
  await goTo(tab, 'Loop')
  return isDeleted
}

it('keeps every log whole, whatever is pressed in either tab, reloaded or killed', async () => {
  const link = `${await smallLink()}&view=loop`
  const uniform = uniformStream(Number(process.env.TEST_SEED ?? 1))
  const below = (count: number) => Math.floor(uniform() * count)
  const open = async (page: Page) => {
    await page.goto(new URL(link, inject('pageAddress')).href)
    return page
  }
  const tabs = [await open(await visit()), await open(await visit())]
  const context = tabs[0]!.context()
  const took = new Map<Gesture, number>()
  /** Most events that a look found in each run. */
  const found = new Map<string, number>()
  const look = async () => {
    const { logs, unlisted } = await keptLogs(tabs[0]!)
    expect(unlisted).toEqual([])
    expect([...logs].flatMap(([runId, log]) => logFaults(runId, log))).toEqual([])
    for (const [runId, { length }] of logs) found.set(runId, Math.max(length, found.get(runId) ?? 0))
    return [...logs.values()].flatMap(finishedIterations).length
  }
  for (let step = 0; step < STEPS; step++) {
    const place = below(tabs.length)
    const gesture = step < 2 ? 'run' : GESTURES[below(GESTURES.length)]!
    let hasTaken = true
    if (gesture === 'kill') {
      await kill(tabs[place]!)
      tabs[place] = await open(await context.newPage())
    } else hasTaken = await play(gesture, tabs[place]!)
    if (hasTaken) took.set(gesture, (took.get(gesture) ?? 0) + 1)
    await goOn(tabs, below(60))
    if (step % STEPS_BETWEEN_LOOKS === 0) await look()
  }
  // The schedule may have deleted everything.
  for (const tab of tabs) await press(tab, 'Run')
  await expect.poll(look).toBeGreaterThan(1)
  const events = [...found.values()].reduce((sum, count) => sum + count, 0)
  const effects = [...took].map(([gesture, count]) => `${gesture} ${count}`).join(', ')
  process.stderr.write(`Took effect: ${effects}. Read ${events} events of ${found.size} runs.\n`)
})
