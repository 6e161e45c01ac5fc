/**
 * What a page shows, as a list of elements: everything visible that has text of its own, can be used, or is a leaf of the page, such
 * as an icon or a shape. Sent to the page as text, so it refers to nothing outside of itself.
 */
import type { PageElement } from '../protocol.ts'

export interface GuestEyes {
  /** Numbers the elements anew. */
  look(focused: Element | null): PageElement[]
  /** The element with this number when the page was last looked at; null if there is none, or it is gone. */
  find(mark: number): Element | null
}

export function openEyes(): GuestEyes {
  const MOST_ELEMENTS = 300
  const MOST_CHARACTERS = 2000
  /** The frame of a task, which is no part of it. */
  const OUTSIDE = '#query, #reward-display, #sync-task-cover, #click-canvas, script, style, head'
  const WHOLE = 'button, a, option, input, textarea, select:not([multiple]), img, canvas'
  let marked: Element[] = []

  const isDrawn = (element: Element) => {
    const { width, height } = element.getBoundingClientRect()
    const style = getComputedStyle(element)
    if (style.visibility === 'hidden' || style.display === 'none' || style.opacity === '0') return false
    // Menus that are closed draw no options; lines have no width or no height.
    return element.matches('option, line, path') || (width > 0 && height > 0)
  }
  const tidy = (text: string | null) => (text ?? '').replace(/\s+/g, ' ').trim().slice(0, MOST_CHARACTERS)

  const colourOf = (element: Element) => {
    const style = getComputedStyle(element)
    if (!(element instanceof SVGElement)) {
      return style.backgroundColor === 'rgba(0, 0, 0, 0)' ? '' : style.backgroundColor
    }
    return style.fill === 'none' ? style.stroke : style.fill
  }
  const valueOf = (element: Element) => {
    if (element instanceof HTMLInputElement) {
      return ['checkbox', 'radio'].includes(element.type)
        ? element.checked
          ? 'checked'
          : 'not checked'
        : element.value
    }
    if (element instanceof HTMLOptionElement) return element.selected ? 'selected' : ''
    return element instanceof HTMLTextAreaElement ? element.value : ''
  }
  const tagOf = (element: Element) =>
    element instanceof HTMLInputElement ? `input ${element.type}` : element.tagName.toLowerCase()
  const nameOf = (element: Element) =>
    (element.id === '' ? '' : `#${element.id}`) + [...element.classList].map((name) => `.${name}`).join('')

  const row = (element: Element, text: string, focused: Element | null, tag = tagOf(element)): PageElement => {
    const { left, top, width, height } = element.getBoundingClientRect()
    const isSilent = text === '' || element instanceof SVGElement
    return {
      mark: marked.push(element),
      tag,
      text,
      value: tag === 't' ? '' : valueOf(element),
      name: text === '' ? nameOf(element) : '',
      colour: isSilent && !element.matches('input, textarea, select, img') ? colourOf(element) : '',
      box: [left, top, width, height].map(Math.round) as PageElement['box'],
      isFocused: element === focused,
    }
  }

  return {
    look(focused) {
      marked = []
      const rows: PageElement[] = []
      const visit = (element: Element) => {
        if (rows.length >= MOST_ELEMENTS || element.matches(OUTSIDE) || !isDrawn(element)) return
        if (element instanceof HTMLSelectElement) {
          rows.push(row(element, '', focused))
          for (const option of element.options) rows.push(row(option, tidy(option.textContent), focused))
          return
        }
        const parts = [...element.childNodes].filter((node) =>
          node instanceof Element
            ? isDrawn(node) && !node.matches(OUTSIDE)
            : tidy(node.textContent) !== '' && node instanceof Text,
        )
        if (element.matches(WHOLE) || !parts.some((part) => part instanceof Element)) {
          // A container that is empty shows nothing.
          const isEmpty = element.matches('svg, g, defs') || (element === document.body && parts.length === 0)
          if (!isEmpty) rows.push(row(element, element.matches('textarea') ? '' : tidy(element.textContent), focused))
          return
        }
        for (const part of parts) {
          if (part instanceof Element) visit(part)
          else rows.push(row(element, tidy(part.textContent), focused, 't'))
        }
      }
      visit(document.body)
      return rows
    },
    find(mark) {
      const element = marked[mark - 1]
      return element?.isConnected ? element : null
    },
  }
}
