/** Tasks with their lineage, and the drift of the pool, on the recorded and on made-up runs. */
import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import type { BrowserContextOptions, Locator, Page } from 'playwright-core'
import { describe, expect, inject, it } from 'vitest'
import { fakeCodingRunLines } from '../playground/fake-coding-run.ts'
import { fakeRunLines, type FakeRunOptions } from '../playground/fake-run.ts'
import { usePages } from './harness.ts'
import { expectSound } from './looks.ts'
import { expectFreeMainThread } from './free-main-thread.ts'
import { turns } from './settled.ts'
import { goTo } from './views.ts'

const pages = usePages({ isAlone: true })
let page: Page

async function visit(options: BrowserContextOptions = {}): Promise<Locator> {
  page = await pages.open(options)
  await page.goto(inject('pageAddress'))
  await goTo(page, 'Tasks')
  const section = page.getByRole('region', { name: 'Tasks', exact: true })
  await section.getByRole('tree').waitFor()
  return section
}

/** A small pool and a narrow band, so that tasks are rewritten often. */
const OFTEN: FakeRunOptions = { iterations: 40, settings: { taskPoolSize: 4, alphaLow: 0.45, alphaHigh: 0.55 } }

/** Its rewrites are known: a hint that helped, and one that did not after an invalid attempt. */
const FORMER_RUN = gunzipSync(
  readFileSync(new URL('./recordings/household-of-former-models.jsonl.gz', import.meta.url)),
)

const open = (options: FakeRunOptions) => openLog(fakeRunLines(options), options.iterations!)

async function openLog(lines: string, iterations: number): Promise<void> {
  const file = { name: 'made-up.jsonl', mimeType: 'application/jsonl', buffer: Buffer.from(lines) }
  await page.getByLabel('Run log').setInputFiles(file)
  await page.getByText(`Iteration ${iterations} of ${iterations}`).first().waitFor()
}
const scrubTo = (iteration: number) =>
  page.getByRole('slider', { name: 'Iteration of the run on show' }).fill(String(iteration))

