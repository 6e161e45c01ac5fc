/** A `title` for the time that the pointer is on an element. */
import type { Attachment } from 'svelte/attachments'

/**
 * A title that stays is a description too. Where λ changes a hundred of them at once, a screen reader is told of each, and drops what
 * it should say: what λ did. The one under the pointer follows λ.
 */
export function hoverTitle(text: () => string): Attachment<HTMLElement> {
  return (element) => {
    let forget = (): void => undefined
    const show = (): void => {
      forget()
      forget = $effect.root(() => {
        $effect(() => {
          element.title = text()
        })
      })
    }
    const hide = (): void => {
      forget()
      element.removeAttribute('title')
    }
    element.addEventListener('pointerenter', show)
    element.addEventListener('pointerleave', hide)
    return () => {
      hide()
      element.removeEventListener('pointerenter', show)
      element.removeEventListener('pointerleave', hide)
    }
  }
}
