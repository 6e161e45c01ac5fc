/** What survives a visit: a run continues where the page was closed, and its log is exported and imported. */
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import type { Settings } from '../../src/method/settings.ts'
import { parseRunLog } from '../../src/runs/run-log.ts'
import { fakeRunLines } from '../playground/fake-run.ts'
import { openSettings, pressDownload, runOnShow } from './controls.ts'
import { downloaded } from './harness.ts'
import { madeUpArchive } from './made-up-runs.ts'
import { makeSmall, pressStep, reach } from './small-run.ts'
import { useTabs } from './tabs.ts'
import { goTo } from './views.ts'

const visit = useTabs()

const file = (text: string) => ({ name: 'mine.jsonl', mimeType: 'application/jsonl', buffer: Buffer.from(text) })

describe('a run whose page was closed', () => {
  it('is offered in a tab that was open before and continues, with its log', async () => {
    const [first, second] = [await visit(), await visit()]
    await makeSmall(first)
    await first.getByRole('button', { name: 'Run', exact: true }).click()
    await reach(first, 3)
    expect(await second.getByRole('region', { name: 'Unfinished run' }).count()).toBe(0)
    await first.close()

    const resume = second.getByRole('button', { name: /^Resume the run from iteration \d+$/ })
    await resume.waitFor()
    const from = Number(/\d+$/.exec((await resume.textContent())!)![0])
    expect(from).toBeGreaterThanOrEqual(3)
    await resume.click()
    await reach(second, from + 1)
    await openSettings(second)
    expect(await second.getByRole('textbox', { name: /^G, rollouts/ }).inputValue()).toBe('2')

    await second.getByRole('button', { name: 'Pause', exact: true }).click()
    await second.getByText('Paused', { exact: true }).first().waitFor()
    const downloading = second.waitForEvent('download')
    await pressDownload(second)
    const text = String(await downloaded(await downloading))
    const log = parseRunLog(text)
    expect(log[0]!.type).toBe('run-started')
    const finished = log.filter((event) => event.type === 'iteration-finished').map((event) => event.iteration)
    expect(finished).toEqual(Array.from({ length: finished.length }, (_, i) => i + 1))
    expect(finished.length).toBeGreaterThan(from)
    const versions = log.flatMap((event) =>
      event.type === 'model-updated' && event.role === 'policy' ? [event.version] : [],
    )
    expect(versions).toEqual(versions.map((_, i) => versions[0]! + i))

    await second.getByLabel('Run log').setInputFiles(file(text))
    await runOnShow(second).getByText('Run from a file').waitFor()
    expect(await reach(second, finished.length)).toBe(finished.length)
  })

  it('is offered after a single step too', async () => {
    const first = await visit()
    await makeSmall(first)
    await first.getByRole('button', { name: 'Step', exact: true }).click()
    await first.getByText('Paused', { exact: true }).first().waitFor()
    await first.close()
    const second = await visit()
    await second.getByRole('button', { name: 'Resume the run from iteration 2', exact: true }).waitFor()
  })

  it('is deleted when you discard it', async () => {
    const first = await visit()
    await makeSmall(first)
    await first.getByRole('button', { name: 'Run', exact: true }).click()
    await reach(first, 3)
    await first.close()
    const second = await visit()
    const offer = second.getByRole('region', { name: 'Unfinished run' })
    await offer.getByRole('button', { name: 'Discard' }).click()
    await offer.getByText('Delete this run permanently?').waitFor()
    await offer.getByRole('button', { name: 'Delete permanently' }).click()
    await offer.waitFor({ state: 'detached' })
    const third = await visit()
    await goTo(third, 'Runs')
    await third.getByText('runs in this browser yet').waitFor()
    expect(await third.getByRole('region', { name: 'Unfinished run' }).count()).toBe(0)
  })
})

describe('a stopped run', () => {
  it('is resumed from its card, which keeps the focus', async () => {
    const page = await visit()
    await makeSmall(page)
    await pressStep(page)
    await page.getByRole('button', { name: 'Stop', exact: true }).click()
    await goTo(page, 'Runs')
    const card = page.getByRole('region', { name: 'Runs', exact: true }).getByRole('listitem')
    await card.getByRole('button', { name: 'Resume', exact: true }).click()
    await card.getByText('running', { exact: true }).waitFor()
    expect(await card.getByRole('checkbox').evaluate((box) => box === document.activeElement)).toBe(true)
    await goTo(page, 'Loop')
    await reach(page, 2)
  })
})

