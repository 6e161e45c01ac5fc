/** Counts the words that a person sees of the view on show, before anything is opened. */
import type { Page } from 'playwright-core'

/** Words with letters, in text that is drawn: neither hidden, nor scrolled out of its box, nor for screen readers alone. */
export function visibleWords(page: Page): Promise<number> {
  return page.evaluate(() => {
    const isScrolledOut = (element: Element): boolean => {
      const { top, bottom } = element.getBoundingClientRect()
      for (let box = element.parentElement; box !== null && box !== document.body; box = box.parentElement) {
        if (!['auto', 'scroll'].includes(getComputedStyle(box).overflowY)) continue
        const seen = box.getBoundingClientRect()
        if (bottom <= seen.top || top >= seen.bottom) return true
      }
      return false
    }
    const walker = document.createTreeWalker(document.querySelector('.content')!, NodeFilter.SHOW_TEXT)
    let count = 0
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const element = node.parentElement!
      if (!element.checkVisibility() || element.closest('.visually-hidden, option, style, script')) continue
      if (isScrolledOut(element)) continue
      count += node.textContent!.match(/[\p{L}][\p{L}’'-]*/gu)?.length ?? 0
    }
    return count
  })
}
