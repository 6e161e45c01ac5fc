/**
 * While a run continues, opens every part of the views that show it, one after another: nothing closes, jumps or loses the focus by
 * itself. `LIVE_MINUTES=5` walks until five minutes have passed; one round otherwise.
 */
import type { Locator, Page } from 'playwright-core'
import { expect, inject, it } from 'vitest'
import type { View } from '../../src/playground/state/views.ts'
import { openView } from './every-view.ts'
import { usePages } from './harness.ts'
import { turns } from './settled.ts'
import { makeSmall } from './small-run.ts'

const pages = usePages()
const LIVE: readonly View[] = ['loop', 'episodes', 'tasks', 'runs']
/** What a person can open. Lists of the browser's own close when the page loses its window, so they are left out. */
const OPENERS =
  'main details:not([open]) > summary, main button[aria-expanded="false"]:enabled, header button[aria-expanded="false"]'

const iteration = async (page: Page) =>
  Number(/Iteration (\d+)/.exec((await page.locator('.sentence-now').textContent()) ?? '')?.[1] ?? 0)

/** Where the opener is, whether it is open, and whether the focus is where it was left. */
const stateOf = (opener: Locator) =>
  opener.evaluate((element) => ({
    top: Math.round(element.getBoundingClientRect().top),
    isOpen: element.matches('details[open] > summary, [aria-expanded="true"]'),
    hasFocus: document.activeElement?.hasAttribute('data-left') ?? false,
  }))

/** What changed by itself while the run did the rest of an iteration and began another. */
async function changesWhileOpen(page: Page, opener: Locator): Promise<string[]> {
  await opener.click()
  await turns(page)
  await page.evaluate(() => {
    for (const element of document.querySelectorAll('[data-left]')) element.removeAttribute('data-left')
    document.activeElement?.setAttribute('data-left', '')
  })
  const before = await stateOf(opener)
  const from = await iteration(page)
  await expect.poll(() => iteration(page), { timeout: 120_000 }).toBeGreaterThanOrEqual(from + 1)
  if ((await opener.count()) === 0) return ['is gone']
  const after = await stateOf(opener)
  return [
    ...(before.isOpen ? [] : ['did not open']),
    ...(before.isOpen && !after.isOpen ? ['closed'] : []),
    ...(before.hasFocus && !after.hasFocus ? ['lost the focus'] : []),
    ...(Math.abs(after.top - before.top) > 2 ? [`moved from ${before.top} to ${after.top} px`] : []),
  ]
}

it('leaves alone whatever is opened', async () => {
  const page = await pages.open()
  await page.route('**/runs/**', (route) => route.fulfill({ status: 404 }))
  await page.goto(new URL('#loop', inject('pageAddress')).href)
  await makeSmall(page, { evaluateEvery: 5, evaluationTasks: 2 })
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Run', exact: true }).click()
  await expect.poll(() => iteration(page)).toBeGreaterThanOrEqual(3)

  const end = Date.now() + Number(process.env.LIVE_MINUTES ?? 0) * 60_000
  const found: string[] = []
  let opened = 0
  do {
    for (const view of LIVE) {
      await openView(page, view)
      await turns(page)
      const openers = await page.locator(OPENERS).all()
      for (const [i, handle] of (await Promise.all(openers.map((each) => each.elementHandle()))).entries()) {
        if (!handle || !(await handle.isVisible())) continue
        await handle.evaluate((element, id) => element.setAttribute('data-walk', id), `${view}-${opened}-${i}`)
        const opener = page.locator(`[data-walk="${view}-${opened}-${i}"]`)
        const name = (await opener.getAttribute('aria-label')) ?? (await opener.innerText())
        for (const change of await changesWhileOpen(page, opener)) found.push(`${view}: “${name}” ${change}`)
        opened++
        await page.keyboard.press('Escape')
        if ((await opener.count()) > 0 && (await stateOf(opener)).isOpen) await opener.click()
      }
    }
  } while (Date.now() < end)
  process.stdout.write(`opened ${opened} parts, until iteration ${await iteration(page)}\n`)
  expect(opened).toBeGreaterThan(40)
  expect(found).toEqual([])
})