describe('a run log', () => {
  it('is shown when you drop it on the page', async () => {
    const page = await visit()
    const text = fakeRunLines({ iterations: 3 })
    await page.evaluate((text) => {
      const dataTransfer = new DataTransfer()
      dataTransfer.items.add(new File([text], 'mine.jsonl'))
      window.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }))
    }, text)
    await runOnShow(page).getByText('Run from a file').waitFor()
    await reach(page, 3)
  })

  it('is refused with the line number if it is damaged', async () => {
    const page = await visit()
    const lines = fakeRunLines({ iterations: 1 }).split('\n')
    lines[4] = lines[4]!.slice(0, 20)
    await page.getByLabel('Run log').setInputFiles(file(lines.join('\n')))
    await page.getByRole('alert').getByText('Run log, line 5: it is not JSON.').waitFor()
    await page.getByRole('button', { name: 'Dismiss' }).click()
    await page.getByRole('alert').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Run', exact: true }).waitFor()
  })

  it('is refused with a remedy if it ends in the middle of a line', async () => {
    const page = await visit()
    await page.getByLabel('Run log').setInputFiles(file(fakeRunLines({ iterations: 1 }).slice(0, -30)))
    await page.getByRole('alert').getByText('it is incomplete.').waitFor()
  })
})

/** Imports a run as the only one with its settings, and ticks it for the comparison. */
async function importAndTick(page: Page, settings: Partial<Settings>): Promise<void> {
  const boxes = page.getByRole('checkbox', { name: /^Compare / })
  const before = await boxes.count()
  const buffer = await madeUpArchive(settings)
  await page.getByLabel('Exported run').setInputFiles({ name: 'run.zip', mimeType: 'application/zip', buffer })
  await expect.poll(() => boxes.count()).toBe(before + 1)
  for (const box of await boxes.all()) await box.check()
}

describe('compared runs', () => {
  it('of one arm get a band from three seeds, and say how many they are', async () => {
    const page = await visit()
    await goTo(page, 'Runs')
    const header = (name: string) =>
      page.getByRole('region', { name: 'Comparison of runs' }).getByRole('columnheader', { name, exact: true })
    const chart = page.getByRole('img', { name: /^Policy accuracy/ })
    await importAndTick(page, { seed: 1 })
    await importAndTick(page, { seed: 2 })
    await header('A 2 seeds').waitFor()
    await expect.poll(() => chart.locator('.seed').count()).toBe(2)
    expect(await chart.locator('.band').count()).toBe(0)
    await importAndTick(page, { seed: 3 })
    await header('A 3 seeds').waitFor()
    await expect.poll(() => chart.locator('.seed').count()).toBe(3)
    const band = (await chart.locator('.band').boundingBox())!
    expect(Math.min(band.width, band.height)).toBeGreaterThan(0)
  })

  it('have the numbers of their runs, however smooth their curves are', async () => {
    const page = await visit()
    await goTo(page, 'Runs')
    await importAndTick(page, { lambda: 0.5 })
    const figure = page.getByRole('figure', { name: /^Policy accuracy/ })
    const line = figure.locator('path.other')
    const [rough, before] = [await line.getAttribute('d'), await figure.getByRole('listitem').allInnerTexts()]
    expect(before.at(-1)).toMatch(/^Run A\s+\d/)
    await page.getByRole('slider', { name: 'Smoothing' }).fill('0.95')
    await expect.poll(() => line.getAttribute('d')).not.toBe(rough)
    expect(await figure.getByRole('listitem').allInnerTexts()).toEqual(before)
  })

  it('keep the names of their rows in sight on a phone', async () => {
    const page = await visit()
    await page.setViewportSize({ width: 390, height: 844 })
    await goTo(page, 'Runs')
    for (const lambda of [0, 0.5, 1, 2]) await importAndTick(page, { lambda })
    const table = page.getByRole('region', { name: 'Comparison of runs' })
    const row = table.getByRole('row', { name: /^Policy, in distribution \d/ })
    await row.getByRole('cell').nth(3).waitFor()
    await table.evaluate((element) => element.scrollTo(element.scrollWidth, 0))
    const name = (await row.getByRole('rowheader').boundingBox())!
    const last = (await row.getByRole('cell').last().boundingBox())!
    expect(name.x, 'the name').toBeGreaterThanOrEqual(0)
    expect(last.x, 'right of the name').toBeGreaterThanOrEqual(name.x + name.width - 1)
    expect(last.x + last.width).toBeLessThanOrEqual(390)
  })
})
