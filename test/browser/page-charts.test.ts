/**
 * Accessible charts: in every view with everything opened, each chart has its numbers in its name and in a table, list
 * or grid. Curves are zoomed by dragging and by keys, and found by a regular expression.
 */
import type { Page } from 'playwright-core'
import { describe, expect, inject, it } from 'vitest'
import { VIEWS, type View } from '../../src/playground/state/views.ts'
import { WORLDS } from '../../src/worlds/index.ts'
import { runOnShow } from './controls.ts'
import { usePages } from './harness.ts'
import { openEverything } from './open-everything.ts'
import { goTo } from './views.ts'

const pages = usePages()
let page: Page

async function visit(): Promise<void> {
  page = await pages.open({ reducedMotion: 'reduce' })
  await page.goto(inject('pageAddress'))
  await page.getByRole('img', { name: /^Policy accuracy\. in distribution/ }).waitFor()
}

/** The last element of each view, and its minimum number of charts, by world. */
const ENDS: Record<View, { selector: string; household: number; coding: number; desktop: number }> = {
  start: { selector: '.ribbon', household: 2, coding: 0, desktop: 2 },
  loop: { selector: '#curves-title', household: 9, coding: 10, desktop: 9 },
  episodes: { selector: '#equation', household: 0, coding: 0, desktop: 0 },
  tasks: { selector: '.drift summary', household: 5, coding: 5, desktop: 5 },
  story: { selector: '.story', household: 0, coding: 0, desktop: 0 },
  judge: { selector: '.judge .votes', household: 0, coding: 0, desktop: 0 },
  learn: { selector: '#lessons', household: 0, coding: 0, desktop: 0 },
  theory: { selector: '#theory figure', household: 2, coding: 2, desktop: 2 },
  games: { selector: '#games-title', household: 0, coding: 0, desktop: 0 },
  runs: { selector: '#runs-title', household: 7, coding: 9, desktop: 7 },
  results: { selector: 'section[aria-labelledby="results-title"] .legend', household: 0, coding: 0, desktop: 0 },
  models: { selector: '#models-title', household: 0, coding: 0, desktop: 0 },
  cluster: { selector: '#cluster-title', household: 0, coding: 0, desktop: 0 },
  benchmark: { selector: '#benchmark-title', household: 0, coding: 0, desktop: 0 },
}

/** Charts with values in the current view, and what they lack. A chart without values says so. */
function look(): Promise<{ charts: number; faults: string[] }> {
  return page.evaluate(() => {
    const nameOf = (element: Element): string => {
      const ids = element.getAttribute('aria-labelledby')?.split(' ') ?? []
      const labels = ids.map((id) => document.getElementById(id)?.textContent ?? '')
      return (element.getAttribute('aria-label') ?? labels.join(' ')).trim()
    }
    const VALUES = 'table, ul, ol, dl, [role=grid], [role=tree]'
    const hasNumbers = (text: string | null | undefined) => /\d/.test(text ?? '')
    const isSeen = (element: Element) => (element as HTMLElement).checkVisibility()
    const hasValues = (around: Element | null) =>
      [...(around?.querySelectorAll(VALUES) ?? [])].some((values) => isSeen(values) && hasNumbers(values.textContent))
    const view = document.querySelector('.content')!
    const images = [...view.querySelectorAll('[role=img]')].filter(isSeen)
    const figures = [...view.querySelectorAll('figure')].filter(isSeen)
    const grids = [...view.querySelectorAll('[role=grid], [role=tree]')].filter(isSeen)
    const faults: string[] = []
    const isEmpty = (image: Element) => /No values yet\.$/.test(nameOf(image))
    // Its name says what a picture of a world shows, which may be no number.
    const isScene = (image: Element) => /^The (desktop|room)\b/.test(nameOf(image))
    for (const image of images) {
      const name = nameOf(image)
      if (isEmpty(image) || isScene(image)) continue
      if (!hasNumbers(name)) faults.push(`An image has no numbers in its name: “${name}”`)
      if (!hasValues(image.closest('figure') ?? image.closest('section'))) faults.push(`“${name}” has no table or list`)
    }
    for (const figure of figures) {
      const name = nameOf(figure)
      if (name === '') faults.push(`A figure has no name: ${figure.textContent.slice(0, 60)}`)
      const own = figure.querySelector('[role=img]')
      if (!(own && (isEmpty(own) || isScene(own))) && !hasValues(figure))
        faults.push(`The figure “${name}” has no table or list`)
    }
    for (const grid of grids) {
      const name = nameOf(grid)
      if (name === '') faults.push(`A ${grid.role} has no name: ${grid.textContent.slice(0, 60)}`)
      if (!grid.querySelector('[tabindex="0"]')) faults.push(`No key reaches the ${grid.role} “${name}”`)
    }
    // An image with neither a name nor aria-hidden is inaccessible to screen readers.
    for (const svg of view.querySelectorAll('svg'))
      if (isSeen(svg) && !['img', 'group'].includes(svg.role ?? '') && !svg.closest('[aria-hidden=true]'))
        faults.push(`A picture is neither named nor hidden: ${svg.outerHTML.slice(0, 80)}`)
    for (const animation of document.getAnimations())
      if (animation.playState === 'running')
        faults.push(`Something moves though no motion is wished: ${(animation as CSSAnimation).animationName}`)
    return { charts: images.filter((image) => !isEmpty(image)).length + grids.length, faults }
  })
}

