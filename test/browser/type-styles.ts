/**
 * Counts the type styles of what a person sees: of the whole page with the view on show, before anything is opened.
 *
 * A style is a family, a size, a weight, and italics, capitals or letter spacing where there are any. Text that CSS adds counts, and
 * so does what stands in fields. A family is what the page asks for first. Code in a monospaced face is a style like any other.
 * Mathematics is one style in running text, whose size it takes; at a size that no text of the view has, it is another. Its scripts
 * belong to it.
 */
import type { Page } from 'playwright-core'

export const MOST_TYPE_STYLES = 6

/** Each style with a text that has it. */
export function typeStyles(page: Page): Promise<Record<string, string>> {
  return page.evaluate(() => {
    const seen = new Map<string, string>()
    const sizes = new Set<string>()
    const formulas = new Map<string, string>()
    const isScrolledOut = (element: Element): boolean => {
      const { top, bottom, left, right } = element.getBoundingClientRect()
      for (let box = element.parentElement; box !== null && box !== document.body; box = box.parentElement) {
        const { overflowX, overflowY } = getComputedStyle(box)
        const seenBox = box.getBoundingClientRect()
        if (overflowY !== 'visible' && (bottom <= seenBox.top || top >= seenBox.bottom)) return true
        if (overflowX !== 'visible' && (right <= seenBox.left || left >= seenBox.right)) return true
      }
      return false
    }
    const isSeen = (element: Element): boolean => {
      if (!element.checkVisibility({ visibilityProperty: true, opacityProperty: true })) return false
      if (element.closest('.visually-hidden, option, style, script, .skip')) return false
      const { width, height } = element.getBoundingClientRect()
      return width > 0 && height > 0 && !isScrolledOut(element)
    }
    const note = (element: Element, text: string, pseudo?: '::before' | '::after'): void => {
      const style = getComputedStyle(element, pseudo)
      const size = `${Math.round(10 * Number.parseFloat(style.fontSize)) / 10}`
      const formula = element.closest('math')
      if (formula) {
        const whole = Math.round(10 * Number.parseFloat(getComputedStyle(formula).fontSize)) / 10
        formulas.set(`${whole}`, formula.textContent!.trim())
        return
      }
      sizes.add(size)
      const family = style.fontFamily.split(',')[0]!.replaceAll('"', '')
      const more = [
        style.fontStyle === 'normal' ? '' : style.fontStyle,
        style.fontVariantCaps === 'normal' ? '' : style.fontVariantCaps,
        style.textTransform === 'none' ? '' : style.textTransform,
        style.letterSpacing === 'normal' ? '' : `spacing ${style.letterSpacing}`,
      ]
      const key = [family, size, style.fontWeight, ...more].filter((part) => part !== '').join(' ')
      if (!seen.has(key)) seen.set(key, `${text.trim().slice(0, 40)} (${element.className || element.tagName})`)
    }
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const text = node.textContent!
      if (/[\p{L}\p{N}]/u.test(text) && isSeen(node.parentElement!)) note(node.parentElement!, text)
    }
    for (const field of document.querySelectorAll('input, select, textarea')) {
      const isText = !field.matches('[type=checkbox], [type=radio], [type=range], [type=file]')
      if (isText && isSeen(field)) note(field, 'a field')
    }
    for (const element of document.body.querySelectorAll('*')) {
      for (const pseudo of ['::before', '::after'] as const) {
        const { content } = getComputedStyle(element, pseudo)
        if (!['none', 'normal'].includes(content) && /[\p{L}\p{N}]/u.test(content) && isSeen(element))
          note(element, content, pseudo)
      }
    }
    const running = [...formulas].find(([size]) => sizes.has(size))
    if (running) seen.set('mathematics', running[1])
    for (const [size, text] of formulas) if (!sizes.has(size)) seen.set(`mathematics ${size}`, text)
    return Object.fromEntries(seen)
  })
}
