/**
 * The focus of a page without a person: the page's own, so that pages that play in the background never take the focus from the
 * person at the keyboard.
 *
 * Sent to the page as text, so it refers to nothing outside of itself.
 */
export interface GuestFocus {
  /** The page's own focus, or the browser's for a person; null if nothing has it. */
  readonly focused: Element | null
  moveTo(element: Element | null): void
  /** Sends the change of the focused field if there is one that was not sent. */
  sendChange(): void
  /** Leaves focus to the browser, for a person. */
  letGo(): void
  /** What can have it. */
  readonly focusable: string
}

export function keepFocus(): GuestFocus {
  const FOCUSABLE = 'input:not([type=hidden]), textarea, select, button, a[href], [tabindex], [contenteditable]'
  const realFocus = HTMLElement.prototype.focus
  const realBlur = HTMLElement.prototype.blur
  const realActive = Object.getOwnPropertyDescriptor(Document.prototype, 'activeElement')!
  let focused: Element | null = null
  let valueSent = ''
  let isOwn = true

  const valueOf = (element: Element | null) =>
    element instanceof HTMLTextAreaElement ||
    (element instanceof HTMLInputElement && !['checkbox', 'radio'].includes(element.type))
      ? element.value
      : ''
  const sendChange = (element: Element | null) => {
    if (element === null || !element.isConnected || valueOf(element) === valueSent) return
    valueSent = valueOf(element)
    element.dispatchEvent(new Event('change', { bubbles: true }))
  }
  const moveTo = (element: Element | null) => {
    if (element === focused) return
    const before = focused
    focused = null
    if (before?.isConnected) {
      sendChange(before)
      before.dispatchEvent(new FocusEvent('blur', { relatedTarget: element }))
      before.dispatchEvent(new FocusEvent('focusout', { bubbles: true, relatedTarget: element }))
    }
    focused = element
    valueSent = valueOf(element)
    element?.dispatchEvent(new FocusEvent('focus', { relatedTarget: before }))
    element?.dispatchEvent(new FocusEvent('focusin', { bubbles: true, relatedTarget: before }))
  }
  HTMLElement.prototype.focus = function (this: HTMLElement, options) {
    if (!isOwn) realFocus.call(this, options)
    else if (this.matches(FOCUSABLE)) moveTo(this)
  }
  HTMLElement.prototype.blur = function (this: HTMLElement) {
    if (!isOwn) realBlur.call(this)
    else if (this === focused) moveTo(null)
  }
  Object.defineProperty(Document.prototype, 'activeElement', {
    configurable: true,
    get(this: Document) {
      if (!isOwn) return realActive.get!.call(this) as unknown
      return focused?.isConnected ? focused : this.body
    },
  })
  Document.prototype.hasFocus = () => true

  return {
    get focused() {
      if (!isOwn) return document.activeElement
      return focused?.isConnected ? focused : null
    },
    moveTo,
    sendChange: () => sendChange(focused),
    letGo() {
      isOwn = false
    },
    focusable: FOCUSABLE,
  }
}
