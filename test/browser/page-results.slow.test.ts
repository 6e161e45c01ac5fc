/** The view of results: tables beside the paper's numbers, claims that hold and that do not, and the map. */
import type { Page } from 'playwright-core'
import { beforeEach, describe, expect, inject, it } from 'vitest'
import { fakeRunLines } from '../playground/fake-run.ts'
import { madeUpCell, madeUpResults, madeUpRow } from '../results/made-up-results.ts'
import { usePages } from './harness.ts'
import { serveMadeUpRuns } from './made-up-runs.ts'
import { goTo } from './views.ts'

const pages = usePages()
let page: Page

const MAP = madeUpResults({
  table: 'map',
  title: 'The map',
  rows: [madeUpRow({ id: 'full_0.2', preset: 'household+full', settings: { voteFlips: 0.2, lambda: 2 } })],
  claims: [],
  map: [
    madeUpCell({ row: 'full_0.2', voteFlips: 0.2, lambda: 2 }),
    madeUpCell({ row: 'full_0.2', voteFlips: 0.2, lambda: 2, over: 'frozen-judge', gain: null }),
  ],
})

async function serveResults(files: Record<string, unknown>): Promise<void> {
  await page.route('**/results/*.json', (route) => {
    const name = new URL(route.request().url()).pathname.split('/').at(-1)!
    return Object.hasOwn(files, name) ? route.fulfill({ json: files[name] }) : route.fulfill({ status: 404 })
  })
}

beforeEach(async () => {
  page = await pages.open()
  await serveMadeUpRuns(page)
  await page.route('**/runs/household-full.jsonl.gz', (route) =>
    route.fulfill({ body: fakeRunLines({ iterations: 5 }) }),
  )
})

describe('the view of results', () => {
  it("shows values beside the paper's, and what holds beside what does not", async () => {
    await serveResults({ 'index.json': { tables: ['household'] }, 'household.json': madeUpResults() })
    await page.goto(new URL('#results', inject('pageAddress')).href)
    const full = page.getByRole('row', { name: /^Full loop/ })
    await full.getByText('60.0 ± 2.5 %').waitFor()
    await full.getByText('paper 60.2 %').waitFor()
    const claims = page.getByRole('list', { name: 'Household: Table 1, claims' }).getByRole('listitem')
    expect(await claims.allInnerTexts()).toEqual([
      expect.stringMatching(/The full loop gains 15 points: holds, \+20\.0 points/) as string,
      expect.stringMatching(/GRPO above the full loop: does not hold, −10\.5 points/) as string,
    ])
    const parts = page.getByRole('table', { name: 'What each part adds' })
    await parts.getByRole('row', { name: /^All together in distribution: \+20\.0, from .*, paper \+21\.2\./ }).waitFor()
    await page.getByText(/^Means ± 95 % intervals over \d+ seeds$/).click()
    await page.getByText('commit abc1234').waitFor()
    await page.getByText('npm run experiments -- paper', { exact: true }).waitFor()
    await page.getByText('--table coding', { exact: true }).waitFor()
  })

  it('opens the table of the world that is chosen', async () => {
    const coding = madeUpResults({
      table: 'coding',
      title: 'Coding: Table 1',
      rows: [madeUpRow({ id: 'full', preset: 'coding+full' })],
      claims: [],
    })
    const tables = ['household', 'coding']
    await serveResults({ 'index.json': { tables }, 'household.json': madeUpResults(), 'coding.json': coding })
    await page.goto(inject('pageAddress'))
    await page.getByRole('radio', { name: 'Coding', exact: true }).check()
    await goTo(page, 'Results')
    await page.locator('details[aria-labelledby="results-coding"][open]').waitFor()
    expect(await page.locator('details[aria-labelledby="results-household"][open]').count()).toBe(0)
  })

  it('opens the recorded run of an arm, and puts its settings on the controls', async () => {
    await serveResults({ 'index.json': { tables: ['household'] }, 'household.json': madeUpResults() })
    await page.goto(new URL('#results', inject('pageAddress')).href)
    // The news is in sight of the button, also in a low window.
    for (const width of [1280, 400]) {
      await page.setViewportSize({ width, height: 480 })
      await page.getByRole('button', { name: 'Run this here: GRPO' }).click()
      const news = page.getByText('The settings of “GRPO” are on the controls. Press Run to start.')
      await news.waitFor()
      const isOnTop = (element: Element) => {
        const { left, top, width: across, height } = element.getBoundingClientRect()
        return document.elementFromPoint(left + across / 2, top + height / 2) === element
      }
      await expect.poll(() => news.evaluate(isOnTop)).toBe(true)
    }
    await page.setViewportSize({ width: 1280, height: 800 })
    await page.getByRole('button', { name: 'Open a run: Full loop' }).click()
    await page.getByText('Iteration 5 of 5').waitFor()
    await expect.poll(() => page.locator('nav [aria-current=page]').innerText()).toBe('Loop')
  })

  it('draws the map, whose cells tell their interval and lead to a run', async () => {
    await serveResults({ 'index.json': { tables: ['map'] }, 'map.json': MAP })
    await page.goto(new URL('#loop', inject('pageAddress')).href)
    await page.getByText(/^Iteration \d+ of \d+$/).waitFor()
    await goTo(page, 'Results')
    const cell = page.getByRole('button', { name: /^Start weak, λ = 2, ε = 0\.2: \+5\.0 points \(\+1\.0 to \+9\.0\)/ })
    await cell.focus()
    await page.getByText(/^Start weak, λ = 2, ε = 0\.2/).waitFor()
    await page.getByRole('button', { name: 'Run this here', exact: true }).click()
    await expect.poll(() => page.getByRole('textbox', { name: /^λ, weight/ }).inputValue()).toBe('2')
    await page.getByRole('radio', { name: 'a frozen judge' }).check()
    await page.getByRole('button', { name: /ε = 0\.2: nothing was measured/ }).waitFor()
  })

  it('says when results cannot be loaded, and tries again', async () => {
    await serveResults({})
    await page.goto(new URL('#results', inject('pageAddress')).href)
    await page.getByText('index.json answered with status 404').waitFor()
    await page.unroute('**/results/*.json')
    await serveResults({ 'index.json': { tables: [] } })
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByText('npm run experiments -- paper', { exact: true }).waitFor()
    await page.getByText('--table household', { exact: true }).waitFor()
  })
})
