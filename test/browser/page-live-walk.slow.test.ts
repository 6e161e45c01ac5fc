/**
 * While a run continues, opens every part of the views that show it: nothing closes, jumps or loses the focus by itself. Parts that can
 * be open together are watched together, a window after another, each for an iteration; the others one by one. `LIVE_MINUTES=5` walks
 * through each world until five minutes have passed. Otherwise there is one round, in which a view leaves out what an earlier one has
 * under the same name, such as the curves, and a world what an earlier one has.
 */
import type { Page } from 'playwright-core'
import { expect, inject, it } from 'vitest'
import { MOST_ITERATIONS } from '../../src/playground/run/configuration.ts'
import type { View } from '../../src/playground/state/views.ts'
import { openView } from './every-view.ts'
import { usePages } from './harness.ts'
import { withoutRecordings } from './made-up-runs.ts'
import { turns } from './settled.ts'
import { smallLink } from './small-run.ts'

const pages = usePages()
const LIVE: readonly View[] = ['loop', 'episodes', 'tasks', 'runs']
/** What a person can open. Lists of the browser's own close when the page loses its window, so they are left out. */
const OPENERS =
  'main details:not([open]) > summary, main button[aria-expanded="false"]:enabled, header button[aria-expanded="false"]'

/** An opener, marked in the document. The mark stays with the element, so a part that is drawn anew has lost it. */
interface Part {
  mark: number
  name: string
}

/** Opens or closes a part, unless it has gone, as the rule of an alarm does that ended. */
const press = (page: Page, { mark }: Part) =>
  page.locator(`[data-walk="${mark}"]`).evaluateAll((openers) => {
    for (const opener of openers as HTMLElement[]) {
      opener.focus()
      opener.click()
    }
  })

const iteration = async (page: Page) =>
  Number(/Iteration (\d+)/.exec((await page.locator('.sentence-now').textContent()) ?? '')?.[1] ?? 0)

/** Waits for an iteration. If it does not come, says what the page shows of the run. */
async function reachIteration(page: Page, wanted: number): Promise<void> {
  try {
    await expect.poll(() => iteration(page), { timeout: 300_000 }).toBeGreaterThanOrEqual(wanted)
  } catch (cause) {
    const shown = await page.locator('header ~ *').allInnerTexts()
    throw new Error(`Iteration ${wanted} did not come. The page: ${shown.join(' | ').slice(0, 2000)}`, { cause })
  }
}

/** Marks the parts that are in sight and closed and have no mark yet. */
const closedParts = (page: Page, firstMark: number) =>
  page.locator(OPENERS).evaluateAll((openers, firstMark) => {
    const inSight = openers.filter((opener) => opener.checkVisibility() && !opener.hasAttribute('data-walk'))
    return inSight.map((opener, i): Part => {
      opener.setAttribute('data-walk', String(firstMark + i))
      return { mark: firstMark + i, name: opener.ariaLabel ?? opener.textContent.trim() }
    })
  }, firstMark)

/**
 * Where openers are in the window and whether they are open; null for one that is gone. All of one moment, with the height of the alarms,
 * which fire and end.
 */
const statesOf = (page: Page, parts: readonly Part[]) =>
  page.evaluate(
    (marks) => {
      const alarms = document.querySelector('#alarms')?.getBoundingClientRect().height
      return marks.map((mark) => {
        const opener = document.querySelector(`[data-walk="${mark}"]`)
        const isOpen = opener?.matches('details[open] > summary, [aria-expanded="true"]') ?? false
        if (!opener) return null
        const top = Math.round(opener.getBoundingClientRect().top)
        const height = (opener.closest('details') ?? opener).getBoundingClientRect().height
        const isInWindow = top >= 0 && top < innerHeight
        return { isOpen, isShown: opener.checkVisibility(), isInWindow, top, height, alarms }
      })
    },
    parts.map(({ mark }) => mark),
  )

/** Heights of what is in the view and above it, by its first words, to say what made a part move. */
const heightsOf = (page: Page) =>
  page.evaluate(() => {
    const blocks = [...document.querySelectorAll('body > * > *, main p, main h2, main h3, main figure, main .panel')]
    return blocks.map((block) => ({
      name: `${block.localName}.${block.classList[0] ?? ''} “${block.textContent.trim().slice(0, 60)}”`,
      height: Math.round(block.getBoundingClientRect().height),
    }))
  })

const isOpen = async (page: Page, part: Part) => (await statesOf(page, [part]))[0]?.isOpen ?? false

/** Whether what is open covers the rest of the page, or closes with the next click beside it. */
const isAlone = (page: Page) => page.evaluate(() => document.querySelector(':modal, :popover-open') !== null)

/** Lets the page do what it does in the next tasks after a gesture, without waiting for its drawing, which a run keeps busy. */
const nextTasks = (page: Page) =>
  page.evaluate(async () => {
    for (let task = 0; task < 2; task++) await new Promise((resolve) => setTimeout(resolve))
  })

async function close(page: Page, part: Part): Promise<void> {
  await page.keyboard.press('Escape')
  // A dialog reports in a later task that it was closed, and its opener would open it again until then.
  await nextTasks(page)
  if (await isOpen(page, part)) await press(page, part)
}

/** Something that changed by itself: what, and more about it. */
interface Change {
  what: string
  more?: string
}

