/**
 * The keyboard of a page without a person: its events, and what a browser does on a key that the page leaves to it.
 *
 * Sent to the page as text, so it refers to nothing outside of itself.
 */
import type { GuestFocus } from './focus.ts'

export interface GuestKeyboard {
  /** Behind what the focused field contains. */
  type(words: string): void
  strike(key: string, isControl: boolean): void
}

export function giveKeyboard(focus: GuestFocus, click: (element: Element) => void): GuestKeyboard {
  type Field = HTMLInputElement | HTMLTextAreaElement
  const KEY_CODES: Readonly<Record<string, number>> = {
    ...{ Backspace: 8, Tab: 9, Enter: 13, Escape: 27, ' ': 32, PageUp: 33, PageDown: 34, End: 35, Home: 36 },
    ...{ ArrowLeft: 37, ArrowUp: 38, ArrowRight: 39, ArrowDown: 40, Delete: 46 },
  }
  /** Their value is typed as a whole. */
  const WHOLE_TYPES = ['date', 'time', 'datetime-local', 'month', 'week', 'number', 'range', 'color']
  /** The field of which all is selected. */
  let selected: Field | null = null
  let copied = ''

  const isField = (element: Element | null): element is Field =>
    element instanceof HTMLTextAreaElement ||
    (element instanceof HTMLInputElement && !['checkbox', 'radio', 'button', 'submit', 'reset'].includes(element.type))
  /** What a key leaves of a field. */
  const kept = (field: Field) => (field === selected ? '' : field.value)
  const write = (field: Field, value: string) => {
    const prototype = field instanceof HTMLInputElement ? HTMLInputElement.prototype : HTMLTextAreaElement.prototype
    Object.getOwnPropertyDescriptor(prototype, 'value')!.set!.call(field, value)
    selected = null
    field.dispatchEvent(new Event('input', { bubbles: true }))
  }
  const isWritable = (element: Element | null): element is Field =>
    isField(element) && !element.disabled && !element.readOnly
  const stroke = (type: string, key: string, isControl: boolean, code: number) =>
    (focus.focused ?? document.body).dispatchEvent(
      new KeyboardEvent(type, {
        ...{ key, bubbles: true, cancelable: true, ctrlKey: isControl, view: window },
        ...{ keyCode: code, which: code, charCode: type === 'keypress' ? code : 0 },
      }),
    )
  const strike = (key: string, isControl: boolean) => {
    const isCharacter = [...key].length === 1
    const code = KEY_CODES[key] ?? key.toUpperCase().charCodeAt(0)
    let isTaken = !stroke('keydown', key, isControl, code)
    if (!isTaken && !isControl && (isCharacter || key === 'Enter'))
      isTaken = !stroke('keypress', key, false, isCharacter ? key.charCodeAt(0) : code)
    if (!isTaken) answer(key, isControl, isCharacter)
    stroke('keyup', key, isControl, code)
  }
  /** What a browser does on a key that the page leaves to it. */
  const answer = (key: string, isControl: boolean, isCharacter: boolean) => {
    const at = focus.focused
    if (key === 'Tab') {
      const all = [...document.querySelectorAll(focus.focusable)].filter(
        (element) => element.getClientRects().length > 0,
      )
      focus.moveTo(all[(all.indexOf(at!) + 1) % all.length] ?? null)
    } else if (isControl) {
      if (key.toLowerCase() === 'a') selected = isField(at) ? at : null
      if (key.toLowerCase() === 'c') copied = isField(at) && at === selected ? at.value : String(getSelection())
      if (key.toLowerCase() === 'v' && isWritable(at)) write(at, kept(at) + copied)
    } else if (isWritable(at)) {
      const before = kept(at)
      const hasRoom = at.maxLength < 0 || before.length < at.maxLength
      if (isCharacter && hasRoom) write(at, before + key)
      else if (key === 'Backspace' || (key === 'Delete' && at === selected)) write(at, before.slice(0, -1))
      else if (key === 'Enter' && at instanceof HTMLTextAreaElement) write(at, `${before}\n`)
      else if (key === 'Enter') focus.sendChange()
    } else if (
      at !== null &&
      (key === 'Enter' || key === ' ') &&
      at.matches('button, a, [type=checkbox], [type=radio]')
    ) {
      click(at)
    }
  }

  return {
    type(words) {
      const { focused } = focus
      if (isWritable(focused) && focused instanceof HTMLInputElement && WHOLE_TYPES.includes(focused.type)) {
        write(focused, words)
        focus.sendChange()
      } else {
        for (const character of words) strike(character, false)
      }
    },
    strike,
  }
}
