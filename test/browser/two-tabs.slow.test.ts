/** Two real tabs and the runs that they keep: they race for them, are reloaded, closed and killed, and every log stays whole. */
import type { Page } from 'playwright-core'
import { expect, inject, it } from 'vitest'
import { uniformStream } from '../../src/method/random.ts'
import { parseRunLog } from '../../src/runs/run-log.ts'
import { finishedIterations, logFaults } from '../sessions/log-faults.ts'
import { pressDownload } from './controls.ts'
import { downloaded } from './harness.ts'
import { keptLogs } from './kept-logs.ts'
import { reach, smallAddress } from './small-run.ts'
import { useTabs } from './tabs.ts'
import { goTo } from './views.ts'

const visit = useTabs()

const resume = (page: Page) => page.getByRole('button', { name: BUTTONS.resume })
const isRunning = (page: Page) => page.getByRole('button', { name: 'Pause', exact: true }).isVisible()

it('gives the run to one of two tabs that resume it, and to another once that one is reloaded or closed', async () => {
  let running = await visit(await smallAddress(''))
  await running.getByRole('button', { name: 'Run', exact: true }).click()
  let reached = await reach(running, 3)

  for (const end of ['closed', 'reloaded'] as const) {
    const [left, right] = [await visit(), await visit()]
    expect(await resume(left).count()).toBe(0)
    if (end === 'closed') await running.close()
    else await running.reload()
    await Promise.all([resume(left).waitFor(), resume(right).waitFor()])
    // One press may come too late: then the offer is gone already.
    const pressed = await Promise.all([left, right].map((page) => press(page, BUTTONS.resume)))
    expect(pressed).toContain(true)
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

/** Rounds of one gesture in each tab at the same time. `TAB_ROUNDS=200 TEST_SEED=7` plays a longer schedule, and another. */
const ROUNDS = Number(process.env.TAB_ROUNDS ?? 8)
type Gesture = 'run' | 'resume' | 'discard' | 'delete' | 'reload' | 'kill'
/** The buttons of gestures that a tab offers only at times. */
const BUTTONS = { run: 'Run', resume: /^Resume the run from iteration \d+$/, discard: 'Discard' }

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true }).first()
const isShown = (page: Page, name: string | RegExp) => button(page, name).isVisible()

/** A press at once, without Playwright's patience. Returns whether the button was there. */
const press = (page: Page, name: string | RegExp): Promise<boolean> =>
  button(page, name).evaluateAll(([found]) => {
    if (!(found instanceof HTMLButtonElement) || found.disabled) return false
    found.click()
    return true
  })

/** Lets the tab go on for a while that depends on how busy it is. */
async function goOn(tab: Page, turns: number): Promise<void> {
  for (let i = 0; i < turns; i++) await tab.evaluate('0')
}

/** Ends the tab's process. Neither the page nor its workers learn of it. */
async function kill(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page)
  const crashed = page.waitForEvent('crash')
  session.send('Page.crash').catch(() => undefined)
  await crashed
  await page.close()
}

/** What a visitor may do in the tab, in the proportions in which the test does it. */
async function gestures(tab: Page): Promise<Gesture[]> {
  if (await isShown(tab, BUTTONS.resume))
    return ['resume', 'resume', 'resume', 'resume', 'discard', 'delete', 'reload', 'kill']
  if (await isRunning(tab)) return ['reload', 'kill', 'kill']
  return (await isShown(tab, BUTTONS.run)) ? ['run', 'reload', 'kill'] : ['reload', 'kill']
}

/** Returns whether the gesture did something: the other tab may have been faster. */
async function play(gesture: Exclude<Gesture, 'kill'>, tab: Page): Promise<boolean> {
  if (gesture === 'reload') return tab.reload().then(() => true)
  if (gesture === 'discard') return (await press(tab, BUTTONS.discard)) && press(tab, 'Delete permanently')
  if (gesture !== 'delete') return press(tab, BUTTONS[gesture])
  await goTo(tab, 'Runs')
  const listed = tab.getByText(/^(\d+|No)\s+runs?\s+in\s+this\s+browser/)
  await listed.waitFor().catch(async (cause: unknown) => {
    throw new Error(`The runs were not listed: ${await tab.locator('main').innerText()}`, { cause })
  })
  const isDeleted = (await press(tab, 'Delete')) && (await press(tab, 'Delete permanently'))
  await goTo(tab, 'Loop')
  return isDeleted
}

