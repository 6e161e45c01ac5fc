/** Kept runs: a link repeats a run, a zip restores the page; branches, seeds, scrubbing. */
import type { Locator, BrowserContext, Page } from 'playwright-core'
import { describe, expect, inject, it } from 'vitest'
import { parseRunLog } from '../../src/runs/run-log.ts'
import { openSettings, pressDownload } from './controls.ts'
import { downloaded, usePages } from './harness.ts'
import { axeViolations } from './looks.ts'
import { withoutRecordings } from './made-up-runs.ts'
import { settledText } from './settled.ts'
import { makeSmall } from './small-run.ts'
import { goTo } from './views.ts'

const pages = usePages()

/** A first visit with its own storage. */
async function visit(address = '#loop', viewport = { width: 1280, height: 900 }): Promise<Page> {
  const context = await pages.newContext({ viewport })
  await withoutRecordings(context)
  return open(context, address)
}

async function open(context: BrowserContext, address = '#loop'): Promise<Page> {
  const page = await pages.open(context)
  await page.goto(new URL(address, inject('pageAddress')).href)
  await page.getByRole('button', { name: 'Run', exact: true }).waitFor()
  return page
}

const runs = (page: Page) => page.getByRole('region', { name: 'Runs', exact: true })
const cards = (page: Page) => runs(page).getByRole('listitem')

async function setIterations(page: Page, iterations: number): Promise<void> {
  await openSettings(page)
  const field = page.getByRole('spinbutton', { name: 'Iterations of the next run' })
  await field.fill(String(iterations))
  await field.press('Enter')
  await goTo(page, 'Runs')
}

async function setLambda(page: Page, value: number): Promise<void> {
  const field = page.getByRole('textbox', { name: /^λ, weight/ })
  await field.fill(String(value))
  await field.press('Enter')
}

async function runToEnd(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Run', exact: true }).click()
  await page.getByText('Finished', { exact: true }).first().waitFor({ timeout: 180_000 })
}

/** Takes screenshots, wide and narrow, light and dark. */
async function photograph(page: Page, name: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    for (const width of [1440, 360]) {
      await page.setViewportSize({ width, height: 900 })
      await page.screenshot({
        path: `${process.env['SCREENSHOTS']}/${name}-${colorScheme}-${width}.png`,
        fullPage: true,
      })
    }
  }
  await page.setViewportSize({ width: 1280, height: 900 })
}

/** The downloaded log of the live run, without its unique run id. */
async function logOf(page: Page): Promise<object[]> {
  const downloading = page.waitForEvent('download')
  await pressDownload(page)
  const log = parseRunLog(String(await downloaded(await downloading)))
  return log.map((event) => (event.type === 'run-started' ? { ...event, runId: '' } : event))
}

/** The texts that the page shows of a run. */
async function shownText(page: Page): Promise<string[]> {
  // Text of rows outside the viewport would depend on the layout.
  await page.addStyleTag({ content: '* { content-visibility: visible !important }' })
  await goTo(page, 'Loop')
  await page.getByRole('img', { name: /^Policy accuracy/ }).waitFor()
  await settledText(page.getByRole('region', { name: 'Curves' }))
  const charts = await page.getByRole('region', { name: 'Curves' }).getByRole('img').all()
  const labels = await Promise.all(charts.map(async (chart) => (await chart.getAttribute('aria-label')) ?? ''))
  const sections: string[] = []
  for (const [view, name] of [
    ['Loop', 'The loop'],
    ['Episodes', 'Trajectories'],
    ['Tasks', 'Tasks'],
  ] as const) {
    await goTo(page, view)
    sections.push(await settledText(page.getByRole('region', { name, exact: true })))
  }
  return [...labels, ...sections.map((text) => text.replaceAll(/This is a recorded run.*/g, ''))]
}

describe('seeds', () => {
  it('run one after another and show their mean with an interval', async () => {
    const page = await visit()
    await makeSmall(page)
    await setIterations(page, 2)
    await page.getByRole('spinbutton', { name: 'Seeds to run' }).fill('2')
    await page.getByRole('spinbutton', { name: 'Iterations of each of these runs' }).fill('2')
    await page.getByRole('button', { name: 'Run 2 seeds' }).click()
    const table = page.getByRole('region', { name: 'Comparison of runs' })
    await table.getByRole('columnheader', { name: 'A 2 seeds', exact: true }).waitFor({ timeout: 240_000 })
    await expect.poll(() => table.getByText(/^\d+\.\d %, \d+\.\d %$/).count()).toBeGreaterThan(0)
    expect((await cards(page).allInnerTexts()).filter((text) => /seed [01]\b/.test(text)).length).toBe(2)
    await runs(page).getByText('Combine runs that differ only in their seed').click()
    await expect.poll(() => table.getByRole('columnheader').allInnerTexts()).toEqual(['Run', 'A', 'B'])
  })
})

