/** Every symbol of an equation is linked both ways to its number and to its place in the picture, by keyboard and by pointer. */
import type { Page } from 'playwright-core'
import { expect, inject, it } from 'vitest'
import { openView } from './every-view.ts'
import { usePages } from './harness.ts'
import { turns } from './settled.ts'

const pages = usePages()
/** Those that take the focus: typeset, or above their numbers. */
const SYMBOLS = 'math [role=button], .symbol-cell'

interface LinkedSymbol {
  name: string
  /** Numbers, cells and segments that light up with its focus. */
  places: number
  /** Whether the pointer on one of these lights up the symbol. */
  isLitBack: boolean
}

function linkedSymbols(page: Page): Promise<LinkedSymbol[]> {
  return page.evaluate(async (selector) => {
    const drawn = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))
    const found: LinkedSymbol[] = []
    for (const symbol of document.querySelectorAll<HTMLElement>(selector)) {
      if (!symbol.checkVisibility()) continue
      symbol.focus()
      await drawn()
      const lit = [...document.querySelectorAll('.lit, .cell.compared')]
      const places = lit.filter((element) => !element.matches('math *, .symbol-cell, span.linked'))
      symbol.blur()
      let isLitBack = false
      for (const place of places) {
        place.dispatchEvent(new PointerEvent('pointerenter'))
        await drawn()
        isLitBack ||= symbol.classList.contains('lit')
        place.dispatchEvent(new PointerEvent('pointerleave'))
      }
      found.push({ name: symbol.ariaLabel ?? symbol.innerText, places: places.length, isLitBack })
    }
    return found
  }, SYMBOLS)
}

it.each([
  ['start', 8],
  ['episodes', 13],
  ['loop', 12],
  ['theory', 13],
  ['tasks', 2],
] as const)('links the symbols of %s', async (view, least) => {
  const page = await pages.open({ viewport: { width: 1280, height: 900 }, reducedMotion: 'reduce' })
  await page.goto(inject('pageAddress'))
  await openView(page, view)
  await expect.poll(() => page.locator(SYMBOLS).count()).toBeGreaterThanOrEqual(least)
  // A number that comes later replaces its symbol.
  if (view !== 'start') await page.getByText(/^Iteration \d+ of \d+$/).waitFor()
  await turns(page)
  await page.mouse.move(0, 0)
  const linked = await linkedSymbols(page)
  expect(linked.filter(({ places, isLitBack }) => places === 0 || !isLitBack)).toEqual([])
})

it.each([
  ['start', 'The equation of the reward'],
  ['episodes', 'Equations of the step'],
  ['loop', 'What flows along the arrows'],
  ['theory', 'Formulas'],
] as const)('gives the symbols of %s one stop of Tab', async (view, name) => {
  const page = await pages.open({ viewport: { width: 1280, height: 900 }, reducedMotion: 'reduce' })
  await page.goto(inject('pageAddress'))
  await openView(page, view)
  const symbols = page.getByRole('group', { name, description: /^Arrow keys move/ }).locator(SYMBOLS)
  await expect.poll(() => symbols.count()).toBeGreaterThan(3)
  const stops = () =>
    symbols.evaluateAll((all: HTMLElement[]) => all.flatMap((each, i) => (each.tabIndex === 0 ? [i] : [])))
  const focused = () => symbols.evaluateAll((all) => all.findIndex((each) => each === document.activeElement))
  const isLit = (i: number) => symbols.nth(i).evaluate((symbol) => symbol.classList.contains('lit'))
  const last = (await symbols.count()) - 1
  expect(await stops()).toEqual([0])
  await symbols.first().focus()
  for (const [key, to] of [
    ['ArrowLeft', 0],
    ['ArrowRight', 1],
    ['End', last],
    ['ArrowDown', last],
    ['ArrowUp', last - 1],
    ['Home', 0],
    ['ArrowDown', 1],
  ] as const) {
    await page.keyboard.press(key)
    expect(await focused(), key).toBe(to)
    expect(await stops(), key).toEqual([to])
    await expect.poll(() => isLit(to)).toBe(true)
  }
  await page.keyboard.press('Tab')
  expect(await focused()).toBe(-1)
  await page.keyboard.press('Shift+Tab')
  expect(await focused()).toBe(1)
  await page.keyboard.press('Escape')
  expect(await focused()).toBe(-1)
  await page.mouse.move(0, 0)
  await expect.poll(() => page.locator('.symbol-cell.lit, math .lit').count()).toBe(0)
})
