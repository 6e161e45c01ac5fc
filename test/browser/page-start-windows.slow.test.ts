/** The first screen and the story in several windows, by Tab and without colours. */
import type { BrowserContextOptions, Locator, Page } from 'playwright-core'
import { expect, inject, it } from 'vitest'
import { usePages } from './harness.ts'
import { sliderOf, stepsOf, verdictSays, wastedStepOf } from './start-screen.ts'

const pages = usePages()
let page: Page

async function visit(options: BrowserContextOptions): Promise<void> {
  page = await pages.open({ reducedMotion: 'reduce', ...options })
  await page.goto(new URL('', inject('pageAddress')).href)
  await steps().first().waitFor()
}

const slider = () => sliderOf(page)
const steps = () => stepsOf(page)
const wasted = () => wastedStepOf(page)
const says = (text: string) => verdictSays(page, text)

/** All of it is in the window, and nothing lies over it. */
const expectInSight = (part: Locator) =>
  expect.poll(() => part.evaluate(isInSight), { message: String(part) }).toBe(true)
function isInSight(element: Element): boolean {
  const { left, right, top, bottom } = element.getBoundingClientRect()
  const at = [top + 2, bottom - 2].map((y) => document.elementFromPoint((left + right) / 2, y))
  return at.every((found) => found !== null && (element.contains(found) || found.contains(element)))
}
const verdict = () => page.getByRole('status').filter({ hasText: 'At λ = 0' })

it.each([
  ['a projector', 1024, 768],
  ['a small window at 150 %', 853, 533],
  ['a phone', 390, 844],
])('shows λ, what it does and the wasted step on %s without scrolling', async (_, width, height) => {
  await visit({ viewport: { width, height } })
  const parts = [slider().locator('..'), verdict(), wasted(), page.getByText('nothing happens', { exact: true })]
  for (const part of parts) await expectInSight(part)
})

it.each([
  [1280, 800],
  // A projector of 1920 × 1080 that enlarges the page to 150 %.
  [1280, 720],
  [390, 844],
])('fits every world into %i × %i pixels: sideways always, downwards where it is wide', async (width, height) => {
  await visit({ viewport: { width, height } })
  for (const world of ['Coding', 'Desktop', 'Household']) {
    await page.getByRole('radio', { name: world, exact: true }).check()
    await page.getByRole('list', { name: /^(Steps of the episode|Programs)/ }).waitFor()
    await page.getByRole('status').filter({ hasText: 'At λ = ' }).waitFor()
    const size = () =>
      page.evaluate(() => {
        const { scrollWidth, scrollHeight } = document.documentElement
        return { scrollWidth, scrollHeight }
      })
    await expect.poll(async () => (await size()).scrollWidth, { message: world }).toBeLessThanOrEqual(width)
    if (width === 1280) await expect.poll(async () => (await size()).scrollHeight, { message: world }).toBeLessThanOrEqual(height) // prettier-ignore
  }
  // The same order, whatever the width: picture, equation, steps, chart.
  const parts = [
    page.getByRole('img', { name: /^The room from above/ }),
    slider(),
    steps().first(),
    page.getByRole('img', { name: /^Held-out accuracy/ }),
  ]
  const tops = await Promise.all(parts.map(async (part) => (await part.boundingBox())!.y))
  if (width === 390) expect(tops).toEqual(tops.toSorted((a, b) => a - b))
})

it('keeps what is chosen and every sign in forced colours', async () => {
  await visit({ forcedColors: 'active' })
  const background = (part: Locator) => part.evaluate((element) => getComputedStyle(element).backgroundColor)
  const world = (name: string) => page.locator('label', { hasText: name })
  expect(await background(world('Household'))).not.toBe(await background(world('Coding')))
  await slider().press('ArrowRight')
  await slider().press('ArrowRight')
  await says('is discouraged')
  expect(await wasted().innerText()).toContain('−')
  expect(await steps().filter({ hasText: 'go to sinkbasin 1' }).innerText()).toContain('+')
})

it.each([
  ['a small phone', 360, 640],
  ['200 % zoom', 640, 450],
])('keeps λ in sight beside the room and beside the wasted step on %s', async (_, width, height) => {
  await visit({ viewport: { width, height } })
  const parts = [slider().locator('..'), verdict(), page.getByText('nothing happens', { exact: true })]
  for (const part of parts) await expectInSight(part)
  await wasted().focus()
  for (const part of [slider().locator('..'), verdict(), wasted()]) await expectInSight(part)
  // The focus goes on below λ, and back, without being covered by it.
  await page.keyboard.press('Shift+Tab')
  await expectInSight(page.locator(':focus'))
  await page.getByRole('button', { name: 'Copy this moment' }).focus()
  await expectInSight(page.locator(':focus'))
})

it.each([
  ['beside', 1280, 800],
  ['below', 1024, 768],
])('reaches the second equation by Tab where it is seen, %s the steps', async (_, width, height) => {
  await visit({ viewport: { width, height } })
  await says('is encouraged')
  await slider().focus()
  const order: string[] = []
  for (let stop = 0; stop < 40 && order.length < 2; stop++) {
    await page.keyboard.press('Tab')
    const part = await page.evaluate(() => document.activeElement!.closest('.compared, .ribbons')?.classList[0] ?? '')
    if (part !== '' && !order.includes(part)) order.push(part)
  }
  expect(order).toEqual(width === 1280 ? ['compared', 'ribbons'] : ['ribbons', 'compared'])
})

it('tells encouraged and discouraged steps apart without colours', async () => {
  await visit({})
  await slider().press('ArrowRight')
  await slider().press('ArrowRight')
  await says('is discouraged')
  const stripes = (part: Locator) => part.evaluate((element) => getComputedStyle(element).backgroundImage)
  expect(await stripes(wasted())).toContain('gradient')
  expect(await stripes(steps().filter({ hasText: 'go to sinkbasin 1' }))).toBe('none')
})

it.each([390, 360])('shows the truth beside the votes without scrolling at %i pixels', async (width) => {
  page = await pages.open({ viewport: { width, height: 844 } })
  await page.goto(new URL('#story-judge', inject('pageAddress')).href)
  await page
    .getByRole('group', { name: /^Only this page knows/ })
    .getByRole('button')
    .first()
    .click()
  const truths = page.getByRole('table').getByRole('button', { name: /^Turn the truth of step/ })
  await truths.first().waitFor()
  const right = await truths.evaluateAll((cells) =>
    Math.max(...cells.map((cell) => cell.getBoundingClientRect().right)),
  )
  expect(right).toBeLessThanOrEqual(width)
})

it('shows the loop of the story on a projector without scrolling or switches', async () => {
  page = await pages.open({ viewport: { width: 1024, height: 768 } })
  await page.goto(new URL('#story-loop', inject('pageAddress')).href)
  const loop = page.locator('.story .figure')
  await loop.getByText('household-policy').waitFor()
  await expectInSight(loop.getByRole('listitem').last())
  expect(await loop.getByRole('switch').count()).toBe(0)
})
