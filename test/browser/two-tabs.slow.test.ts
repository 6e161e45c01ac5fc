/** Two real tabs and one kept run: they race for it, are reloaded and closed, and its log stays whole. */
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { parseRunLog } from '../../src/runs/run-log.ts'
import { pressDownload } from './controls.ts'
import { downloaded } from './harness.ts'
import { makeSmall, reach } from './small-run.ts'
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
  expect(log.map(({ seq }) => seq)).toEqual(log.map((_, place) => place))
  const finished = log.filter(({ type }) => type === 'iteration-finished').map(({ iteration }) => iteration)
  expect(finished).toEqual(Array.from({ length: finished.length }, (_, i) => i + 1))
})