describe('the models of a run', () => {
  it('are downloaded as folders, and play the next run', async () => {
    const page = await visit()
    await makeSmall(page)
    await setIterations(page, 2)
    await runToEnd(page)
    await goTo(page, 'Runs')
    const card = cards(page).first()
    await card.getByRole('button', { name: 'Models…' }).click()
    // The form opens at the last checkpoint that the card knows of, and the run has just ended.
    await card.getByRole('spinbutton').fill('2')
    const downloading = page.waitForEvent('download')
    await card.getByRole('button', { name: 'Download as Hugging Face folders' }).click()
    const zip = String(await downloaded(await downloading))
    for (const file of ['policy/config.json', 'policy/model.safetensors', 'reward/tokenizer_config.json'])
      expect(zip).toContain(file)
    await card.getByRole('button', { name: 'Start from the models of iteration 2' }).click()
    await card.getByText('Your next run starts from the models of iteration 2').waitFor()
    await goTo(page, 'Models')
    await page.getByText('Your next run uses the models chosen here.').waitFor()
    await goTo(page, 'Runs')
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    await expect.poll(() => cards(page).filter({ hasText: '2 of 2 iterations' }).count()).toBe(2)
  })
})

describe('ablations', () => {
  it('run all rows before the second seed, survive closing the page, and form a matrix', async () => {
    const page = await visit()
    await makeSmall(page, { evaluationTasks: 2, evaluateEvery: 2 })
    await setIterations(page, 2)
    await page.getByRole('spinbutton', { name: 'Seeds to run' }).fill('2')
    for (const row of ['Policy, frozen reward model', 'Full loop'])
      await runs(page).getByRole('checkbox', { name: row, exact: true }).check()
    await page.getByRole('button', { name: 'Run 2 ablations × 2 seeds' }).click()
    const queue = page.getByRole('region', { name: 'Queue of runs' })
    await queue.getByText('Now: Policy, frozen reward model, seed 0').waitFor()
    // The queue keeps its settings.
    await setLambda(page, 0.25)
    await queue.getByText('The queue keeps its settings').waitFor()
    await queue.getByText('Now: Policy, frozen reward model, seed 1').waitFor({ timeout: 240_000 })
    const matrix = page.getByRole('region', { name: 'Ablation matrix' })
    const rows = matrix.getByRole('row')
    const rowOf = (of: Locator, name: string) => of.filter({ has: of.page().locator('th', { hasText: name }) })
    await rowOf(rows, 'Full loop').getByText('1 seed', { exact: true }).waitFor()
    const letters = page.getByRole('region', { name: 'Curves' }).locator('svg text.letter')
    await expect.poll(async () => new Set(await letters.allTextContents())).toEqual(new Set(['A', 'B']))
    // The legend has the values of every run, also those under the pointer.
    const chart = page.getByRole('figure', { name: 'Policy accuracy', exact: true })
    const valueOf = (run: string) => chart.getByRole('listitem').filter({ hasText: run }).innerText()
    for (const run of ['Run A', 'Run B']) await expect.poll(() => valueOf(run)).toMatch(/\d %$/)
    await chart.getByRole('img').hover({ position: { x: 20, y: 60 } })
    await chart.locator('text.at', { hasText: /^0$/ }).waitFor()
    await expect.poll(() => valueOf('Run A')).toMatch(/\d %$/)
    const context = page.context()
    await page.close()

    const later = await open(context, '#runs')
    const offer = later.getByRole('region', { name: 'Unfinished queue of runs' })
    await offer.getByText('2 of 4 runs done').waitFor()
    await offer.getByRole('button', { name: 'Resume queue' }).click()
    await runs(later).getByText('The queue is done: 4 runs.').waitFor({ timeout: 240_000 })
    const lines = later.getByRole('region', { name: 'Ablation matrix' }).getByRole('row')
    await rowOf(lines, 'Policy, frozen reward model').getByText('2 seeds', { exact: true }).waitFor()
    // Two seeds say too little for an interval.
    await expect.poll(() => rowOf(lines, 'Full loop').innerText()).toMatch(/2 seeds[^]*\d+\.\d %/)
    expect(await rowOf(lines, 'Full loop').innerText()).not.toContain('±')
    expect((await lines.first().innerText()).split(/\s*\t\s*/)).toEqual([
      'Row',
      'In distribution',
      'Out of distribution',
      'Reward model, balanced',
      'Training steps, process',
      'Accepted tasks',
      'Rollouts',
    ])
    const [policy] = await rowOf(lines, 'Policy, frozen reward model').allInnerTexts()
    expect(policy).toContain('no interval: fewer than three seeds')
    // Each run has the λ of its start, although the controls had another.
    for (const name of await cards(later).locator('.name').allInnerTexts()) expect(name).not.toContain('λ')
    if (process.env['SCREENSHOTS']) await photograph(later, 'ablations')
  })
})