/** What changes by itself in open parts while the run does the rest of an iteration and begins another. */
async function changesWhileOpen(page: Page, parts: readonly Part[]): Promise<Change[]> {
  await page.evaluate(() => {
    document.querySelector('[data-left]')?.removeAttribute('data-left')
    document.activeElement?.setAttribute('data-left', '')
  })
  const before = await statesOf(page, parts)
  const heightsBefore = await heightsOf(page)
  const from = await iteration(page)
  await reachIteration(page, from + 1)
  const hasFocus = await page.evaluate(() => document.activeElement?.hasAttribute('data-left') ?? false)
  const after = await statesOf(page, parts)
  // What is below an alarm or an open part moves when that grows: tables get rows.
  const mayMove = after.some((now, i) => now?.height !== before[i]?.height || now?.alarms !== before[i]?.alarms)
  const heights = await heightsOf(page)
  const differing = heights.filter(({ height }, i) => height !== heightsBefore[i]?.height).map(({ name }) => name)
  const changes = parts.flatMap(({ name }, i): Change[] => {
    const [then, now] = [before[i]!, after[i]]
    if (!now) return [{ what: `“${name}” is gone` }]
    if (!now.isOpen) return [{ what: `“${name}” closed` }]
    const hasMoved = then.isInWindow && !mayMove && Math.abs(now.top - then.top) > 2
    const more = ` from ${then.top} to ${now.top} px, as others changed their height: ${differing.join(', ')}`
    return hasMoved ? [{ what: `“${name}” moved`, more }] : []
  })
  return hasFocus ? changes : [...changes, { what: 'the focus was lost', more: `, last in “${parts.at(-1)!.name}”` }]
}

/**
 * Opens all parts of a view, those inside others too, without those whose names are in `known`. Returns the names of those there were,
 * how many were opened, and what changed by itself.
 */
async function walk(
  page: Page,
  known: ReadonlySet<string>,
): Promise<{ names: string[]; opened: number; changes: Change[] }> {
  const names: string[] = []
  const together: Part[] = []
  const alone: Part[] = []
  // What an earlier round marked.
  await page.locator('[data-walk]').evaluateAll((openers) => {
    for (const opener of openers) opener.removeAttribute('data-walk')
  })
  let mark = 0
  for (let parts; (parts = await closedParts(page, mark)).length > 0; mark += parts.length) {
    names.push(...parts.map(({ name }) => name))
    for (const part of parts.filter(({ name }) => !known.has(name))) {
      await press(page, part)
      await nextTasks(page)
      if (!(await isAlone(page))) together.push(part)
      else {
        alone.push(part)
        await close(page, part)
      }
    }
  }
  await turns(page)
  // One part may close another, as a choice of one does.
  const open: Part[] = []
  for (const part of together) if (await isOpen(page, part)) open.push(part)
  alone.push(...together.filter((part) => !open.includes(part)))
  const changes: Change[] = []
  for (let unseen = open; unseen.length > 0;) {
    await page.locator(`[data-walk="${unseen[0]!.mark}"]`).evaluateAll(([opener]) => opener?.scrollIntoView())
    await nextTasks(page)
    const states = await statesOf(page, unseen)
    // The first has now been looked at, wherever it is.
    unseen = unseen.filter((_, i) => i > 0 && states[i]?.isInWindow === false)
    changes.push(...(await changesWhileOpen(page, open)))
  }
  for (const part of open.toReversed()) await close(page, part)

  let opened = open.length
  for (const part of alone) {
    const [state] = await statesOf(page, [part])
    if (!state?.isShown) continue
    await press(page, part)
    await turns(page)
    opened++
    if (await isOpen(page, part)) changes.push(...(await changesWhileOpen(page, [part])))
    else changes.push({ what: `“${part.name}” did not open` })
    await close(page, part)
  }
  return { names, opened, changes }
}

const sentence = ({ what, more = '' }: Change) => what + more

/** Names of the parts that were opened. */
const known = new Set<string>()

it.each(['household', 'coding', 'desktop'] as const)('leaves alone whatever is opened: %s', async (world) => {
  const page = await pages.open()
  await withoutRecordings(page)
  // Such an iteration takes about half a second: a shorter one leaves the page little time between two drawings.
  const settings = { world, tasksPerIteration: 4, taskPoolSize: 8, evaluateEvery: 5, evaluationTasks: 2 }
  const link = await smallLink(settings, 'auto', MOST_ITERATIONS)
  await page.goto(new URL(link, inject('pageAddress')).href)
  await openView(page, 'loop')
  await page.getByRole('button', { name: 'Run', exact: true }).click()
  await reachIteration(page, 3)

  const minutes = Number(process.env.LIVE_MINUTES ?? 0)
  const end = Date.now() + minutes * 60_000
  const isFirst = known.size === 0
  const found: string[] = []
  let opened = 0
  do {
    for (const view of LIVE) {
      await openView(page, view)
      await turns(page)
      const round = await walk(page, known)
      let { changes } = round
      if (minutes === 0 && changes.length > 0) {
        // A busy machine measures what belongs together at different moments, so only what a second walk finds too counts.
        process.stdout.write(`${world}, ${view}, once: ${changes.map(sentence).join('; ')}\n`)
        const before = new Set(changes.map(({ what }) => what))
        changes = (await walk(page, known)).changes.filter(({ what }) => before.has(what))
      }
      if (minutes === 0) for (const name of round.names) known.add(name)
      opened += round.opened
      found.push(...changes.map((change) => `${view}: ${sentence(change)}`))
    }
  } while (Date.now() < end)
  process.stdout.write(`${world}: opened ${opened} parts, until iteration ${await iteration(page)}\n`)
  expect(opened).toBeGreaterThan(minutes > 0 || isFirst ? 30 : 5)
  expect(found, found.join('; ')).toEqual([])
})
