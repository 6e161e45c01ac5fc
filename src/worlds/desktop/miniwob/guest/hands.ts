/**
 * Mouse, keyboard and focus of a page without a person: events are made where a browser would make them, and the focus is the page's
 * own, so that pages that play in the background never take the focus from the person at the keyboard.
 *
 * Sent to the page as text, so it refers to nothing outside of itself.
 */
import type { PageCommand, Place } from '../protocol.ts'

export interface GuestHands {
  readonly focused: Element | null
  /** False where there is nothing to act on. */
  act(command: PageCommand): boolean
  /** Leaves focus to the browser, for a person. */
  letGo(): void
}

export function giveHands(find: (mark: number) => Element | null): GuestHands {
  type Point = { x: number; y: number }
  type Field = HTMLInputElement | HTMLTextAreaElement
  const KEY_CODES: Readonly<Record<string, number>> = {
    ...{ Backspace: 8, Tab: 9, Enter: 13, Escape: 27, ' ': 32, PageUp: 33, PageDown: 34, End: 35, Home: 36 },
    ...{ ArrowLeft: 37, ArrowUp: 38, ArrowRight: 39, ArrowDown: 40, Delete: 46 },
  }
  /** Their value is typed as a whole. */
  const WHOLE_TYPES = ['date', 'time', 'datetime-local', 'month', 'week', 'number', 'range', 'color']
  const FOCUSABLE = 'input:not([type=hidden]), textarea, select, button, a[href], [tabindex], [contenteditable]'
  const realFocus = HTMLElement.prototype.focus
  const realActive = Object.getOwnPropertyDescriptor(Document.prototype, 'activeElement')!
  let focused: Element | null = null
  let valueAtFocus = ''
  let isAllSelected = false
  let copied = ''
  let pointer: Element | null = null
  let isOwn = true

  const valueOf = (element: Element | null) => (isField(element) ? element.value : '')
  const isField = (element: Element | null): element is Field =>
    element instanceof HTMLTextAreaElement ||
    (element instanceof HTMLInputElement && !['checkbox', 'radio', 'button', 'submit', 'reset'].includes(element.type))
  const send = (target: Element | Document, type: string, bubbles = true) =>
    target.dispatchEvent(new Event(type, { bubbles }))

  const focusOn = (element: Element | null) => {
    if (element === focused) return
    const before = focused
    focused = null
    isAllSelected = false
    if (before?.isConnected) {
      if (isField(before) && before.value !== valueAtFocus) send(before, 'change')
      before.dispatchEvent(new FocusEvent('blur', { relatedTarget: element }))
      before.dispatchEvent(new FocusEvent('focusout', { bubbles: true, relatedTarget: element }))
    }
    focused = element
    valueAtFocus = valueOf(element)
    element?.dispatchEvent(new FocusEvent('focus', { relatedTarget: before }))
    element?.dispatchEvent(new FocusEvent('focusin', { bubbles: true, relatedTarget: before }))
  }
  HTMLElement.prototype.focus = function (this: HTMLElement, options) {
    if (!isOwn) realFocus.call(this, options)
    else if (this.matches(FOCUSABLE)) focusOn(this)
  }
  const realBlur = HTMLElement.prototype.blur
  HTMLElement.prototype.blur = function (this: HTMLElement) {
    if (!isOwn) realBlur.call(this)
    else if (this === focused) focusOn(null)
  }
  Object.defineProperty(Document.prototype, 'activeElement', {
    configurable: true,
    get(this: Document) {
      if (!isOwn) return realActive.get!.call(this) as unknown
      return focused?.isConnected ? focused : this.body
    },
  })
  Document.prototype.hasFocus = () => true

  const mouse = (target: Element, type: string, { x, y }: Point, buttons = 0, to: Element | null = null) => {
    const options = {
      ...{ bubbles: !['mouseenter', 'mouseleave'].includes(type), cancelable: true, view: window },
      ...{
        clientX: x,
        clientY: y,
        screenX: x,
        screenY: y,
        buttons,
        detail: type === 'click' ? 1 : 0,
        relatedTarget: to,
      },
    }
    return target.dispatchEvent(
      type.startsWith('pointer')
        ? new PointerEvent(type, { ...options, pointerType: 'mouse', isPrimary: true, pointerId: 1 })
        : new MouseEvent(type, options),
    )
  }
  const moveTo = (target: Element, point: Point, buttons = 0) => {
    if (target !== pointer) {
      const before = pointer?.isConnected ? pointer : null
      const isIn = (outer: Element, inner: Element | null) => inner !== null && outer.contains(inner)
      const chain = (from: Element | null) => {
        const all: Element[] = []
        for (let element = from; element !== null; element = element.parentElement) all.push(element)
        return all
      }
      if (before) {
        mouse(before, 'mouseout', point, buttons, target)
        for (const left of chain(before)) if (!isIn(left, target)) mouse(left, 'mouseleave', point, buttons, target)
      }
      mouse(target, 'mouseover', point, buttons, before)
      for (const entered of chain(target).reverse())
        if (!isIn(entered, before)) mouse(entered, 'mouseenter', point, buttons, before)
      pointer = target
    }
    mouse(target, 'pointermove', point, buttons)
    mouse(target, 'mousemove', point, buttons)
  }

  const centre = (element: Element): Point => {
    const { left, top, width, height } = element.getBoundingClientRect()
    return { x: left + width / 2, y: top + height / 2 }
  }
  /** Where a place is, and what a mouse meets there. Scrolls to an element that is out of sight. */
  const aim = (place: Place): { point: Point; target: Element } | null => {
    if (!('mark' in place)) {
      const target = document.elementFromPoint(place.x, place.y)
      return target && { point: place, target }
    }
    const element = find(place.mark)
    if (element === null) return null
    let point = centre(element)
    if (document.elementFromPoint(point.x, point.y) === null) {
      element.scrollIntoView({ block: 'nearest' })
      point = centre(element)
    }
    const met = document.elementFromPoint(point.x, point.y)
    return { point, target: met !== null && element.contains(met) ? met : element }
  }
  const press = ({ point, target }: { point: Point; target: Element }) => {
    mouse(target, 'pointerdown', point, 1)
    if (mouse(target, 'mousedown', point, 1)) {
      const label = target.closest('label')
      focusOn(target.closest(FOCUSABLE) ?? (label?.control?.matches(FOCUSABLE) ? label.control : null))
    }
  }
  const release = ({ point, target }: { point: Point; target: Element }) => {
    mouse(target, 'pointerup', point)
    mouse(target, 'mouseup', point)
  }
  const choose = (option: HTMLOptionElement) => {
    const menu = option.closest('select')
    if (menu === null || menu.disabled || option.disabled) return false
    option.selected = menu.multiple ? !option.selected : true
    send(menu, 'input')
    return send(menu, 'change')
  }
  const drag = (from: Place, to: Place) => {
    const start = aim(from)
    if (start === null) return false
    moveTo(start.target, start.point)
    press(start)
    const end = aim(to)
    if (end === null) return false
    const MOVES = 5
    for (let move = 1; move <= MOVES; move++) {
      const between = (a: number, b: number) => a + ((b - a) * move) / MOVES
      const point = { x: between(start.point.x, end.point.x), y: between(start.point.y, end.point.y) }
      moveTo(document.elementFromPoint(point.x, point.y) ?? start.target, point, 1)
    }
    const target = document.elementFromPoint(end.point.x, end.point.y) ?? start.target
    release({ point: end.point, target })
    if (target === start.target) mouse(target, 'click', end.point)
    return true
  }

  const write = (field: Field, value: string) => {
    const prototype = field instanceof HTMLInputElement ? HTMLInputElement.prototype : HTMLTextAreaElement.prototype
    Object.getOwnPropertyDescriptor(prototype, 'value')!.set!.call(field, value)
    isAllSelected = false
    send(field, 'input')
  }
  const isWritable = (element: Element | null): element is Field =>
    isField(element) && !element.disabled && !element.readOnly
  const stroke = (type: string, key: string, isControl: boolean, code: number) =>
    (focused ?? document.body).dispatchEvent(
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
    const at = focused
    if (key === 'Tab') {
      const all = [...document.querySelectorAll(FOCUSABLE)].filter((element) => element.getClientRects().length > 0)
      focusOn(all[(all.indexOf(at!) + 1) % all.length] ?? null)
    } else if (isControl) {
      if (key.toLowerCase() === 'a') isAllSelected = isField(at)
      if (key.toLowerCase() === 'c') copied = isField(at) && isAllSelected ? at.value : String(getSelection())
      if (key.toLowerCase() === 'v' && isWritable(at)) write(at, (isAllSelected ? '' : at.value) + copied)
    } else if (isWritable(at)) {
      const kept = isAllSelected ? '' : at.value
      const hasRoom = at.maxLength < 0 || kept.length < at.maxLength
      if (isCharacter && hasRoom) write(at, kept + key)
      else if (key === 'Backspace' || (key === 'Delete' && isAllSelected)) write(at, kept.slice(0, -1))
      else if (key === 'Enter' && at instanceof HTMLTextAreaElement) write(at, `${kept}\n`)
      else if (key === 'Enter' && at.value !== valueAtFocus) {
        valueAtFocus = at.value
        send(at, 'change')
      }
    } else if (
      at !== null &&
      (key === 'Enter' || key === ' ') &&
      at.matches('button, a, [type=checkbox], [type=radio]')
    ) {
      mouse(at, 'click', centre(at))
    }
  }
  const type = (words: string) => {
    if (isWritable(focused) && focused instanceof HTMLInputElement && WHOLE_TYPES.includes(focused.type)) {
      write(focused, words)
      return send(focused, 'change')
    }
    for (const character of words) strike(character, false)
    return true
  }

  return {
    get focused() {
      return document.activeElement
    },
    act(command) {
      if (command.kind === 'wait') return true
      if (command.kind === 'type') return type(command.words)
      if (command.kind === 'key') {
        strike(command.key, command.isControl)
        return true
      }
      if (command.kind === 'drag') return drag(command.at, command.to)
      const aimed = aim(command.at)
      if (aimed === null) return false
      if (command.kind === 'select') return getSelection()?.selectAllChildren(aimed.target) === undefined
      if (command.kind === 'scroll') {
        let box: Element | null = aimed.target
        while (box !== null && box.scrollHeight <= box.clientHeight) box = box.parentElement
        if (box === null) return false
        box.scrollTop += (command.isDown ? 1 : -1) * box.clientHeight
        send(box, 'scroll', false)
        return true
      }
      moveTo(aimed.target, aimed.point)
      if (command.kind === 'hover') return true
      if (aimed.target instanceof HTMLOptionElement) return choose(aimed.target)
      press(aimed)
      release(aimed)
      mouse(aimed.target, 'click', aimed.point)
      return true
    },
    letGo() {
      isOwn = false
    },
  }
}