describe('a link', () => {
  it('repeats the run elsewhere, event by event', async () => {
    const first = await visit()
    await makeSmall(first)
    await setLambda(first, 0.5)
    await setIterations(first, 2)
    await first.getByRole('button', { name: 'Link…' }).click()
    const field = first.getByRole('textbox', { name: 'Link to this configuration' })
    const link = await field.inputValue()
    await expect.poll(() => first.url()).toBe(`${link}&view=runs`)
    await first.keyboard.press('Escape')
    await runToEnd(first)

    const second = await visit(link)
    await openSettings(second)
    expect(await second.getByRole('textbox', { name: /^G, rollouts/ }).inputValue()).toBe('2')
    await goTo(second, 'Runs')
    expect(await second.getByRole('spinbutton', { name: 'Iterations of the next run' }).inputValue()).toBe('2')
    await runToEnd(second)
    const [one, other] = [await logOf(first), await logOf(second)]
    expect(one.length).toBeGreaterThan(20)
    expect(other).toEqual(one)
  })

  it('shows only what a lesson needs, until you show everything', async () => {
    const page = await visit('#hide=tasks,policyTemperature,world&view=games')
    await page.getByRole('heading', { name: 'Games', exact: true }).waitFor()
    await page.getByText('This link hides parts of the page.').waitFor()
    const tasks = page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name: 'Tasks' })
    expect(await tasks.count()).toBe(0)
    await openSettings(page)
    expect(await page.getByRole('textbox', { name: 'Policy temperature' }).count()).toBe(0)
    await page.getByRole('button', { name: 'Link…' }).click()
    await page.getByText('What the link shows').click()
    expect(await page.getByRole('checkbox', { name: 'Tasks', exact: true }).isChecked()).toBe(false)
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Show everything' }).click()
    await tasks.waitFor()
    await page.getByRole('textbox', { name: 'Policy temperature' }).waitFor()
  })

  it('reports damage and leaves the page unchanged', async () => {
    const page = await visit('#v1.q1YqSy0qzszPU7JSS')
    await page.getByRole('alert').getByText('The configuration in the link is damaged or cut short.').waitFor()
    expect(await page.getByRole('textbox', { name: /^λ, weight/ }).inputValue()).toBe('1')
    await page.getByRole('button', { name: 'Dismiss' }).click()
    expect(await page.getByRole('alert').count()).toBe(0)
    await page.getByRole('button', { name: 'Run', exact: true }).waitFor()
  })
})

