/** Counts the words that a person sees of the view on show, before anything is opened. */
import type { Page } from 'playwright-core'

/** Words with letters, in text that is drawn: neither hidden nor for screen readers alone. */
export function visibleWords(page: Page): Promise<number> {
  return page.evaluate(() => {
    const walker = document.createTreeWalker(document.querySelector('.content')!, NodeFilter.SHOW_TEXT)
    let count = 0
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const element = node.parentElement!
      if (!element.checkVisibility() || element.closest('.visually-hidden, option, style, script')) continue
      count += node.textContent!.match(/[\p{L}][\p{L}’'-]*/gu)?.length ?? 0
    }
    return count
  })
}