describe('the lineage', () => {
  it('shows the rule in numbers, the critic, invalid attempts and changes of a run of earlier models', async () => {
    const section = await visit()
    await openLog(FORMER_RUN.toString(), 30)
    await section.getByRole('checkbox', { name: 'rewritten only' }).check()
    await section.getByText(/^\d+ of 512 tasks$/).waitFor()
    await section.getByRole('searchbox').fill('handtowel in countertop')
    await section.getByRole('button', { name: /put two handtowel in countertop/ }).click()
    await section.getByText(/acc\(q\) < acc\(q['′]\) < αhigh: 0\.125 < 0\.625 < 0\.8/).first().waitFor()
    await section.getByText(/^Critic and/).click()
    await section.getByText(/^nothing happened x62; went to a place seen before x31/).waitFor()
    await section.getByText('A hint says that handtowel 1 is in sinkbasin 1.').waitFor()
    await section.getByText(/From the original\s+\d+ % in words\./).waitFor()
    await section.getByText(/a rewritten task is \d+ % away from the words of its original/).waitFor()
    expect(await section.locator('.diff ins').allTextContents()).toEqual([
      ' Hint: the handtowel 1 is in sinkbasin 1.',
    ])
    await section.getByRole('searchbox').fill('pencil')
    await section.getByRole('button', { name: /pencil in garbagecan/ }).click()
    await section.getByRole('tree').getByRole('treeitem', { name: /rejected/ }).click()
    await section.getByText('acc(q′) > 0 does not hold: acc(q′) = 0').first().waitFor()
    await section.getByText(/^Critic and \d+ attempts$/).click()
    await section.getByText('Attempt 2, invalid').waitFor()
    await section.getByText('There is no shelf to put things in here.').waitFor()
  }) // prettier-ignore

  it('is navigated by keyboard', async () => {
    const section = await visit()
    await open(OFTEN)
    const items = section.getByRole('treeitem')
    await expect.poll(() => items.count()).toBeGreaterThan(10)
    const focused = () => page.evaluate(() => document.activeElement?.textContent?.trim().split('\n')[0] ?? '')
    await section.locator('[role="treeitem"][tabindex="0"]').focus()
    await page.keyboard.press('Home')
    await expect.poll(focused).toMatch(/^Original/)
    await page.keyboard.press('ArrowDown')
    await expect.poll(focused).toMatch(/^Iteration \d+, (harder|easier)/)
    expect(await section.getByRole('treeitem', { selected: true }).count()).toBe(1)
    const iteration = /^Iteration (\d+)/.exec(await focused())![1]!
    await section.getByRole('heading', { name: new RegExp(`in iteration ${iteration}\\b`) }).waitFor()
    const all = await items.count()
    await page.keyboard.press('Home')
    await page.keyboard.press('ArrowLeft')
    await expect.poll(() => items.count()).toBe(1)
    expect(await items.first().getAttribute('aria-expanded')).toBe('false')
    await page.keyboard.press('ArrowRight')
    await expect.poll(() => items.count()).toBe(all)
    await page.keyboard.press('End')
    await expect.poll(focused).toMatch(/^Iteration \d+/)
  })

  it('is also a complete table', async () => {
    const section = await visit()
    await open(OFTEN)
    // The tree and its table follow the log in a separate task.
    await expect.poll(() => section.getByRole('treeitem').count()).toBeGreaterThan(10)
    await section.getByText('Rewrites as a table').click()
    const table = section.getByRole('region', { name: 'Rewrites, table' })
    // The tree follows the log in a separate task. The table has a row for every node except the original, and a header.
    await expect.poll(async () => (await table.getByRole('row').count()) - (await section.getByRole('treeitem').count())).toBe(0)
    await table.getByRole('cell', { name: /^α_low\s*<\s*acc\(q['′]\)\s*<\s*acc\(q\).*: [\d.]+ < [\d.]+ < [\d.]+$/ }).first().waitFor()
  }) // prettier-ignore
})

describe('the pool', () => {
  it('follows the scrubber with tree, charts and kinds', async () => {
    const section = await visit()
    await open(OFTEN)
    await section.getByText('Charts of the drift').click()
    const accepted = section.getByRole('img', { name: /^Accepted tasks\./ })
    await expect.poll(() => accepted.getAttribute('aria-label')).toMatch(/\(iterations 0 to 40\)/)
    // The tree follows in separate tasks; until then it shows a task of the recorded run.
    let late = 0
    await expect
      .poll(async () => {
        const before = late
        await turns(page)
        late = await section.getByRole('treeitem').count()
        return late === before
      })
      .toBe(true)
    await scrubTo(10)
    await expect.poll(() => accepted.getAttribute('aria-label')).toMatch(/\(iterations 0 to 10\)/)
    await section.getByText(/^After iteration 10, /).waitFor()
    await expect.poll(() => section.getByRole('treeitem').count()).toBeLessThan(late)
    await scrubTo(0)
    await section.getByText('After iteration 0, the pool is unchanged.').waitFor()
    await expect.poll(() => section.getByRole('treeitem').count()).toBe(1)
  })

  it('shows the thresholds of the alarm, which fires if the mix of kinds changed', async () => {
    const section = await visit()
    await section.getByText(/^After iteration 40, .* away from the words of its original\.$/).waitFor()
    await open(OFTEN)
    await section.getByText('Charts of the drift').click()
    const mix = section.getByRole('img', { name: /^Drift of the kinds\./ })
    await mix.getByText('alarm').waitFor()
    await section.getByText(/The drift alarm rings\.$/).waitFor()
    const kinds = section.getByRole('region', { name: 'Kinds of the pool, table' })
    const shares = await kinds.getByRole('row').evaluateAll((rows) =>
      rows.slice(1).map((row) => [...row.querySelectorAll('td')].slice(0, 2).map((cell) => parseFloat(cell.textContent))),
    ) // prettier-ignore
    for (const column of [0, 1]) expect(shares.reduce((sum, row) => sum + row[column]!, 0)).toBeCloseTo(100, 0)
  })
})

describe('the whole view', () => {
  it('passes axe and fits into 360 pixels', async () => {
    const section = await visit()
    await open(OFTEN)
    await section.getByText('Rewrites as a table').click()
    await section.getByText('Charts of the drift').click()
    await section.getByRole('region', { name: 'Kinds of the pool, table' }).waitFor()
    await expectSound(page, [360])
  })

  it.each([
    [
      'household',
      () => fakeRunLines({ iterations: 500, settings: { groupSize: 2, evaluationsPerStep: 1, maxSteps: 3 } }),
    ],
    ['coding', () => fakeCodingRunLines({ iterations: 500 })],
  ] as const)('never blocks the main thread for 50 ms while you scrub 500 iterations of %s', async (_, log) => {
    await visit()
    await openLog(log(), 500)
    await turns(page)
    const scrub = async () => {
      for (const iteration of [400, 250, 499, 20, 500, 0, 333]) {
        await scrubTo(iteration)
        await turns(page)
      }
    }
    await expectFreeMainThread(pages.browser, page, scrub, 5)
  })
})
