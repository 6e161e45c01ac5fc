/** Checks a page with axe in both colour schemes, and its layout in several window widths. */
import { createRequire } from 'node:module'
import type { Frame, Page } from 'playwright-core'
import { expect } from 'vitest'
import { turns } from './settled.ts'

/** Rules that depend on colours. The others find the same in both schemes, so they run once. */
const COLOUR_RULES = ['color-contrast', 'link-in-text-block']

/** Rules that look at hidden elements too, apart from those of colours. */
const RULES_OF_HIDDEN = [
  'accesskeys',
  'area-alt',
  'aria-allowed-role',
  'aria-hidden-body',
  'aria-hidden-focus',
  'blink',
  'marquee',
]

/** Axe as a script, from the package that brings it. Its own builder would send it again before every check, which takes longer. */
const playwrightPackage = createRequire(import.meta.url).resolve('@axe-core/playwright')
const { source } = createRequire(playwrightPackage)('axe-core') as { source: string }

export interface AxeChoice {
  /** Rules to skip. */
  without?: string[]
  /** Selector of the part to check; all of the page if undefined. */
  within?: string
}

interface Violation {
  id: string
  /** Elements as HTML. */
  nodes: string[]
}

/** What the script of axe adds to a page, as far as it is used here. */
interface WithAxe {
  axe?: {
    run(
      context: Document | { include: string[][] },
      options: object,
    ): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }>
  }
}

/** Adds axe to a frame that lacks it. A frame may go while it is asked. */
async function addAxe(frame: Frame): Promise<void> {
  if (await frame.evaluate(() => (globalThis as WithAxe).axe !== undefined)) return
  await frame.evaluate(source)
}

/**
 * Violations of rules of hidden elements, and of others. Axe goes through each element of the document for each rule, also through what is
 * hidden or is not asked about, which can take ten times as long as what is. So what is beside the part that is asked about, or else
 * hidden views, leave the document meanwhile. Runs in the page.
 */
async function runAxe({
  within,
  ofHidden,
  options,
}: {
  within: string | undefined
  ofHidden: string[]
  options: object
}): Promise<Violation[]> {
  const find = async (options: object): Promise<Violation[]> => {
    const context = within === undefined ? document : { include: [[within]] }
    const { violations } = await (globalThis as WithAxe).axe!.run(context, { ...options, resultTypes: ['violations'] })
    return violations.map(({ id, nodes }) => ({ id, nodes: nodes.map(({ html }) => html) }))
  }
  const removed: [place: Comment, node: ChildNode][] = []
  const remove = (node: ChildNode) => {
    // A frame would load again.
    if (node instanceof Element && node.querySelector('iframe')) return
    const place = document.createComment('')
    node.replaceWith(place)
    removed.push([place, node])
  }
  const clipped: [element: HTMLElement, overflow: string][] = []
  const unclip = (element: HTMLElement) => {
    clipped.push([element, element.style.overflow])
    element.style.overflow = 'visible'
  }
  try {
    const isolate = (parent: Element, selector: string): void => {
      for (const child of [...parent.childNodes]) {
        const isElement = child instanceof Element
        if (isElement && child.matches(selector)) continue
        if (isElement && child.querySelector(selector)) {
          // Axe takes a dialog for cut off by what is around it, although nothing cuts the top layer.
          unclip(child as HTMLElement)
          isolate(child, selector)
        } else remove(child)
      }
    }
    if (within !== undefined) isolate(document.body, within)
    const found = ofHidden.length > 0 ? await find({ runOnly: ofHidden }) : []
    for (const view of document.querySelectorAll('.view[hidden]')) for (const node of [...view.childNodes]) remove(node)
    return [...found, ...(await find(options))]
  } finally {
    for (const [place, node] of removed) place.replaceWith(node)
    for (const [element, overflow] of clipped) element.style.overflow = overflow
  }
}

/** Violations that axe finds in light and dark, each with its elements. */
export async function axeViolations(page: Page, { without = [], within }: AxeChoice = {}): Promise<string[]> {
  const found: string[] = []
  await addAxe(page.mainFrame())
  for (const frame of page.frames().slice(1)) await addAxe(frame).catch(() => {})
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    // What was just opened gets its place, and what the colours change is drawn, in separate tasks.
    await turns(page, 4)
    const others = Object.fromEntries([...without, ...RULES_OF_HIDDEN].map((rule) => [rule, { enabled: false }]))
    const choice =
      colorScheme === 'dark'
        ? { ofHidden: [], options: { runOnly: COLOUR_RULES } }
        : { ofHidden: RULES_OF_HIDDEN.filter((rule) => !without.includes(rule)), options: { rules: others } }
    const violations = await page.evaluate(runAxe, { within, ...choice })
    for (const { id, nodes } of violations) {
      // Browsers expose the symbols of a formula, and axe takes whatever is in one for a picture.
      const rest = id === 'nested-interactive' ? nodes.filter((html) => !html.startsWith('<math')) : nodes
      if (rest.length > 0) found.push(`${colorScheme}: ${id}: ${rest.map((html) => html.slice(0, 160)).join(' | ')}`)
    }
  }
  await page.emulateMedia({ colorScheme: null, reducedMotion: null })
  return found
}

/** Fails if the page is wider than its window. */
export async function expectInside(page: Page, widths: readonly number[]): Promise<void> {
  for (const width of widths) {
    await page.setViewportSize({ width, height: 800 })
    // Charts resize in a separate task.
    await expect
      .poll(() => page.evaluate(() => document.documentElement.scrollWidth), { message: `${width} pixels` })
      .toBeLessThanOrEqual(width)
  }
}

/** Checks both, then restores the window and the colours. */
export async function expectSound(page: Page, widths: readonly number[]): Promise<void> {
  const before = page.viewportSize()
  expect(await axeViolations(page)).toEqual([])
  await expectInside(page, widths)
  if (before) await page.setViewportSize(before)
}