/** Iterations that all kept runs have finished. */
const kept = async (tab: Page): Promise<number> =>
  [...(await keptLogs(tab)).logs.values()].flatMap(finishedIterations).length

/** Until a tab offers to resume a run, or runs one; then until that one is `further` iterations on. */
async function somethingToLose(tabs: readonly Page[], further: number): Promise<void> {
  const wanted = Math.max(2, (await kept(tabs[0]!)) + further)
  let looks = 0
  await expect
    .poll(
      async () => {
        if ((await Promise.all(tabs.map(isRunning))).some(Boolean)) return (await kept(tabs[0]!)) >= wanted
        looks++
        const offers = await Promise.all(tabs.map((tab) => isShown(tab, BUTTONS.resume)))
        // A tab does not offer another run once its visitor has discarded one.
        if (offers.every(Boolean) || (looks >= 10 && offers.some(Boolean))) return true
        if (looks % 10 === 0) await press(tabs[0]!, BUTTONS.run)
        return false
      },
      { interval: 200 },
    )
    .toBe(true)
}

/** Milliseconds. A round takes seconds, and up to a minute on a busy machine. */
const patience = { timeout: 300_000 + ROUNDS * 60_000 }

it('keeps every log whole, whatever is pressed in both tabs at once, reloaded or killed', patience, async () => {
  const link = await smallAddress('')
  const uniform = uniformStream(Number(process.env.TEST_SEED ?? 1))
  const below = (count: number) => Math.floor(uniform() * count)
  const open = async (page: Page) => {
    await page.goto(new URL(link, inject('pageAddress')).href)
    return page
  }
  const tabs = [await visit(link), await visit(link)]
  const context = tabs[0]!.context()
  const took = new Map<string, number>()
  const count = (name: string) => took.set(name, (took.get(name) ?? 0) + 1)
  /** Most events that a look found in each run. */
  const found = new Map<string, number>()
  /** Iterations that each run had finished at the last look. */
  let finished = new Map<string, number>()
  let gone = 0
  const look = async () => {
    const { logs, unlisted } = await keptLogs(tabs[0]!)
    expect(unlisted).toEqual([])
    expect([...logs].flatMap(([runId, log]) => logFaults(runId, log))).toEqual([])
    // A run goes only if a visitor deletes it. One that resumes loses at most the iterations since its last checkpoint: one, or two
    // if its tab was killed between the end of an iteration and its checkpoint.
    for (const [runId, before] of finished) {
      const log = logs.get(runId)
      if (log === undefined) gone++
      else expect(finishedIterations(log).length, runId).toBeGreaterThanOrEqual(before - 2)
    }
    expect(gone).toBeLessThanOrEqual((took.get('discard') ?? 0) + (took.get('delete') ?? 0))
    finished = new Map([...logs].map(([runId, log]) => [runId, finishedIterations(log).length]))
    for (const [runId, { length }] of logs) found.set(runId, Math.max(length, found.get(runId) ?? 0))
  }
  for (let round = 0; round < ROUNDS; round++) {
    // Now and then the gestures come while the tabs still open.
    const isPatient = below(3) > 0
    const further = below(2)
    const turns = tabs.map(() => ({ before: below(30), share: uniform() }))
    if (isPatient) await somethingToLose(tabs, further)
    const drawn = await Promise.all(
      turns.map(async ({ before, share }, place) => {
        const pool = await gestures(tabs[place]!)
        const gesture = pool[Math.floor(share * pool.length)]!
        await goOn(tabs[place]!, before)
        if (gesture === 'kill') {
          await kill(tabs[place]!)
          tabs[place] = await open(await context.newPage())
          return gesture
        }
        return (await play(gesture, tabs[place]!)) ? gesture : `${gesture} too late`
      }),
    )
    drawn.forEach(count)
    await look()
  }
  await somethingToLose(tabs, 0)
  await look()
  expect(found.size).toBeGreaterThan(0)
  const events = [...found.values()].reduce((sum, length) => sum + length, 0)
  const summary = [...took].map(([gesture, times]) => `${gesture} ${times}`).join(', ')
  process.stderr.write(`${ROUNDS} rounds: ${summary}. Read ${events} events of ${found.size} runs.\n`)
})