describe('every chart of the page', () => {
  it.each(['household', 'coding', 'desktop'] as const)('has its numbers in words and in rows, in %s', async (world) => {
    await visit()
    if (world !== 'household') await page.getByRole('radio', { name: WORLDS[world].title, exact: true }).check()
    await runOnShow(page).getByText(new RegExp(world, 'i')).waitFor()
    for (const view of Object.keys(VIEWS) as View[]) {
      await goTo(page, VIEWS[view])
      await page.locator(ENDS[view].selector).first().waitFor()
      await openEverything(page)
      await expect.poll(async () => (await look()).charts, { message: view }).toBeGreaterThanOrEqual(ENDS[view][world])
      // The last chart is drawn in a separate task. Real faults remain when it is done.
      await expect.poll(async () => (await look()).faults, { message: view }).toEqual([])
    }
  })
})

describe('the curves', () => {
  const chart = (title: RegExp) => page.getByRole('img', { name: title })
  const from = () => page.getByRole('spinbutton', { name: 'From iteration' })
  const to = () => page.getByRole('spinbutton', { name: 'To iteration' })
  const range = async () => [await from().inputValue(), await to().inputValue()].map(Number)
  const wholeRun = () => page.getByRole('button', { name: 'Whole run' })
  const view = () => page.locator('nav [aria-current=page]').innerText()

  /** Drags over the plot of a chart, from one share of its width to another. */
  async function drag(title: RegExp, start: number, end: number): Promise<void> {
    await chart(title).scrollIntoViewIfNeeded()
    const { x, y, width, height } = (await chart(title).boundingBox())!
    await page.mouse.move(x + start * width, y + height / 2)
    await page.mouse.down()
    await page.mouse.move(x + ((start + end) / 2) * width, y + height / 2)
    await page.mouse.move(x + end * width, y + height / 2)
    await page.mouse.up()
  }
  const iterationsOf = async (title: RegExp) =>
    (/iterations (\d+) to (\d+)/.exec((await chart(title).getAttribute('aria-label')) ?? '') ?? []).slice(1).map(Number)

  it('zoom together by dragging and by keys, and reset; a click still picks an iteration', async () => {
    await visit()
    // The pointer on one chart shows the same iteration in all of them.
    await chart(/^Entropy/).hover()
    const pointed = (title: RegExp) => chart(title).locator('.at').textContent()
    await expect.poll(() => pointed(/^Entropy/)).toMatch(/^\d+$/)
    expect(await pointed(/^KL of the update/)).toBe(await pointed(/^Entropy/))
    await drag(/^Entropy/, 0.9, 0.5)
    await expect.poll(() => wholeRun().isEnabled()).toBe(true)
    const [first, last] = await range()
    expect(first).toBeGreaterThan(5)
    expect(last! - first!).toBeLessThan(25)
    // Evaluations are rare; training metrics are not.
    for (const title of [/^Entropy/, /^KL of the update/, /^Policy-gradient loss/])
      expect(await iterationsOf(title)).toEqual([first, last])
    const ticks = await chart(/^Policy accuracy/)
      .locator('text.tick')
      .allTextContents()
    for (const tick of ticks.filter((text) => /^\d+$/.test(text))) {
      expect(Number(tick)).toBeGreaterThanOrEqual(first!)
      expect(Number(tick)).toBeLessThanOrEqual(last!)
    }
    expect(await view()).toBe('Loop')
    await page.keyboard.press('Escape')
    await expect.poll(range).toEqual([0, 0])
    expect(await wholeRun().isEnabled()).toBe(false)

    await from().fill('4')
    await from().press('Tab')
    expect(await to().inputValue()).toBe('')
    await to().fill('9')
    await to().press('Enter')
    await expect.poll(() => iterationsOf(/^Entropy/)).toEqual([4, 9])
    await to().fill('3')
    await to().press('Enter')
    await page.getByText('The range from 4 to 3 is empty.').waitFor()
    expect(await iterationsOf(/^Entropy/)).toEqual([4, 9])
    await page.getByRole('figure', { name: 'Entropy' }).getByText('Values').click()
    const table = page.getByRole('group', { name: 'Entropy, table' })
    await expect.poll(() => table.getByRole('rowheader').allTextContents()).toEqual(['4', '5', '6', '7', '8', '9'])
    // A range that was refused is forgotten with the next one.
    await drag(/^Entropy/, 0.3, 0.7)
    await expect.poll(() => iterationsOf(/^Entropy/)).not.toEqual([4, 9])
    expect(await page.getByText('is empty.').count()).toBe(0)
    expect(await to().getAttribute('aria-invalid')).toBe('false')
    await to().fill('1')
    await to().press('Enter')
    await page.getByText('is empty.').waitFor()
    await wholeRun().press('Enter')
    await expect.poll(() => page.getByText('is empty.').count()).toBe(0)
    expect(await page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toBe('From iteration')

    await drag(/^Entropy/, 0.3, 0.6)
    await expect.poll(() => wholeRun().isEnabled()).toBe(true)
    await chart(/^Entropy/).dblclick()
    await expect.poll(() => wholeRun().isEnabled()).toBe(false)
    await page.waitForTimeout(400)
    expect(await view()).toBe('Loop')
    await chart(/^Entropy/).click()
    await expect.poll(view).toBe('Episodes')
  })

  it('have a logarithmic scale, and say where a value has no logarithm', async () => {
    await visit()
    const ticks = async (title: RegExp) => (await chart(title).locator('text.tick').allTextContents()).map(Number)
    const note = page.getByText('linear: some values are not above 0')
    expect(await ticks(/^Entropy/)).toContain(0)
    expect(await note.count()).toBe(0)
    await page.getByRole('checkbox', { name: 'Logarithmic' }).check()
    await note.first().waitFor()
    const loss = page.getByRole('figure', { name: 'Policy-gradient loss' })
    expect(await loss.getByText('linear: some values are not above 0').count()).toBe(1)
    const entropy = page.getByRole('figure', { name: 'Entropy' })
    expect(await entropy.getByText('linear: some values are not above 0').count()).toBe(0)
    const [lowest] = await entropy.locator('text.tick[text-anchor="end"]').allTextContents()
    expect(Number(lowest)).toBeGreaterThan(0)
  })

  it('scroll the page on a vertical swipe, and zoom on a horizontal one', async () => {
    await visit()
    await chart(/^Entropy/).scrollIntoViewIfNeeded()
    const finger = await page.context().newCDPSession(page)
    const swipe = async (dx: number, dy: number) => {
      const { x, y, width, height } = (await chart(/^Entropy/).boundingBox())!
      const at = { x: x + 0.6 * width, y: y + height / 2 }
      const points = [0, 0.25, 0.5, 0.75, 1].map((part) => ({ x: at.x + part * dx, y: at.y + part * dy }))
      await finger.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [points[0]!] })
      for (const point of points.slice(1))
        await finger.send('Input.dispatchTouchEvent', { type: 'touchMove', touchPoints: [point] })
      await finger.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] })
    }
    const before = await page.evaluate(() => scrollY)
    // A busy browser may drop a gesture, so each one is repeated until it has its effect.
    await expect
      .poll(async () => {
        await swipe(0, 120)
        return page.evaluate(() => scrollY)
      })
      .toBeLessThan(before - 50)
    expect(await wholeRun().isEnabled()).toBe(false)
    await expect
      .poll(async () => {
        // Vertical swipes that had their effect late may have moved it out of the window.
        await chart(/^Entropy/).scrollIntoViewIfNeeded()
        await swipe(60, 4)
        return wholeRun().isEnabled()
      })
      .toBe(true)
    expect(await view()).toBe('Loop')
  })

  it('include every other series, found by our names and other projects’; invalid expressions are explained', async () => {
    await visit()
    const requested: string[] = []
    page.on('request', (request) => requested.push(request.url()))
    const search = page.getByRole('searchbox', { name: 'More metrics' })
    const region = page.getByRole('region', { name: 'Curves' })
    await search.fill('frac_reward_zero_std|ACTOR/grad')
    await chart(/^policy\/frac_reward_zero_std\. .*\d/).waitFor()
    await chart(/^policy\/grad_norm\. .*iterations 1 to \d/).waitFor()
    expect(requested.some((url) => /MetricSearch/.test(url))).toBe(true)
    await region.getByText(/^2 metrics of \d+ fit/).waitFor()
    await region.getByText('verl: actor/grad_norm').waitFor()
    await drag(/^policy\/grad_norm/, 0.4, 0.8)
    await expect.poll(async () => (await iterationsOf(/^Entropy/)).join()).toBe((await range()).join())
    await expect.poll(async () => (await iterationsOf(/^policy\/frac_reward/)).join()).toBe((await range()).join())

    await search.fill('frac_reward(')
    await region.getByText('“frac_reward(” is not a regular expression: unterminated group.').waitFor()
    expect(await chart(/^policy\/grad_norm\./).count()).toBe(1)
    await search.fill('(a+)+')
    await region.getByText('can take forever').waitFor()

    await search.fill('.')
    await region.getByText(/^\d+ metrics of \d+ fit “\.”; the first 24 are drawn\./).waitFor()
    await expect.poll(() => region.locator('.charts').nth(1).getByRole('img').count()).toBe(24)
    await region.getByRole('button', { name: /^Draw \d+ more$/ }).click()
    await expect.poll(() => region.locator('.charts').nth(1).getByRole('img').count()).toBeGreaterThan(24)
    expect(page.url()).not.toContain('frac_reward')
    await search.fill('')
    await expect.poll(() => region.locator('.charts').count()).toBe(1)
  })
})