describe('a kept run', () => {
  it('is exported and imported unchanged; scrubs, branches, compares and is deleted', async () => {
    const page = await visit()
    await makeSmall(page)
    await setIterations(page, 4)
    await runToEnd(page)
    const card = cards(page).first()
    await card.getByText('4 of 4 iterations').waitFor()

    await card.getByRole('button', { name: 'Open' }).click()
    await card.getByText('shown').waitFor()
    const scrubber = page.getByRole('slider', { name: 'Iteration of the run on show' })
    expect(await scrubber.inputValue()).toBe('4')
    const before = await shownText(page)
    expect(before[0]).toContain('(iterations 1 to 4)')
    await scrubber.fill('2')
    await expect.poll(async () => (await shownText(page))[0]).toContain('(iterations 1 to 2)')
    const atTwo = await shownText(page)
    await scrubber.fill('4')
    await expect.poll(() => shownText(page)).toEqual(before)

    // Computing time is not in the log but kept with the run.
    await goTo(page, 'Runs')
    const curves = page.getByRole('region', { name: 'Curves' })
    await curves.getByRole('combobox', { name: 'Curves over' }).selectOption('Computing time')
    await curves.locator('svg text', { hasText: 'Computing time' }).first().waitFor()
    await curves
      .locator('svg text', { hasText: /^[\d.]+ s$/ })
      .first()
      .waitFor()
    await curves.getByRole('combobox', { name: 'Curves over' }).selectOption('Iteration')

    const downloading = page.waitForEvent('download')
    await goTo(page, 'Runs')
    await card.getByRole('button', { name: 'Export' }).click()
    const download = await downloading
    expect(download.suggestedFilename()).toMatch(/^run-.*\.zip$/)
    const elsewhere = await visit()
    await goTo(elsewhere, 'Runs')
    await elsewhere.getByLabel('Exported run').setInputFiles({
      name: 'mine.zip',
      mimeType: 'application/zip',
      buffer: await downloaded(download),
    })
    await cards(elsewhere).first().getByText('imported from mine.zip').waitFor()
    await expect.poll(() => shownText(elsewhere)).toEqual(before)
    await elsewhere.getByRole('slider', { name: 'Iteration of the run on show' }).fill('2')
    await expect.poll(() => shownText(elsewhere)).toEqual(atTwo)
    // Dropped on another view, it is recognised by its content.
    await goTo(elsewhere, 'Loop')
    const zip = (await downloaded(download)).toString('base64')
    const dataTransfer = await elsewhere.evaluateHandle((text) => {
      const transfer = new DataTransfer()
      transfer.items.add(new File([Uint8Array.from(atob(text), (byte) => byte.charCodeAt(0))], 'dropped.zip'))
      return transfer
    }, zip)
    await elsewhere.locator('body').dispatchEvent('drop', { dataTransfer })
    // The same run again: it is shown, and not kept twice.
    await expect.poll(() => new URL(elsewhere.url()).hash).toMatch(/runs$/)
    await cards(elsewhere).filter({ hasText: 'imported from mine.zip' }).getByText('shown').waitFor()
    expect(await cards(elsewhere).count()).toBe(1)
    await elsewhere.close()

    await setLambda(page, 0.25)
    await card.getByRole('button', { name: 'Branch…' }).click()
    await card.getByRole('spinbutton').fill('3')
    await card.getByText(/Iteration 3 has no checkpoint\. The nearest is 2/).waitFor()
    await card.getByText('λ 0.25').waitFor()
    const seed = page.getByRole('textbox', { name: 'Seed', exact: true })
    await seed.fill('9')
    await seed.press('Enter')
    await card.getByText(/Not applied.*Seed 9: a branch continues the random numbers of its run/).waitFor()
    await card.getByRole('checkbox', { name: 'Reward model: household-reward' }).check()
    await card.getByRole('button', { name: 'Branch after iteration 2' }).click()
    const branch = cards(page).filter({ hasText: 'at iteration 2' })
    await branch.getByText('4 of 4 iterations').waitFor({ timeout: 180_000 })
    await branch.getByText('λ 0.25 from iteration 3').waitFor()
    await branch.getByText('reward model replaced by household-reward from iteration 3').waitFor()
    const letters = page.getByRole('region', { name: 'Curves' }).locator('svg text.letter')
    await expect.poll(() => letters.first().textContent()).toBe('A')

    await branch.getByRole('checkbox').check()
    await page.getByRole('region', { name: 'Comparison of runs' }).getByText('Policy, training').waitFor()
    expect(await axeViolations(page)).toEqual([])
    if (process.env['SCREENSHOTS']) await photograph(page, 'runs')

    // Irreversible actions need confirmation, also by keyboard: Escape returns to the button.
    const curvesOnly = branch.getByRole('button', { name: 'Keep curves only' })
    const focused = () => page.evaluate(() => document.activeElement?.textContent)
    await curvesOnly.press('Enter')
    await expect.poll(focused).toBe('Cancel')
    await page.keyboard.press('Escape')
    await expect.poll(focused).toBe('Keep curves only')
    await curvesOnly.click()
    await branch.getByRole('button', { name: 'Keep only its curves' }).click()
    await branch.getByText('curves only', { exact: true }).waitFor()
    expect(await branch.getByRole('button', { name: 'Open' }).count()).toBe(0)
    // A branch does not depend on its source.
    const source = cards(page).filter({ hasNotText: 'at iteration 2' })
    await source.getByRole('button', { name: 'Delete' }).click()
    await source.getByRole('button', { name: 'Delete permanently' }).click()
    await expect.poll(() => cards(page).count()).toBe(1)
    await branch.waitFor()
  })
})
